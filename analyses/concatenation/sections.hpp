#pragma once
// What the sections share, of the claims about sums and concatenations.
#include <embedscale/random.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <vector>

#include "cli/options.hpp"
#include "properties/concatenation/claims.hpp"
#include "properties/concatenation/sums.hpp"
#include "report/section.hpp"

namespace embedscale::concatenation_analysis {

using namespace report;
using namespace properties::concatenation;
using cli::Options, cli::points, cli::said_of;

/// What vocabulary and length are where none is told: those of the paper's translation models, and
/// a length of its time.
inline constexpr std::uint64_t paper_vocabulary = 37000, usual_length = 512;

}  // namespace embedscale::concatenation_analysis
