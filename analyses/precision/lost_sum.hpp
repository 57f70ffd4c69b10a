#pragma once
// What the parts of the section about the lost part share.
#include "properties/precision/lost_sum.hpp"

#include <cstddef>

#include "cli/options.hpp"
#include "properties/precision/claims.hpp"
#include "report/section.hpp"

namespace embedscale::precision_analysis::lost {

using namespace report;
using namespace properties::precision::lost_sum;
using properties::Part;

inline const Primitives primitives;
inline constexpr std::size_t phases = 64;
inline constexpr const char* summed = "summed over the tokens of the format";

inline Positions scaled(Positions positions, double factor) {
  for (double& p : positions.values) p *= factor;
  return positions;
}

/// At the ratios of the atlas.
///
/// Errors    FileError.
void measure_systems(Section& s, const cli::Options& options);

}  // namespace embedscale::precision_analysis::lost
