#pragma once
// What is measured of each claim about norms and blocks, and where.
#include <embedscale/block.hpp>

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

void absorbs_the_factor(Section& s, const Options& options);
void epsilon_is_rescaled(Section& s, const Options& options);
void post_norm_block(Section& s, const Options& options);
void pre_norm_block(Section& s, const Options& options);

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

}  // namespace embedscale::normalization_analysis
