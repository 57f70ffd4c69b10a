#include "report/measurement.hpp"

#include <cmath>

#include "report/table.hpp"

namespace embedscale::report {
namespace {

/// nlohmann would write infinities as null, and 0.1f with seventeen digits.
Json number(double value, int digits) {
  if (!std::isfinite(value)) return significant(value, digits);
  return rounded(value, digits);
}

Json number(const std::optional<double>& value, int digits) {
  return value ? number(*value, digits) : Json(nullptr);
}

}  // namespace

bool Measurement::met() const {
  switch (rule->relation) {
    case Relation::equals: return value == rule->reference;
    case Relation::at_most: return value <= rule->reference;
    case Relation::at_least: return value >= rule->reference;
  }
  return false;
}

std::string shown(const Measurement& m) {
  return m.unit == counted ? count(static_cast<std::uint64_t>(m.value))
                           : significant(m.value, m.digits);
}

Json to_json(const Measurement& m) {
  // A count is exact, however many digits it has.
  const int digits = m.unit == counted ? 15 : m.digits;
  return {{"quantity", m.quantity},
          {"at", m.at},
          {"value", number(m.value, digits)},
          {"reference", m.rule ? number(m.rule->reference, digits) : Json(nullptr)},
          {"lower", number(m.lower, digits)},
          {"upper", number(m.upper, digits)},
          {"confidence", number(m.confidence, digits)},
          {"samples", m.samples},
          {"method", m.method},
          {"unit", m.unit}};
}

}  // namespace embedscale::report
