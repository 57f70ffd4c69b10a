#pragma once
// Rows of results.json, as far as what is made of them looks at them.
#include <string>
#include <utility>

#include "report/json.hpp"

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
