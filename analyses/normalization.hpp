#pragma once
// The sections of the normalization page, one function for each claim, and what they share.
#include <embedscale/properties/domain/rationals.hpp>
#include <embedscale/properties/normalization.hpp>
#include <embedscale/properties/normalization_block.hpp>
#include <embedscale/random.hpp>

#include <array>
#include <cmath>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "cli/options.hpp"
#include "conventions.hpp"
#include "report/section.hpp"

namespace embedscale::normalization_analysis {

using cli::points;
using conventions_analysis::System;
using properties::domain::Rational;

report::Section absorbs_the_factor(const cli::Options& options, const std::vector<System>& all);
report::Section epsilon_is_rescaled(const cli::Options& options, const std::vector<System>& all);
report::Section post_norm_block(const cli::Options& options);
report::Section pre_norm_block(const cli::Options& options);

/// What the sum goes through first, and what ε makes of up against down, over the atlas.
void measure_first_layers(const std::vector<System>& all, report::Section& section);
void measure_epsilons_of(const std::vector<System>& all, const cli::Options& options,
                         report::Section& section);

/// Tables and figures of post_norm_block at initialisation.
void measure_post_norm_sizes(const cli::Options& options, report::Section& section);

/// "under the root", "beside the root".
const char* placement_name(EpsilonPlacement placement);
/// The mean square that a norm of this kind divides √d·e + p by, sinusoids over positions 0 … L−1.
double mean_square_up(std::uint64_t d, expected::Norm::Kind kind, const cli::Options& options);
/// 1 − RMS of what comes out for it divided by √d over that for itself.
double deviation_down(double mean_square, const expected::Norm& norm, std::uint64_t d);

inline constexpr std::array<std::uint64_t, 11> norm_widths{16,   32,   64,   128,  256,  512,
                                                           1024, 2048, 4096, 8192, 16384};
/// Widths of the blocks that are run, and the largest that may be told.
inline constexpr std::array<std::uint64_t, 5> block_widths{16, 32, 64, 128, 256};
inline constexpr std::uint64_t most_block_width = 1024;

/// Widths that sines and cosines fill: those told, or `otherwise`.
///
/// Errors    std::invalid_argument for one that is odd, 0 or above `most`.
template <class Range>
std::vector<std::uint64_t> even_widths(const cli::Options& options, const Range& otherwise,
                                       std::uint64_t most) {
  const auto all = points(options.widths, otherwise);
  for (const auto d : all)
    if (d % 2 != 0 || d == 0 || d > most)
      throw std::invalid_argument(
          "--widths: sinusoids, and blocks that are run, need even widths from 2 to " +
          std::to_string(most));
  return all;
}

/// A block of d channels: the heads told, or at most 8 that divide it, and d_ff = 4d.
///
/// Errors    std::invalid_argument where the heads told do not divide d.
inline BlockShape block_shape(const cli::Options& options, std::uint64_t d) {
  std::uint64_t heads = options.heads.empty() ? 8 : options.heads[0];
  if (!options.heads.empty() && d % heads != 0)
    throw std::invalid_argument("--heads: does not divide d_model = " + std::to_string(d));
  while (d % heads != 0) heads /= 2;
  return {static_cast<std::size_t>(d), static_cast<std::size_t>(heads),
          4 * static_cast<std::size_t>(d)};
}

/// Tokens that a block sees, at positions 0 …: those told, or 16.
///
/// Errors    std::invalid_argument above 256.
inline std::size_t tokens_of(const cli::Options& options) {
  const std::uint64_t n = options.positions.empty() ? 16 : options.positions[0];
  if (n > 256) throw std::invalid_argument("--positions: this page runs blocks, at most 256 here");
  return static_cast<std::size_t>(n);
}

/// The deviation of the token table: the first told, or d^−½.
inline double sigma_of(const cli::Options& options, std::uint64_t d) {
  return options.deviations.empty() ? 1 / std::sqrt(static_cast<double>(d)) : options.deviations[0];
}

/// In how many of the cases 0 … n−1 the test is true, as an obligation that none be.
template <class Test>
report::Measurement none_of(std::string quantity, std::uint64_t n, properties::Part part,
                            std::string method, Test test) {
  report::Measurement m{.quantity = std::move(quantity),
                        .samples = n,
                        .method = std::move(method),
                        .unit = report::counted};
  for (std::uint64_t i = 0; i < n; ++i) m.value += test(i) ? 1 : 0;
  m.rule = report::Rule{part, report::Relation::equals, 0, n};
  return m;
}

/// The worst share of a bound, as an obligation that it be at most 1; a NaN stays.
struct WorstShare {
  double value = 0;
  std::uint64_t cases = 0;
  void add(double share) {
    if (!(share <= value)) value = share;
    ++cases;
  }
  report::Measurement measurement(std::string method, std::string field) const {
    return {.quantity = "worst_share_of_bound",
            .value = value,
            .samples = cases,
            .method = std::move(method),
            .rule = report::Rule{properties::Part::statement, report::Relation::at_most, 1, cases},
            .field = std::move(field),
            .digits = 2};
  }
};

/// Rational k of case i: up to 32 for each case.
class Draws {
 public:
  Draws(std::uint64_t seed, std::string_view name) : stream_(seed, name) {}
  Rational any(std::uint64_t i, std::uint64_t k) const {
    return properties::domain::rational(stream_, 32 * i + k);
  }
  Rational positive(std::uint64_t i, std::uint64_t k) const {
    return properties::domain::positive_rational(stream_, 32 * i + k);
  }
  std::vector<Rational> channels(std::uint64_t i, std::uint64_t first, std::size_t size) const {
    std::vector<Rational> out;
    for (std::size_t j = 0; j < size; ++j) out.push_back(any(i, first + j));
    return out;
  }

 private:
  Stream stream_;
};

/// A number in per cent, with its sign.
inline std::string percent(double share, int digits) {
  return report::significant(100 * share, digits) + " %";
}

}  // namespace embedscale::normalization_analysis
