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

constexpr std::string_view ours = "fast", limit = "limit", growth = "growth of ", size = "size of ",
                           all_threads = ", all threads", avx2 = ", AVX2";

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

bool is_series(const std::string& work) {
  return work.starts_with(growth) || work.starts_with(size);
}

/// Whether a goal is of this: "softmax 8192 × 512", not "softmax with entropy"; nor of another
/// number of threads.
bool is_of(const Goal& goal, const Name& name) {
  if (!name.work.starts_with(goal.work) || !name.way.starts_with(goal.way)) return false;
  const auto rest = std::string_view(name.work).substr(goal.work.size());
  return !rest.starts_with(" with") && !rest.ends_with(all_threads) && !is_series(name.work);
}

/// Theirs over ours in each round; ours over what memory alone takes.
std::vector<double> ratios_of(const std::vector<Round>& rounds, const Name& name) {
  const auto own = fmt::format("{}/{}", name.work, ours),
             other = fmt::format("{}/{}", name.work, name.way);
  return name.way == limit ? ratios(rounds, own, other) : ratios(rounds, other, own);
}

std::string table_of_goals(const std::vector<Round>& rounds, const std::vector<Goal>& goals) {
  auto table = Table::headed("Work|Beside|Ratio:|Goal:|");
  for (const auto& goal : goals) {
    const auto found = std::ranges::find_if(
        rounds.front(), [&](const auto& one) { return is_of(goal, name_of(one.first)); });
    if (found == rounds.front().end())
      throw std::invalid_argument(fmt::format("no round has {}/{}", goal.work, goal.way));
    const auto name = name_of(found->first);
    const bool is_limit = name.way == limit;
    const double ratio = median(ratios_of(rounds, name));
    const bool is_reached = is_limit ? ratio <= goal.ratio : ratio >= goal.ratio;
    table.row({name.work, is_limit ? "memory" : name.way, report::significant(ratio, 3),
               fmt::format("{} {}", is_limit ? "≤" : "≥", goal.ratio),
               is_reached ? "reached" : "missed"});
  }
  return table.markdown();
}

/// Of the ways that are chosen: median, least and greatest of the ratio to ours, or of ours to it.
std::string table_of_ways(const std::vector<Round>& rounds, bool of_limits) {
  auto table = Table::headed(of_limits ? "Work|Our time over it:|Least:|Greatest:"
                                       : "Work|Way|Its time over ours:|Least:|Greatest:");
  for (const auto& [both, time] : rounds.front()) {
    const auto name = name_of(both);
    if (name.way == ours || (name.way == limit) != of_limits || is_series(name.work)) continue;
    const auto all = ratios_of(rounds, name);
    std::vector<std::string> cells{name.work};
    if (!of_limits) cells.push_back(name.way);
    for (const double one : {median(all), all.front(), all.back()})
      cells.push_back(report::significant(one, 2));
    table.row(cells);
  }
  return table.markdown();
}

/// Times of works whose names begin so, a row for each number behind the slash: over that of the
/// smallest number, or over that of the work `base` at the same one.
std::string table_of_series(const std::vector<Round>& rounds, const std::string& heading,
                            std::string_view prefix, const std::string& base) {
  std::set<std::string> works;
  std::set<std::uint64_t> numbers;
  for (const auto& [both, time] : rounds.front())
    if (const auto [work, number] = name_of(both); work.starts_with(prefix)) {
      numbers.insert(std::stoull(number));
      if (work != base) works.insert(work);
    }
  if (numbers.empty()) throw std::invalid_argument(fmt::format("a round has no {}", prefix));
  std::string columns = heading + ":";
  for (const auto& work : works) columns += "|" + work.substr(prefix.size()) + ":";
  auto table = Table::headed(columns);
  for (const auto number : numbers) {
    std::vector<std::string> cells{report::count(number)};
    for (const auto& work : works)
      cells.push_back(report::significant(
          median(ratios(rounds, fmt::format("{}/{}", work, number),
                        base.empty() ? fmt::format("{}/{}", work, *numbers.begin())
                                     : fmt::format("{}/{}", base, number))),
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
    const auto parts = report::split(file, '.');
    auto& round = rounds[std::string(parts.at(0))];
    const auto measured = report::read_json(entry.path());
    for (const auto& one : measured.at("benchmarks")) {
      auto name = one.at("name").get<std::string>();
      if (const auto end = name.find("/real_time"); end != name.npos) name.resize(end);
      const auto [work, way] = name_of(name);
      const auto time = one.at("real_time").get<double>();
      const bool is_ours = way == ours;
      const auto put = [&](const std::string& of, std::string_view by, std::string_view more) {
        round[fmt::format("{}/{}{}", of, by, more)] = time;
      };
      if (parts.at(1) == "one") put(work, way, "");
      if (parts.at(1) == "all") put(work + std::string(all_threads), way, "");
      if (parts.at(1) == "all" && is_ours) put(work, way, all_threads);
      if (parts.at(1) == "AVX2" && is_ours) put(work, way, avx2);
    }
  }
  std::vector<Round> all;
  for (auto& [number, round] : rounds) all.push_back(std::move(round));
  return all;
}

std::vector<Goal> read_goals(const std::filesystem::path& file) {
  std::vector<Goal> goals;
  const auto works = report::read_json(file);
  for (const auto& one : works.at("goals"))
    goals.push_back({one.at("work").get<std::string>(), one.at("way").get<std::string>(),
                     one.at("ratio").get<double>()});
  return goals;
}

std::string page(const std::vector<Round>& rounds, const std::vector<Goal>& goals,
                 const report::Words& words, const std::string& machine) {
  if (rounds.empty()) throw std::invalid_argument("there are no rounds");
  auto introduction = words.introduction();
  for (const auto& [field, value] :
       {std::pair("{machine}", machine), {"{rounds}", std::to_string(rounds.size())}})
    if (const auto at = introduction.find(field); at != introduction.npos)
      introduction.replace(at, std::string_view(field).size(), value);
  const auto part = [&](const char* name) { return words.part("tables", name) + "\n\n"; };
  const auto base = std::string(size) + std::string(limit);
  return fmt::format("{}# {}\n\n{}\n\n", report::generated_note, words.title(), introduction) +
         part("goals") + table_of_goals(rounds, goals) + "\n" + part("ways") +
         table_of_ways(rounds, false) + "\n" + part("limits") + table_of_ways(rounds, true) + "\n" +
         part("sizes") + table_of_series(rounds, "Numbers", size, base) + "\n" + part("growth") +
         table_of_series(rounds, "d", growth, "");
}

}  // namespace embedscale::performance
