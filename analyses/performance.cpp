#include "performance.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <stdexcept>

#include "report/page.hpp"
#include "report/table.hpp"

namespace embedscale::performance {
namespace {

using report::Table;

constexpr std::string_view ours = "fast", limit = "limit", growth = "growth of ";

struct Name {
  std::string work, way;
};
Name name_of(const std::string& both) {
  const auto slash = both.find('/');
  return {both.substr(0, slash), both.substr(slash + 1)};
}

/// One time over another in each round, from the least to the greatest.
std::vector<double> ratios(const std::vector<Round>& rounds, const std::string& of,
                           const std::string& over) {
  std::vector<double> all;
  for (const auto& round : rounds) {
    if (!round.contains(of) || !round.contains(over))
      throw std::invalid_argument("a round has no time of " + of + " or of " + over);
    all.push_back(round.at(of) / round.at(over));
  }
  std::ranges::sort(all);
  return all;
}
double median(const std::vector<double>& sorted) {
  const auto n = sorted.size();
  return (sorted[(n - 1) / 2] + sorted[n / 2]) / 2;
}

/// Of the ways that are chosen: median, least and greatest of the ratio to ours, or of ours to it.
std::string table_of_ways(const std::vector<Round>& rounds, const std::string& heading,
                          bool of_limits) {
  auto table = Table::headed("Work|Way|" + heading + ":|Least:|Greatest:");
  for (const auto& [both, time] : rounds.front()) {
    const auto [work, way] = name_of(both);
    if (way == ours || (way == limit) != of_limits || work.starts_with(growth)) continue;
    const auto own = work + "/" + std::string(ours);
    const auto all = of_limits ? ratios(rounds, own, both) : ratios(rounds, both, own);
    const auto text = [](double x) { return report::significant(x, 2); };
    table.row({work, way, text(median(all)), text(all.front()), text(all.back())});
  }
  return table.markdown();
}

/// Times for as many numbers at each width, over that at the first.
std::string table_of_growth(const std::vector<Round>& rounds) {
  std::set<std::string> works;
  std::set<std::uint64_t> widths;
  for (const auto& [both, time] : rounds.front())
    if (const auto [work, width] = name_of(both); work.starts_with(growth))
      works.insert(work), widths.insert(std::stoull(width));
  if (widths.empty()) throw std::invalid_argument("a round has no growth");
  std::string heading = "d:";
  for (const auto& work : works) heading += "|" + work.substr(growth.size()) + ":";
  auto table = Table::headed(heading);
  for (const auto d : widths) {
    std::vector<std::string> cells{report::count(d)};
    for (const auto& work : works)
      cells.push_back(
          report::significant(median(ratios(rounds, fmt::format("{}/{}", work, d),
                                            fmt::format("{}/{}", work, *widths.begin()))),
                              2));
    table.row(cells);
  }
  return table.markdown();
}

}  // namespace

std::vector<Round> read(const std::filesystem::path& directory) {
  std::map<std::string, Round> rounds;
  for (const auto& entry : std::filesystem::directory_iterator(directory)) {
    const auto file = entry.path().filename().string();
    if (!file.ends_with(".json")) continue;
    auto& round = rounds[file.substr(0, file.find('.'))];
    const auto measured = report::read_json(entry.path());
    for (const auto& one : measured.at("benchmarks"))
      round[one.at("name").get<std::string>()] = one.at("real_time").get<double>();
  }
  std::vector<Round> all;
  for (auto& [number, round] : rounds) all.push_back(std::move(round));
  return all;
}

std::string page(const std::vector<Round>& rounds, const report::Words& words,
                 const std::string& machine) {
  if (rounds.empty()) throw std::invalid_argument("there are no rounds");
  auto introduction = words.introduction();
  for (const auto& [field, value] :
       {std::pair("{machine}", machine), {"{rounds}", std::to_string(rounds.size())}})
    if (const auto at = introduction.find(field); at != introduction.npos)
      introduction.replace(at, std::string_view(field).size(), value);
  const auto part = [&](const char* name) { return words.part("tables", name) + "\n\n"; };
  return fmt::format("{}# {}\n\n{}\n\n", report::generated_note, words.title(), introduction) +
         part("ways") + table_of_ways(rounds, "Its time over ours", false) + "\n" + part("limits") +
         table_of_ways(rounds, "Our time over it", true) + "\n" + part("growth") +
         table_of_growth(rounds);
}

}  // namespace embedscale::performance
