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

using namespace report;
using namespace properties::porting;
using cli::Options, cli::points;

inline const Primitives primitives;
inline constexpr const char* exhaustive = "exhaustive";

}  // namespace embedscale::porting_analysis
