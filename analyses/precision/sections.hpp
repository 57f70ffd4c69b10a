#pragma once
// What the sections share, of the claims about low precision: each of them has a namespace of its
// own, as its properties have.
#include <algorithm>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "cli/options.hpp"
#include "properties/precision/claims.hpp"
#include "report/loops.hpp"
#include "report/section.hpp"

namespace embedscale::precision_analysis {

using namespace report;
using cli::Options, cli::points;

inline constexpr const char* exhaustive = "exhaustive";

namespace limits {
/// Of overflow_limits: the real systems, by the audit.
void measure_range_of_systems(Section& s);
}  // namespace limits

}  // namespace embedscale::precision_analysis
