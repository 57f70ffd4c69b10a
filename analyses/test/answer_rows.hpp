#pragma once
// Rows of results.json as the answer reads them, and words that stand on them.
#include <string>

#include "report/measurement.hpp"
#include "texts.hpp"

namespace embedscale {

using report::Json;

inline Json measured(const std::string& system, const Json& ratio) {
  Json row = {{"quantity", "ratio"},     {"at", {{"system", system}, {"d", 64}}},
              {"value", ratio},          {"samples", 0},
              {"method", "closed form"}, {"unit", "1"}};
  for (const char* key : {"reference", "lower", "upper", "confidence"}) row[key] = nullptr;
  return row;
}

inline Json settled_row(const std::string& id, const std::string& verdict) {
  const std::string topic = id.substr(0, id.find('.'));
  return {{"id", id},
          {"topic", topic},
          {"status", "evaluated"},
          {"finding", "Found is " + id},
          {"belief", "It is " + id + "."},
          {"verdict", verdict},
          {"condition", verdict.ends_with(" if") ? Json("d is even") : Json()},
          {"premise", verdict.starts_with("premise") ? Json("it is large.") : Json()},
          {"counterexample", verdict == "false" ? Json("d = 3: 1 against 2") : Json()},
          {"summary", "So it is. In two sentences."},
          {"fields", {{"share", "12.5"}, {"systems", "14"}}},
          {"measurements", {measured("one", 1.5), measured("two", "∞")}},
          {"mutants", {{"killed", 3}, {"total", 3}}},
          {"anchor", topic + ".md#" + id}};
}

inline Json planned_row(const std::string& id) {
  auto row = settled_row(id, "open");
  row["status"] = "planned";
  for (const char* key :
       {"finding", "verdict", "condition", "premise", "counterexample", "summary", "anchor"})
    row[key] = nullptr;
  row["fields"] = Json::object();
  return row;
}

/// a.true, a.condition (true if), a.false, a.open, b.planned, and two of which only the premise is
/// settled: a.premise, a.premise_if.
inline Json few_claims() {
  Json all = {{"version", "0.1.0"}, {"claims", Json::array()}};
  all["claims"] = {settled_row("a.true", "true"),
                   settled_row("a.condition", "true if"),
                   settled_row("a.false", "false"),
                   settled_row("a.open", "open"),
                   planned_row("b.planned"),
                   settled_row("a.premise", "premise true"),
                   settled_row("a.premise_if", "premise true if")};
  return all;
}

}  // namespace embedscale
