#include "score.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <regex>
#include <stdexcept>

#include "../evidence/proportion.hpp"

namespace embedscale::properties::mutation {

NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Result, id, fate, by, tried)

namespace {

/// Both tails of the interval of a score together.
constexpr double interval_alpha = 0.05;
constexpr double least_score = 0.95;

}  // namespace

std::string text_of(const Result& result) { return nlohmann::json(result).dump(); }
Result result_in(const std::string& text) { return nlohmann::json::parse(text).get<Result>(); }

Equivalents parse_equivalents(std::string text) {
  static const std::regex comment("(^|\n)#[^\n]*"), entry("(^|\n)(\\S+#\\w+)((?:\n +[^\n]+)+)");
  text = std::regex_replace(text, comment, "$1");
  Equivalents argued;
  for (std::sregex_iterator match(text.begin(), text.end(), entry), end; match != end; ++match)
    if (!argued.emplace(match->str(2), without_blanks(match->str(3))).second)
      throw std::invalid_argument("equivalent mutants: twice: " + match->str(2));
  const auto rest = without_blanks(std::regex_replace(text, entry, ""));
  if (!rest.empty())
    throw std::invalid_argument("equivalent mutants: neither an id nor its reason: " + rest);
  return argued;
}

Json tally(const std::vector<Result>& results, const Equivalents& argued) {
  std::map<MutantStatus, std::uint64_t> of;
  std::uint64_t equivalent = 0;
  for (const auto& result : results) {
    const bool is_equivalent = result.fate == MutantStatus::survived && argued.contains(result.id);
    ++(is_equivalent ? equivalent : of[result.fate]);
  }
  const auto dead = of[MutantStatus::killed] + of[MutantStatus::timed_out],
             judged = dead + of[MutantStatus::survived];
  const auto [lower, upper] = evidence::clopper_pearson(judged, dead, interval_alpha);
  return {{"mutants", results.size()},
          {"killed", of[MutantStatus::killed]},
          {"timed_out", of[MutantStatus::timed_out]},
          {"survived", of[MutantStatus::survived]},
          {"equivalent", equivalent},
          {"invalid", of[MutantStatus::invalid]},
          {"score", judged == 0 ? 1.0 : static_cast<double>(dead) / static_cast<double>(judged)},
          {"lower", lower},
          {"upper", upper}};
}

Json score(const std::vector<Result>& results, const std::vector<Mutant>& order,
           const Equivalents& argued, std::uint64_t seed) {
  std::map<std::string, std::vector<Result>> by_file;
  Json unexplained = Json::array(), killed_equivalents = Json::array();
  for (const auto& result : results) {
    by_file[result.file()].push_back(result);
    const bool listed = argued.contains(result.id);
    if (listed ? !result.is_dead() : result.fate != MutantStatus::survived) continue;
    const auto mutant = std::ranges::find(order, result.id, &Mutant::id);
    (listed ? killed_equivalents : unexplained)
        .push_back({{"id", mutant->id},
                    {"line", mutant->line},
                    {"column", mutant->column},
                    {"operator", name_of(mutant->edit.op)},
                    {"before", mutant->before},
                    {"after", mutant->after},
                    {"by", result.by}});
  }
  Json headers = Json::array();
  for (const auto& [file, some] : by_file) {
    headers.push_back({{"header", file}});
    headers.back().update(tally(some, argued));
  }
  return {{"seed", seed},
          {"population", order.size()},
          {"interval_alpha", interval_alpha},
          {"least_score", least_score},
          {"total", tally(results, argued)},
          {"headers", headers},
          {"unexplained", unexplained},
          {"killed_equivalents", killed_equivalents}};
}

bool passes(const Json& score) {
  const auto& total = score.at("total");
  return total.at("mutants") > total.at("invalid") && score.at("unexplained").empty() &&
         score.at("killed_equivalents").empty();
}

std::string summary(const Json& score) {
  const auto& total = score.at("total");
  const auto percent = [&](const char* key) { return 100 * total.at(key).get<double>(); };
  std::string text;
  for (const char* count : {"mutants", "killed", "timed_out", "survived", "equivalent", "invalid"})
    text += fmt::format("{:10} {}\n", count, total.at(count).dump());
  text +=
      fmt::format("score      {:.1f} %, 95 % interval [{:.1f}, {:.1f}]; of {} mutants, seed {}\n",
                  percent("score"), percent("lower"), percent("upper"),
                  score.at("population").dump(), score.at("seed").dump());
  for (const auto& one : score.at("unexplained"))
    text += "\nsurvived: " + one.at("id").get<std::string>() + "\n";
  for (const auto& one : score.at("killed_equivalents"))
    text += fmt::format("\nargued equivalent, but killed by {}: {}\n",
                        one.at("by").get<std::string>(), one.at("id").get<std::string>());
  return text;
}

std::string counted(const Json& tally) {
  std::string text;
  for (const char* key : {"killed", "timed_out", "survived", "equivalent", "invalid"})
    if (tally.at(key) > 0)
      text += fmt::format("{}{} {}", text.empty() ? "" : ", ", tally.at(key).dump(), key);
  return text;
}

}  // namespace embedscale::properties::mutation
