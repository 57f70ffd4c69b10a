#pragma once
// What the parts of the section about the lost part share.
#include "properties/precision/lost_sum.hpp"

#include "cli/options.hpp"
#include "properties/precision/claims.hpp"
#include "report/section.hpp"

namespace embedscale::precision_analysis::lost {

using namespace report;
using namespace properties::precision::lost_sum;
using properties::evidence::Interval;

inline const Primitives primitives;
/// At the ratios of the atlas.
///
/// Errors    FileError.
void measure_systems(Section& s, const cli::Options& options);

}  // namespace embedscale::precision_analysis::lost
