#pragma once
// What the second training study's runs are judged by, seed by seed: where a curve is least, how it
// grows, what a start is made of.
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numbers>
#include <span>
#include <stdexcept>

#include "paired.hpp"
#include "recipe.hpp"

namespace embedscale::properties::training {

struct Least {
  double at;
  bool at_end;  ///< the least of all is the first or the last one
};

/// Where y is least over x: the vertex of the parabola through the least y and its neighbours,
/// which count for no more than `steepest` above it; of equally small ones the first; an end as it
/// is.
///
/// Requires  ascending x.
/// Ensures   nearer to that x than to any other.
/// Errors    std::invalid_argument for different sizes, or none.
inline Least least_of(std::span<const double> x, std::span<const double> y, double steepest) {
  if (x.empty() || x.size() != y.size()) throw std::invalid_argument("least_of: every x needs a y");
  const auto k = static_cast<std::size_t>(std::ranges::min_element(y) - y.begin());
  if (k == 0 || k + 1 == x.size()) return {x[k], true};
  const double most = y[k] + steepest;
  return {x[k] + vertex(std::min(y[k - 1], most), y[k], std::min(y[k + 1], most), x[k] - x[k - 1],
                        x[k + 1] - x[k]),
          false};
}

/// Of the line through these points by least squares.
///
/// Errors    std::invalid_argument for different sizes, or fewer than two different x.
inline double slope(std::span<const double> x, std::span<const double> y) {
  double mean_x = 0, mean_y = 0, products = 0, squares = 0;
  if (x.size() != y.size()) throw std::invalid_argument("slope: every x needs a y");
  for (std::size_t i = 0; i < x.size(); ++i) mean_x += x[i], mean_y += y[i];
  mean_x /= static_cast<double>(x.size()), mean_y /= static_cast<double>(x.size());
  for (std::size_t i = 0; i < x.size(); ++i) {
    products += (x[i] - mean_x) * (y[i] - mean_y);
    squares += (x[i] - mean_x) * (x[i] - mean_x);
  }
  if (!(squares > 0)) throw std::invalid_argument("slope: needs two different x");
  return products / squares;
}

/// The α at which an interval of n seeds is that from the least to the greatest: what it misses,
/// and a part in 2^20 more, so that no rounding decides.
inline double widest_alpha(std::size_t n) {
  return std::ldexp(1 + 0x1p-20, 1 - static_cast<int>(n));
}

/// RMS of the token's part of the input at the start, m·σ.
inline double token_size(const Recipe& of) { return of.multiplier * of.sigma; }

/// How far one step of Adam moves the token's part, in rates: m·k of an entry's own step, k the
/// table's rate over that of all else.
///
/// Source    optimizer.relative_step
inline double input_step(const Recipe& of) { return of.multiplier * of.table_rate; }

/// RMS of the token's part over that of a position's at the start.
///
/// Errors    std::invalid_argument for a rotary model, which adds none.
inline double token_to_position_ratio(const Recipe& of) {
  if (of.family == Family::rotary)
    throw std::invalid_argument("token_to_position_ratio: a rotary model adds no positions");
  const double position =
      of.family == Family::learned ? learned_position_sigma : of.positions / std::numbers::sqrt2;
  return token_size(of) / position;
}

}  // namespace embedscale::properties::training
