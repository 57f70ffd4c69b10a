#pragma once
// What the sections share, of the claims about norms and blocks; the systems of the atlas behind
// their sum; and what ε makes of up against down, in closed form.
#include <embedscale/block.hpp>
#include <embedscale/expected/normalization.hpp>

#include <cmath>
#include <cstdint>
#include <optional>
#include <vector>

#include "cli/options.hpp"
#include "properties/normalization/claims.hpp"
#include "report/section.hpp"

namespace embedscale::normalization_analysis {

using namespace report;
using cli::Options;
using cli::points;

/// What was told of an option, or that nothing was.
template <class T>
std::vector<std::optional<T>> told_or_usual(const std::vector<T>& told) {
  if (told.empty()) return {std::nullopt};
  return {told.begin(), told.end()};
}

/// The deviation of the token table: as told, or d^−½.
inline double sigma_of(std::optional<double> told, std::uint64_t d) {
  return told.value_or(1 / std::sqrt(static_cast<double>(d)));
}

inline const char* name_of(NormKind kind) {
  return kind == NormKind::layer_norm ? "LayerNorm" : "RMSNorm";
}
inline const char* name_of(expected::Norm::Kind kind) {
  return kind == expected::Norm::Kind::layer_norm ? "LayerNorm" : "RMSNorm";
}

/// Of all blocks that the options ask for, one for each model that is drawn there.
///
/// Errors    std::invalid_argument where heads do not divide a width.
double multiplications_of_blocks(const Options& options);

/// What a post-norm block as it starts makes of a factor, by treatment, width, ε and factor.
void measure_post_norm_starts(Section& s, const Options& options);

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
