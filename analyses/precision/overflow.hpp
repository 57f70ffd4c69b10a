#pragma once
// What the two sources of precision.overflow_limits share: thresholds, and the systems.
#include "properties/precision/overflow.hpp"
#include "report/section.hpp"

namespace embedscale::precision_analysis::limits {

template <class Real>
report::Place in_format() {
  return {{"format", FormatTraits<Real>::name}};
}

/// How far the systems that scale stay away from overflow at their start, up, and what they lose at
/// the other end, down.
void measure_range_of_systems(report::Section& s);

}  // namespace embedscale::precision_analysis::limits
