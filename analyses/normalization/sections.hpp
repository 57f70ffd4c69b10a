#pragma once
// What the sections share, of the claims about norms and blocks; the systems of the atlas behind
// their sum; and what ε makes of up against down, in closed form.
#include <embedscale/block.hpp>
#include <embedscale/expected/normalization.hpp>

#include <cmath>
#include <cstdint>
#include <vector>

#include "cli/options.hpp"
#include "properties/normalization/claims.hpp"
#include "report/section.hpp"

namespace embedscale::normalization_analysis {

using namespace report;
using cli::Options;
using cli::points;
using properties::Part;

/// Widths that sines and cosines fill: those told, or `otherwise`.
///
/// Errors    std::invalid_argument for one that is odd, 0 or above `most`.
std::vector<std::uint64_t> even_widths(const Options& options,
                                       const std::vector<std::uint64_t>& otherwise,
                                       std::uint64_t most);

/// Widths of blocks that are run: those told, or `otherwise`; even, to 1024.
std::vector<std::uint64_t> block_widths(const Options& options,
                                        const std::vector<std::uint64_t>& otherwise);

/// A block of d channels: the heads told, or at most 8 that divide it, and d_ff = 4d.
///
/// Errors    std::invalid_argument where the heads told do not divide d.
BlockShape block_shape(const Options& options, std::uint64_t d);

/// Tokens that a block sees, at positions 0 …: those told, or 16.
///
/// Errors    std::invalid_argument above 256.
std::size_t tokens_of(const Options& options);

/// The deviation of the token table: the first told, or d^−½.
inline double sigma_of(const Options& options, std::uint64_t d) {
  return options.deviations.empty() ? 1 / std::sqrt(static_cast<double>(d)) : options.deviations[0];
}

inline const char* name_of(NormKind kind) {
  return kind == NormKind::layer_norm ? "LayerNorm" : "RMSNorm";
}
inline const char* name_of(expected::Norm::Kind kind) {
  return kind == expected::Norm::Kind::layer_norm ? "LayerNorm" : "RMSNorm";
}

/// A power of two from 2^−8 to 2^8, the k-th by turns.
inline double power_of_two(std::uint64_t k) {
  return std::ldexp(1.0, static_cast<int>(k % 17) - 8);
}
/// √2^−12 … √2^12, the factors of a figure.
std::vector<double> powers_of_root_2();

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
