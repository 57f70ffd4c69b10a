#pragma once
// The systems of the atlas behind their sum; and what ε makes of up against down, in closed form.
#include <embedscale/expected/normalization.hpp>

#include <cstdint>

#include "normalization/sections.hpp"

namespace embedscale::normalization_analysis {

/// What each system's sum goes through first.
void measure_first_layers(Section& s);

/// What ε makes of up against down in each system whose ε, even width and kind of norm are known.
///
/// Errors    std::invalid_argument where there is none.
void measure_epsilons_of_systems(Section& s);

/// "under the root", "beside the root".
const char* name_of(EpsilonPlacement placement);
/// The mean square that a norm of this kind divides √d·e + p by: e of deviation sigma, sinusoids
/// over positions 0 … L−1.
double mean_square_up(std::uint64_t d, expected::Norm::Kind kind, double sigma,
                      std::uint64_t length);
/// 1 − RMS of what comes out for that input divided by √d over that for itself.
double deviation_down(double mean_square, const expected::Norm& norm, std::uint64_t d);

}  // namespace embedscale::normalization_analysis
