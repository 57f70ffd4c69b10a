#include "report/measurement.hpp"

#include "report/table.hpp"

namespace embedscale::report {
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

}  // namespace embedscale::report
