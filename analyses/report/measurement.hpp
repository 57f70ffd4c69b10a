#pragma once
// A measured figure, with all that is needed to cite it and to judge by it.
#include <embedscale/properties/evidence/verdict.hpp>

#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>

namespace embedscale::report {

using Json = nlohmann::ordered_json;

/// How a value must stand to its reference for the obligation to be met.
enum class Relation { equals, at_most, at_least };

/// The obligation that a measurement settles, if any.
struct Rule {
  properties::Part part;
  Relation relation;
  double reference;
  std::uint64_t expected;  ///< how many cases had to be looked at
};

/// The unit of a count, which is exact and shown in full.
inline constexpr const char* counted = "count";

struct Measurement {
  std::string quantity;       ///< one of the claim's `measures`
  Json at = Json::object();   ///< where: {"format": "binary16", "d": 512}
  double value = 0.0;         ///< committed to `digits` significant digits
  std::uint64_t samples = 0;  ///< cases evaluated
  std::string method;         ///< "exact", "exhaustive", "directed draws", …
  std::string unit = "1";
  std::optional<Rule> rule = {};
  std::string field = {};  ///< its name in the topic's words, if they use it
  int digits = 4;
  std::optional<double> lower = {}, upper = {}, confidence = {};

  /// Whether the value stands to its reference as the rule wants.  Requires a rule.
  bool met() const;
};

/// The value as sentences show it: counts grouped, all else to its significant digits.
std::string shown(const Measurement& m);

/// The row of results.json: the value rounded to what is committed to, a non-finite one as a
/// string.
Json to_json(const Measurement& m);

}  // namespace embedscale::report
