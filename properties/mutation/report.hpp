#pragma once
// A verdict as text for people and as JSON for the page that shows it.
#include <boost/format.hpp>

#include <cmath>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>

#include "score.hpp"

namespace embedscale::properties::mutation {

using Json = nlohmann::ordered_json;

/// What was asked for: it is printed and recorded with what came out.
struct Asked {
  std::uint64_t seed = 0;
  std::uint64_t population = 0;   ///< mutants that there are, of the headers asked for
  std::uint64_t equivalents = 0;  ///< of these, argued equivalent
  double least_score = 0.95;
};

namespace detail {
inline std::string row(const std::string& name, const Tally& tally) {
  const auto [lower, upper] = tally.interval();
  return str(boost::format("%-30s%11d%11d%11d%11d%11d%11d%9.1f  [%.1f, %.1f]\n") % name %
             tally.mutants % tally.killed % tally.timed_out % tally.survived % tally.equivalent %
             tally.invalid % (100 * tally.score()) % (100 * lower) % (100 * upper));
}

inline Json with_counts(Json object, const Tally& tally) {
  const auto [lower, upper] = tally.interval();
  object.update({{"mutants", tally.mutants},
                 {"killed", tally.killed},
                 {"timed_out", tally.timed_out},
                 {"survived", tally.survived},
                 {"equivalent", tally.equivalent},
                 {"invalid", tally.invalid},
                 {"score", tally.score()},
                 {"lower", lower},
                 {"upper", upper}});
  return object;
}

inline Json in_json(const std::vector<Result>& results) {
  Json list = Json::array();
  for (const auto& [mutant, fate, by, seconds] : results)
    list.push_back({{"id", mutant.id},
                    {"line", mutant.line},
                    {"column", mutant.column},
                    {"operator", name_of(mutant.edit.op)},
                    {"before", mutant.before},
                    {"after", mutant.after},
                    {"by", by}});
  return list;
}
}  // namespace detail

/// A mutant as a difference.
inline std::string difference(const Mutant& mutant) {
  return mutant.place() + "  " + mutant.id + "\n  - " + mutant.before + "\n  + " + mutant.after +
         "\n";
}

inline std::string table(const Verdict& verdict, const Asked& asked) {
  const auto tried = verdict.total.mutants;
  std::string text =
      "header                            mutants     killed  timed out   survived equivalent"
      "    invalid  score %  95 % interval\n";
  for (const auto& [header, tally] : verdict.by_header) text += detail::row(header, tally);
  text += detail::row("all of these", verdict.total);
  text += str(boost::format("%d of %d mutants tried, seed %d; %.1f seconds of a processor each\n") %
              tried % asked.population % asked.seed %
              (verdict.seconds / std::max(static_cast<double>(tried), 1.0)));
  for (const auto& result : verdict.unexplained) text += "\nsurvived: " + difference(result.mutant);
  for (const auto& result : verdict.killed_equivalents)
    text += "\nargued equivalent, but killed by " + result.by + ": " + difference(result.mutant);
  return text;
}

inline Json json(const Verdict& verdict, const Asked& asked) {
  Json headers = Json::array();
  for (const auto& [header, tally] : verdict.by_header)
    headers.push_back(detail::with_counts({{"header", header}}, tally));
  return {{"seed", asked.seed},
          {"population", asked.population},
          {"argued_equivalent", asked.equivalents},
          {"interval_alpha", interval_alpha},
          {"least_score", asked.least_score},
          {"processor_seconds", std::lround(verdict.seconds)},
          {"total", detail::with_counts(Json::object(), verdict.total)},
          {"headers", headers},
          {"unexplained", detail::in_json(verdict.unexplained)},
          {"killed_equivalents", detail::in_json(verdict.killed_equivalents)}};
}

}  // namespace embedscale::properties::mutation
