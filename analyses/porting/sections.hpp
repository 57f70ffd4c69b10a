#pragma once
// What the sections share, of the claims about ports.
#include <algorithm>
#include <array>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "cli/options.hpp"
#include "properties/porting/claims.hpp"
#include "properties/porting/primitives.hpp"
#include "report/section.hpp"

namespace embedscale::porting_analysis {

using namespace properties::porting;
using cli::Options, cli::points;
using report::axis, report::Greatest, report::over, report::Place, report::Section, report::Tally,
    report::Value, report::Values;

inline const Primitives primitives;
inline constexpr const char* exhaustive = "exhaustive";

}  // namespace embedscale::porting_analysis
