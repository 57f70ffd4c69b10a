#pragma once
// What the sections share, of the claims about norms and blocks.
#include <embedscale/block.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "cli/options.hpp"
#include "properties/normalization/claims.hpp"
#include "report/section.hpp"

namespace embedscale::normalization_analysis {

using namespace report;
using namespace properties::normalization;
using cli::Options, cli::points;

/// The deviation of the token table: d^−½.
inline double usual_sigma(std::uint64_t d) { return 1 / std::sqrt(static_cast<double>(d)); }

inline const char* name_of(NormKind kind) {
  return kind == NormKind::layer_norm ? "LayerNorm" : "RMSNorm";
}
inline const char* name_of(EpsilonPlacement placement) {
  return placement == EpsilonPlacement::variance ? "under the root" : "beside the root";
}

}  // namespace embedscale::normalization_analysis
