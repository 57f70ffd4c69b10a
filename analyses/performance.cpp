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

/// "≥ 10, missed", and which it was of the goals.
std::string told(const std::vector<Goal>& goals, const Name& of, bool of_limits, double ratio,
                 std::vector<bool>& met) {
  for (std::size_t i = 0; i < goals.size(); ++i) {
    const auto& goal = goals[i];
    if (!of.work.starts_with(goal.work) || !of.way.starts_with(goal.way)) continue;
    // "softmax 8192 × 512" and not "softmax with entropy"; nor another number of threads.
    const auto rest = std::string_view(of.work).substr(goal.work.size());
    if (rest.starts_with(" with") ||
        (rest.ends_with(all_threads) && !goal.work.ends_with(all_threads)))
      continue;
    met[i] = true;
    return fmt::format(
        "{} {}, {}", of_limits ? "≤" : "≥", goal.ratio,
        (of_limits ? ratio <= goal.ratio : ratio >= goal.ratio) ? "reached" : "missed");
  }
  return "";
}

/// Of the ways that are chosen: median, least and greatest of the ratio to ours, or of ours to it.
std::string table_of_ways(const std::vector<Round>& rounds, const std::vector<Goal>& goals,
                          const std::string& heading, bool of_limits, std::vector<bool>& met) {
  auto table = Table::headed("Work|Way|" + heading + ":|Goal|Least:|Greatest:");
  for (const auto& [both, time] : rounds.front()) {
    const auto [work, way] = name_of(both);
    if (way == ours || (way == limit) != of_limits || is_series(work)) continue;
    const auto own = work + "/" + std::string(ours);
    const auto all = of_limits ? ratios(rounds, own, both) : ratios(rounds, both, own);
    const auto text = [](double x) { return report::significant(x, 2); };
    table.row({work, way, text(median(all)), told(goals, {work, way}, of_limits, median(all), met),
               text(all.front()), text(all.back())});
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
  std::vector<bool> met(goals.size());
  const auto ways = table_of_ways(rounds, goals, "Its time over ours", false, met);
  const auto limits = table_of_ways(rounds, goals, "Our time over it", true, met);
  if (const auto none = std::ranges::find(met, false); none != met.end()) {
    const auto& goal = goals[static_cast<std::size_t>(none - met.begin())];
    throw std::invalid_argument(fmt::format("no round has {}/{}", goal.work, goal.way));
  }
  return fmt::format("{}# {}\n\n{}\n\n", report::generated_note, words.title(), introduction) +
         part("ways") + ways + "\n" + part("limits") + limits + "\n" + part("sizes") +
         table_of_series(rounds, "Numbers", size, std::string(size) + std::string(limit)) + "\n" +
         part("growth") + table_of_series(rounds, "d", growth, "");
}

}  // namespace embedscale::performance
