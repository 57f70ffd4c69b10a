// Makes the reports in every way that must not matter (compiler, optimisation, the instructions
// that the C library may use, threads) and compares each with the committed ones, byte for byte:
// ./dev identity. What differs before rounding is told, too.
#include <fmt/format.h>
#include <gnu/libc-version.h>
#include <tbb/global_control.h>
#include <embedscale/random.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <set>
#include <stdexcept>
#include <thread>

#include "cli/arguments.hpp"
#include "cli/program.hpp"
#include "cli/progress.hpp"
#include "identity/compare.hpp"
#include "identity/way.hpp"
#include "report/file.hpp"
#include "report/json.hpp"
#include "report/loops.hpp"
#include "report/table.hpp"

namespace embedscale::identity {
namespace {

namespace fs = std::filesystem;

using report::Json;

constexpr std::size_t most_differences = 20, kept_margins = 5;
constexpr int digits = 2;

/// One way of making the reports, and what came of it.
struct Tried {
  Way way;
  std::string compiler;  ///< its version
  std::vector<Difference> differences;
  Apart apart;  ///< before rounding, from the way that is first
};

struct Found {
  std::vector<Tried> tried{};  ///< the way in which the committed reports are made first
  Margins margins{};
  Json functions = Json::array();  ///< of the C library, that give other bits
  std::uint64_t rows = 0;
};

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

/// What was found, as it is committed: the page about the checks shows it.
Json record(const Found& found, const std::filesystem::path& reports) {
  const auto& first = found.tried.front().way;
  const auto files = compared_files(reports);
  const auto pages = std::ranges::count_if(
      files, [](const std::filesystem::path& file) { return file.extension() == ".md"; });
  Json tried = Json::array(), differences = Json::array(), nearest = Json::array();
  for (const auto& one : found.tried) {
    tried.push_back(to_json(one, first));
    for (const auto& difference : one.differences)
      if (differences.size() < most_differences)
        differences.push_back(to_json(difference, one.way));
  }
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
          {"functions", found.functions},
          {"tried", tried},
          {"nearest", nearest},
          {"differences", differences}};
}

/// The differences in lines for people.
std::string told(const Tried& tried) {
  std::string text;
  for (std::size_t i = 0; i < tried.differences.size() && i < most_differences; ++i) {
    const auto& one = tried.differences[i];
    text +=
        fmt::format("{}: {}: {} committed, {} made", one.file, one.row, one.committed, one.made);
    if (one.relative > 0)
      text += fmt::format(" (relative difference {})", report::significant(one.relative, digits));
    text += "\n";
  }
  if (tried.differences.size() > most_differences)
    text += fmt::format("and {} more\n", tried.differences.size() - most_differences);
  return text;
}

struct Options {
  Sources sources;
  std::vector<std::string> builds, only;
  fs::path kept, record;
  bool functions = false;
};

/// "g++ -O1=build/release".
Build build_of(const std::string& text) {
  const auto equals = text.rfind('=');
  if (equals == text.npos) throw std::invalid_argument("--build: '" + text + "' is no NAME=DIR");
  return {text.substr(0, equals), fs::absolute(text.substr(equals + 1))};
}

/// All, the way in which the reports are made by default first.
std::vector<Way> ways(const Options& options) {
  constexpr std::array threads{2, 1};
  std::vector<Way> all;
  for (const auto& build : options.builds)
    for (const auto& instructions : all_instructions())
      for (const int n : threads) {
        const Way one{build_of(build), instructions, n};
        if (std::ranges::all_of(options.only, [&](const auto& part) {
              return one.name().find(part) != std::string::npos;
            }))
          all.push_back(one);
      }
  if (all.empty()) throw std::invalid_argument("--only: no way is called so");
  return all;
}

/// Makes what is not kept, as many topics at a time as there are processors for.
void make(const Making& making, std::vector<std::string> topics) {
  std::erase_if(topics, [&](const auto& topic) { return making.is_made(topic); });
  const auto processors = static_cast<int>(std::thread::hardware_concurrency());
  const tbb::global_control limit(
      tbb::global_control::max_allowed_parallelism,
      static_cast<std::size_t>(std::max(1, processors / making.way().threads)));
  report::in_parallel(topics.size(), [&](std::uint64_t i) { making.make(topics[i]); });
}

std::string line_of(const Tried& tried, bool is_first) {
  const auto name = tried.way.name();
  auto line = tried.differences.empty()
                  ? fmt::format("{}: the same bytes", name)
                  : fmt::format("{}: {} differences", name, tried.differences.size());
  if (!is_first && tried.apart.values > 0)
    line += fmt::format("; before rounding {} of {} values differ, by {:.2g} at most",
                        tried.apart.differ, tried.apart.values, tried.apart.largest);
  return line + "\n" + told(tried);
}

void look_at_functions(Found& found, const std::vector<Way>& all) {
  const auto self = fs::read_symlink("/proc/self/exe");
  for (const auto& instructions : all_instructions()) {
    if (instructions.tunables.empty() ||
        std::ranges::none_of(all, [&](const auto& c) { return c.instructions == instructions; }))
      continue;
    const auto others = other_functions(instructions, self);
    found.functions.push_back({{"instructions", instructions.name}, {"other_bits", others}});
    fmt::print(stderr, "{}: {} functions of the C library give other bits{}\n", instructions.name,
               others.size(), others.empty() ? ": nothing is tried by it on this machine" : "");
  }
}

int identity(Options options) {
  options.sources.project = fs::absolute(options.sources.project);
  options.kept = fs::absolute(options.kept);
  const auto committed = options.sources.project / "reports";
  const auto& topics = options.sources.topics;
  const auto all = ways(options);
  std::vector<Making> makings;
  for (const auto& way : all) makings.emplace_back(way, options.sources, options.kept);
  Found found{.rows = count_rows(committed)};
  look_at_functions(found, all);
  const auto progress = cli::shown_progress({});
  report::Loop ways_made(all.size());
  bool same = true;
  for (std::size_t i = 0; i < all.size(); ++i, ways_made.step()) {
    cli::narrate({}, all[i].name(), i + 1, all.size());
    make(makings[i], topics);
    makings[i].merge();
    Tried tried{all[i], makings[i].compiler(), differences(committed, makings[i].reports()), {}};
    for (const auto& topic : topics)
      found.margins.add(tried.apart, read_values(makings.front().values(topic)),
                        read_values(makings[i].values(topic)));
    same = same && tried.differences.empty();
    cli::print(line_of(tried, i == 0));
    found.tried.push_back(std::move(tried));
  }
  for (const auto& one : found.margins.nearest(1))
    fmt::print(
        "nearest to being written otherwise: {} {}, {} to {} digits: {:.2g} away, {:.0f} "
        "times what it moves\n",
        one.quantity, one.place, one.value, one.digits, one.distance, one.times());
  if (!options.record.empty())
    report::write_file(options.record, record(found, committed).dump(1) + "\n");
  return same ? cli::done : cli::differs;
}

}  // namespace
}  // namespace embedscale::identity

int main(int argc, char** argv) {
  using namespace embedscale;
  cli::Arguments arguments(
      "Makes the reports in every way that must not matter and compares them with the committed",
      "identity");
  identity::Options options;
  arguments.option("--project", options.sources.project, "the project's directory");
  arguments.option("--topics", options.sources.topics, "whose pages are made");
  arguments.option("--build", options.builds, "NAME=DIR: a build tree with their programs");
  arguments.option("--kept", options.kept, "keeps what is finished");
  arguments.option("--only", options.only, "only ways with all of these in their name");
  arguments.option("--record", options.record, "write what was found to this file");
  arguments.option("--functions", options.functions, "print bits of the C library's functions");
  return arguments.run(argc, argv, [&] {
    if (options.functions) return cli::print(identity::function_bits());
    return identity::identity(options);
  });
}
