#pragma once
// Rows of results.json, as far as what is made of them looks at them, and as the answer reads them.
#include <string>

#include "report/json.hpp"
#include "texts.hpp"

namespace embedscale {

using report::Json;

inline Json measured(const std::string& system, const Json& ratio) {
  return {{"quantity", "ratio"},
          {"unit", "1"},
          {"method", "closed form"},
          {"samples", 0},
          {"at", {{"d", 64}}},
          {"axes", Json::array({"system"})},
          {"columns", Json::array({"value"})},
          {"rows", Json::array({Json::array({system, ratio})})}};
}

/// A claim's, with what goes with its verdict.
inline Json settled(const std::string& id, const std::string& verdict = "true") {
  const std::string topic = id.substr(0, id.find('.'));
  const auto where = [](bool is_so, const char* text) { return is_so ? Json(text) : Json(); };
  return {{"id", id},
          {"topic", topic},
          {"status", "evaluated"},
          {"finding", "Found is " + id},
          {"belief", "It is " + id + "."},
          {"states", "it is exactly"},
          {"verdict", verdict},
          {"condition", where(verdict.ends_with(" if"), "d is even")},
          {"premise", where(verdict.starts_with("premise"), "it is large.")},
          {"counterexample", where(verdict == "false", "d = 3: 1 against 2")},
          {"summary", "So it is. In two sentences."},
          {"kind", "exact"},
          {"evaluated", 12},
          {"obligations", 12},
          {"tests", {"a.b", "a.c"}},
          {"mutants", {{"killed", 3}, {"total", 3}}},
          {"anchor", topic + ".md#" + id},
          {"asked_in", {"S0", "S1"}},
          {"fields", {{"share", "12.5"}, {"systems", "14"}}},
          {"measurements", {measured("one", 1.5), measured("two", "∞")}}};
}

/// a.true, a.condition (true if), a.false, a.open, and two of which only the premise is settled:
/// a.premise, a.premise_if.
inline Json few_claims() {
  return {{"version", "0.1.0"},
          {"claims",
           {settled("a.true", "true"), settled("a.condition", "true if"),
            settled("a.false", "false"), settled("a.open", "open"),
            settled("a.premise", "premise true"), settled("a.premise_if", "premise true if")}}};
}

}  // namespace embedscale
