#pragma once
// A measured figure, with all that is needed to cite it and to judge by it.
#include "properties/evidence/verdict.hpp"

#include <cstdint>
#include <optional>
#include <string>

#include "report/digits.hpp"
#include "report/place.hpp"
#include "report/value.hpp"

namespace embedscale::report {

/// How a value must stand to its reference for the obligation to be met.
enum class Relation { equals, at_most, at_least };

/// The obligation that a measurement settles, if any.
struct Rule {
  properties::Part part;
  Relation relation;
  double reference;
  std::uint64_t expected;  ///< how many cases had to be looked at
};

inline constexpr const char* counted = "count";  ///< properties::counted

/// The count is of none of the cases …
inline Rule none_of(properties::Part part, std::uint64_t cases) {
  return {part, Relation::equals, 0, cases};
}
/// … of at least one …
inline Rule some_of(properties::Part part, std::uint64_t cases) {
  return {part, Relation::at_least, 1, cases};
}
/// … of all.
inline Rule all_of(properties::Part part, std::uint64_t cases) {
  return {part, Relation::at_least, static_cast<double>(cases), cases};
}
inline Rule at_most(properties::Part part, double reference, std::uint64_t cases) {
  return {part, Relation::at_most, reference, cases};
}
inline Rule at_least(properties::Part part, double reference, std::uint64_t cases) {
  return {part, Relation::at_least, reference, cases};
}

struct Measurement {
  std::string quantity;       ///< one of the claim's `measures`
  Place at = {};              ///< {{"format", "binary16"}, {"d_model", 512}}
  double value = 0.0;         ///< written to `digits` significant digits
  std::uint64_t samples = 0;  ///< cases evaluated
  std::string method;         ///< "exact", "exhaustive", "directed draws", …
  std::string unit = "1";
  std::optional<Rule> rule = {};
  int digits = 4;
  std::optional<double> lower = {}, upper = {}, confidence = {};
  std::optional<double> reference = {};  ///< what the value is compared with
  bool published = true;                 ///< a row of results.json
  Standing standing = Standing::fixed;

  Known known() const { return {value, lower, upper, confidence}; }
  /// Whether the value stands to its reference as the rule wants.  Requires a rule.
  bool met() const {
    if (rule->relation == Relation::equals) return value == rule->reference;
    return rule->relation == Relation::at_most ? value <= rule->reference
                                               : value >= rule->reference;
  }
};

}  // namespace embedscale::report
