#pragma once
// Blocks as they start: where they are run, how many of them are drawn there, and what these tell.
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "normalization/sections.hpp"
#include "properties/normalization/initial_block.hpp"

namespace embedscale::normalization_analysis {

/// The widths of blocks, where none are told.
inline const std::vector<std::uint64_t> usual_widths{16, 32, 64, 128, 256};
/// The factors of a figure.
inline constexpr double powers_of_two[] = {0x1p-6, 0x1p-5, 0x1p-4, 0x1p-3, 0x1p-2, 0x1p-1, 1,
                                           2,      4,      8,      16,     32,     64};

/// A shape of blocks and their input.
struct Setup {
  BlockShape shape;
  properties::normalization::InitialTokens start;
  Place told;  ///< heads, positions and σ, as far as they were told

  /// Multiplications of one block.
  double products() const;
  /// How many models are drawn: at the usual number of samples 16 at 256 channels and 16 tokens,
  /// and more of smaller ones, whose figures scatter more, in proportion to the samples; 4 at
  /// least.
  std::uint64_t draws(std::uint64_t samples) const;
  /// A quarter of them for a curve's points, which are many; 4 at least.
  std::uint64_t draws_of_curve(std::uint64_t samples) const;
  /// `at`, with the width and what was told.
  Place on(Place at) const;
};

/// At the widths told, or `otherwise`: each number of heads (or at most 8 that divide the width),
/// of tokens (or 16) and each deviation of the table (or d^−½); d_ff = 4d.
///
/// Errors    std::invalid_argument where heads that were told do not divide a width.
std::vector<Setup> setups(const Options& options, const std::vector<std::uint64_t>& otherwise);

/// Of all blocks that the options ask for, one for each model that is drawn there.
///
/// Errors    as setups.
double multiplications_of_blocks(const Options& options);

/// A stream of random numbers of one drawn model.
Stream stream_of(const Options& options, const std::string& what, std::uint64_t draw);

/// What one drawn model tells of a quantity at a place.
struct Figure {
  const char* quantity;
  Place at;
  double value;
  std::optional<double> over = {};  ///< the quotient of both means is measured
};
using Figures = std::vector<Figure>;

/// Measures the means over n drawn models, made on all processors: each has the same figures, which
/// rounding may have made so much too large or too small.
void measure_means(Section& s, const std::string& method, std::uint64_t n,
                   const std::function<Figures(std::uint64_t draw)>& of, double rounding = 0);

}  // namespace embedscale::normalization_analysis
