#include "identity/record.hpp"

#include <fmt/format.h>
#include <gnu/libc-version.h>
#include <embedscale/random.hpp>

#include <algorithm>
#include <cmath>
#include <set>

#include "report/file.hpp"
#include "report/table.hpp"

namespace embedscale::identity {
namespace {

using report::Json;

constexpr std::size_t kept_differences = 20, kept_margins = 5;
constexpr int digits = 2;

Json number(double x) {
  return std::isfinite(x) ? Json(report::rounded(x, digits)) : Json(report::significant(x, 1));
}

std::size_t files_of(const std::vector<Difference>& differences) {
  std::set<std::string> files;
  for (const auto& one : differences) files.insert(one.file);
  return files.size();
}

Json to_json(const Difference& one, const Way& way) {
  return {{"way", way.name()},          {"file", one.file}, {"row", one.row},
          {"committed", one.committed}, {"made", one.made}, {"relative", number(one.relative)}};
}

/// In what a way differs from the first: "compiler, threads", "" for the first itself.
std::string changed(const Way& first, const Way& other) {
  const auto a = report::split(first.build.name, ' '), b = report::split(other.build.name, ' ');
  std::string text;
  const auto add = [&](bool differs, const char* axis) {
    if (differs) text += (text.empty() ? "" : ", ") + std::string(axis);
  };
  add(a.front() != b.front(), "compiler");
  add(a.back() != b.back(), "optimisation");
  add(first.instructions != other.instructions, "instructions");
  add(first.threads != other.threads, "threads");
  return text;
}

/// The hash of all files that are compared: of which reports the record tells.
std::string reports_hash(const std::filesystem::path& reports) {
  std::string all;
  for (const auto& file : compared_files(reports))
    all += fmt::format("{} {:016x}\n", file.string(), hash_of(report::read_file(reports / file)));
  return fmt::format("{:016x}", hash_of(all));
}

Json to_json(const Tried& tried, const Way& first) {
  const auto& [way, compiler, differences, apart] = tried;
  return {{"way", way.name()},
          {"changed", changed(first, way)},
          {"build", way.build.name},
          {"instructions", way.instructions.name},
          {"threads", way.threads},
          {"version", compiler},
          {"files_that_differ", files_of(differences)},
          {"rows_that_differ", differences.size()},
          {"values_that_differ", apart.differ},
          {"largest", number(apart.largest)},
          {"where", apart.where}};
}

}  // namespace

Json record(const Found& found, const std::filesystem::path& reports) {
  const auto& first = found.tried.front().way;
  const auto files = compared_files(reports);
  const auto pages = std::ranges::count_if(
      files, [](const std::filesystem::path& file) { return file.extension() == ".md"; });
  Json tried = Json::array(), functions = Json::array(), differences = Json::array(),
       nearest = Json::array();
  for (const auto& one : found.tried) {
    tried.push_back(to_json(one, first));
    for (const auto& difference : one.differences)
      if (differences.size() < kept_differences)
        differences.push_back(to_json(difference, one.way));
  }
  for (const auto& [instructions, others] : found.functions)
    functions.push_back({{"instructions", instructions}, {"other_bits", others}});
  for (const auto& one : found.margins.nearest(kept_margins))
    nearest.push_back({{"quantity", one.quantity},
                       {"place", one.place},
                       {"value", one.value},
                       {"digits", one.digits},
                       {"moved", number(one.moved)},
                       {"distance", number(one.distance)},
                       {"times", number(one.times())}});
  return {{"reports", reports_hash(reports)},
          {"libc", gnu_get_libc_version()},
          {"pages", pages},
          {"files", files.size()},
          {"rows", found.rows},
          {"values", found.tried.back().apart.values},
          {"values_that_differ", found.margins.size()},
          {"functions", functions},
          {"tried", tried},
          {"nearest", nearest},
          {"differences", differences}};
}

std::string told(const Tried& tried, std::size_t most) {
  std::string text;
  for (std::size_t i = 0; i < tried.differences.size() && i < most; ++i) {
    const auto& one = tried.differences[i];
    text +=
        fmt::format("{}: {}: {} committed, {} made", one.file, one.row, one.committed, one.made);
    if (one.relative > 0)
      text += fmt::format(" (relative difference {})", report::significant(one.relative, digits));
    text += "\n";
  }
  if (tried.differences.size() > most)
    text += fmt::format("and {} more\n", tried.differences.size() - most);
  return text;
}

}  // namespace embedscale::identity
