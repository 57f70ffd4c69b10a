#pragma once
// Rows of results.json, as far as what is made of them looks at them, and as the answer reads them.
#include <string>
#include <utility>

#include "report/json.hpp"
#include "texts.hpp"

namespace embedscale::report {

/// A claim's; any verdict but "true if" goes with it.
inline Json settled(std::string id, Json verdict = "true") {
  const std::string topic = id.substr(0, id.find('.'));
  return {{"id", id},
          {"topic", topic},
          {"status", "evaluated"},
          {"finding", "So it is"},
          {"belief", "It is."},
          {"states", "it is exactly"},
          {"verdict", std::move(verdict)},
          {"condition", nullptr},
          {"premise", nullptr},
          {"counterexample", nullptr},
          {"summary", "It is so, exactly."},
          {"kind", "exact"},
          {"evaluated", 12},
          {"obligations", 12},
          {"tests", {"a.b", "a.c"}},
          {"mutants", {{"killed", 3}, {"total", 3}}},
          {"anchor", topic + ".md#" + id},
          {"asked_in", {"S0", "S1"}}};
}

/// Three claims of a topic, of which one is open, and one of another.
inline Json four_claims() {
  return {{"version", "0.1.0"},
          {"claims",
           {settled("topic.one"), settled("topic.two", "false"), settled("other.one"),
            settled("topic.three", "open")}}};
}

}  // namespace embedscale::report

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

inline Json settled_row(const std::string& id, const std::string& verdict) {
  Json row = report::settled(id, verdict);
  row["finding"] = "Found is " + id;
  row["belief"] = "It is " + id + ".";
  if (verdict.ends_with(" if")) row["condition"] = "d is even";
  if (verdict.starts_with("premise")) row["premise"] = "it is large.";
  if (verdict == "false") row["counterexample"] = "d = 3: 1 against 2";
  row["summary"] = "So it is. In two sentences.";
  row["fields"] = {{"share", "12.5"}, {"systems", "14"}};
  row["measurements"] = {measured("one", 1.5), measured("two", "∞")};
  return row;
}

/// a.true, a.condition (true if), a.false, a.open, and two of which only the premise is settled:
/// a.premise, a.premise_if.
inline Json few_claims() {
  Json all = {{"version", "0.1.0"}, {"claims", Json::array()}};
  all["claims"] = {settled_row("a.true", "true"),
                   settled_row("a.condition", "true if"),
                   settled_row("a.false", "false"),
                   settled_row("a.open", "open"),
                   settled_row("a.premise", "premise true"),
                   settled_row("a.premise_if", "premise true if")};
  return all;
}

}  // namespace embedscale
