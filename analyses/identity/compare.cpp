#include "identity/compare.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <sstream>
#include <stdexcept>

#include "report/file.hpp"
#include "report/json.hpp"
#include "report/row.hpp"
#include "report/table.hpp"

namespace embedscale::identity {
namespace {

namespace fs = std::filesystem;
using report::Json;

constexpr std::size_t longest_line = 160;

bool is_compared(const fs::path& file) {
  const auto name = file.filename().string();
  return name != "provenance.json" && name != "implementations.md" && name != "performance.md" &&
         !name.starts_with("trust.") && !name.starts_with("trust_") &&
         file.extension() != ".measured" && file.parent_path().filename() != "vectors";
}

bool is_of_a_topic(const fs::path& file) {
  return file.parent_path() == "data" && file.extension() == ".json";
}

/// With the size of what lies between them, where they are two numbers.
Difference difference(const std::string& file, const std::string& row, const Json& a,
                      const Json& b) {
  Difference found{file, row, a.dump(), b.dump()};
  if (!a.is_number() || !b.is_number()) return found;
  const auto x = a.get<double>(), apart = std::abs(b.get<double>() - x);
  found.relative = x == 0 ? HUGE_VAL : apart / std::abs(x);
  return found;
}

/// What a topic's rows tell, by name: "claim quantity {place} column", "claim {field}", "claim
/// key".
std::map<std::string, Json> rows_of(const fs::path& file) {
  std::map<std::string, Json> all;
  for (const auto& claim : report::read_json(file)) {
    const auto id = claim.at("id").get<std::string>();
    for (const auto& [key, value] : claim.items())
      if (key == "fields")
        for (const auto& [name, text] : value.items())
          all[fmt::format("{} {{{}}}", id, name)] = text;
      else if (key != "measurements")
        all[id + " " + key] = value;
    for (const auto& m : report::measurements_in(claim))
      for (const auto& [column, value] : m.items())
        all[fmt::format("{} {} {} {}", id, m.at("quantity").get<std::string>(), m.at("at").dump(),
                        column)] = value;
  }
  return all;
}

std::vector<Difference> row_differences(const fs::path& file, const fs::path& committed,
                                        const fs::path& made) {
  std::vector<Difference> found;
  auto after = rows_of(made / file);
  for (const auto& [row, before] : rows_of(committed / file)) {
    const auto now = after.extract(row);
    const Json value = now ? now.mapped() : Json();
    if (before != value) found.push_back(difference(file.string(), row, before, value));
  }
  for (const auto& [row, value] : after)
    found.push_back(difference(file.string(), row, Json(), value));
  return found;
}

/// The first line that differs.
Difference line_difference(const fs::path& file, const std::string& committed,
                           const std::string& made) {
  std::istringstream a(committed), b(made);
  std::string before, after;
  for (std::size_t line = 1;; ++line) {
    const bool has_more = static_cast<bool>(std::getline(a, before));
    if (!has_more) before = "(nothing)";
    if (!std::getline(b, after)) after = "(nothing)";
    if (before != after || !has_more)
      return {file.string(), fmt::format("line {}", line), before.substr(0, longest_line),
              after.substr(0, longest_line)};
  }
}

std::string text_of(const fs::path& file) {
  return fs::exists(file) ? report::read_file(file) : std::string();
}

}  // namespace

std::vector<fs::path> compared_files(const fs::path& reports) {
  std::vector<fs::path> files;
  for (const auto& entry : fs::recursive_directory_iterator(reports))
    if (entry.is_regular_file() && is_compared(entry.path()))
      files.push_back(entry.path().lexically_relative(reports));
  std::ranges::sort(files);
  return files;
}

std::vector<Difference> differences(const fs::path& committed, const fs::path& made) {
  std::set<fs::path> files;
  for (const auto& reports : {committed, made}) {
    if (!fs::is_directory(reports)) throw report::FileError(reports.string() + ": not there");
    for (auto& file : compared_files(reports)) files.insert(std::move(file));
  }
  std::vector<Difference> all;
  for (const auto& file : files) {
    const auto before = text_of(committed / file), after = text_of(made / file);
    if (before == after && fs::exists(committed / file) == fs::exists(made / file)) continue;
    auto rows = is_of_a_topic(file) && !before.empty() && !after.empty()
                    ? row_differences(file, committed, made)
                    : std::vector<Difference>();
    if (rows.empty()) rows.push_back(line_difference(file, before, after));
    all.insert(all.end(), rows.begin(), rows.end());
  }
  return all;
}

std::uint64_t count_rows(const fs::path& reports) {
  std::uint64_t rows = 0;
  for (const auto& file : compared_files(reports))
    if (is_of_a_topic(file))
      for (const auto& claim : report::read_json(reports / file))
        rows += report::measurements_in(claim).size();
  return rows;
}

std::vector<Value> read_values(const fs::path& file) {
  std::vector<Value> values;
  std::istringstream lines(report::read_file(file));
  for (std::string line; std::getline(lines, line);) {
    const Json row = report::parsed(line);
    values.push_back(
        {fmt::format("{} {}", row.at(0).get<std::string>(), row.at(1).get<std::string>()),
         row.at(2).dump(), row.at(4).get<int>(),
         row.at(5).is_number() ? row.at(5).get<double>() : HUGE_VAL});
  }
  return values;
}

double distance_to_an_edge(double x, int digits) {
  const auto written = fmt::format("{:.{}e}", std::abs(x), digits - 1);
  const auto nearest = std::stod(written);
  const auto at = written.find('e');
  const auto unit = std::stod(fmt::format("1e{}", std::stoi(written.substr(at + 1)) - digits + 1));
  // Below a power of ten the numbers are ten times as near.
  const bool is_power = written[0] == '1' && written.find_first_of("123456789", 1) > at;
  const auto below = is_power ? unit / 10 : unit;
  return std::max(0.0,
                  std::min(nearest + unit / 2 - std::abs(x), std::abs(x) - nearest + below / 2));
}

void Margins::add(Apart& apart, const std::vector<Value>& a, const std::vector<Value>& b) {
  const auto is_same_row = [](const Value& x, const Value& y) {
    return x.quantity == y.quantity && x.place == y.place;
  };
  if (!std::ranges::equal(a, b, is_same_row))
    throw std::invalid_argument("two programs of one topic measured different rows");
  apart.values += a.size();
  for (std::size_t i = 0; i < a.size(); ++i) {
    const auto& [quantity, place, digits, value] = a[i];
    if (value == b[i].value) continue;
    ++apart.differ;
    const double moved = std::abs(b[i].value - value), relative = moved / std::abs(value);
    if (relative >= apart.largest) apart.largest = relative, apart.where = quantity + " " + place;
    if (!std::isfinite(moved)) continue;
    auto& kept = all_[fmt::format("{} {} {}", quantity, place, i)];
    if (moved <= kept.moved) continue;
    const double distance = value == 0 ? 0.0 : distance_to_an_edge(value, digits);
    kept = {quantity, place, value, moved, distance, digits};
  }
}

std::vector<Margins::Nearest> Margins::nearest(std::size_t most) const {
  std::map<std::string, Nearest> of_quantity;
  for (const auto& [key, one] : all_) {
    const auto [kept, is_new] = of_quantity.try_emplace(one.quantity, one);
    if (!is_new && one.times() < kept->second.times()) kept->second = one;
  }
  std::vector<Nearest> sorted;
  for (const auto& [quantity, one] : of_quantity) sorted.push_back(one);
  std::ranges::sort(sorted, {}, &Nearest::times);
  sorted.resize(std::min(most, sorted.size()));
  return sorted;
}

}  // namespace embedscale::identity
