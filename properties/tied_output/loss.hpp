#pragma once
// The measure of initial_loss: where the expected loss has to lie, by bounds that are elementary.
//
// With f(s) = E ln Σ exp(s·z), Q = Σ w² of the softmax w: f′ = s·(1 − E Q), and 1/V <= E Q <=
// exp(s²)/V (E Q grows by at most 2s·E Q). So
//
//   ln V + s²/2 − (exp(s²) − 1)/(2V)  <=  f  <=  ln V + s²/2 − s²/(2V)
//
// f is convex: from any s₀ < s on, f >= f(s₀) + (s − s₀)·s₀·(1 − exp(s₀²)/V), here with
// s₀² = ln V − 2. And f/s falls, as d(f/s)/ds = −E H/s² with the entropy H >= 0: from
// s₁ = √(2 ln V) on, f <= s·f(s₁)/s₁ <= s·(ln V + s₁²/2)/s₁ = s·s₁.
#include <algorithm>
#include <cmath>

#include "primitives.hpp"

namespace embedscale::properties::tied_output {

struct Enclosure {
  double least, most;
};

/// ln V + s²/2 is ln E Σ exp, the annealed mean: the value if the mean and ln could change places.
inline double annealed(double s, std::uint64_t V) {
  return std::log(static_cast<double>(V)) + 0.5 * s * s;
}
/// Where its error begins to grow as (s − s₁)²/2 at least.
inline double change_of_regime(std::uint64_t V) {
  return std::sqrt(2 * std::log(static_cast<double>(V)));
}

/// Requires  s >= 0, V >= 2.
inline Enclosure loss_enclosure(double s, std::uint64_t V) {
  const double n = static_cast<double>(V), log = std::log(n), v = s * s;
  const auto below = [&](double at) { return log + 0.5 * at * at - 0.5 * std::expm1(at * at) / n; };
  Enclosure bounds{std::max(log, v < 700 ? below(s) : log), annealed(s, V) - 0.5 * v / n};
  if (log > 2 && s > std::sqrt(log - 2)) {
    const double from = std::sqrt(log - 2);
    bounds.least =
        std::max(bounds.least, below(from) + (s - from) * from * (1 - std::exp(from * from) / n));
  }
  if (s >= change_of_regime(V)) bounds.most = std::min(bounds.most, s * change_of_regime(V));
  return bounds;
}

/// |loss − middle of the enclosure| over its half width, the quadrature's own error and rounding:
/// the bounds' terms, each with at most four roundings of what is added up, 8u·(ln V + s² + s·s₁).
inline double loss_share_of_bound(double sigma, std::uint64_t d, double c, std::uint64_t V,
                                  const Primitives& primitives) {
  const double s = std::abs(c) * sigma * std::sqrt(static_cast<double>(d));
  const auto [value, error] = primitives.loss(sigma, d, c, V);
  const auto [least, most] = loss_enclosure(s, V);
  const double size = std::log(static_cast<double>(V)) + s * s + s * change_of_regime(V);
  return std::abs(value - 0.5 * (least + most)) / (0.5 * (most - least) + error + 0x1p-50 * size);
}

}  // namespace embedscale::properties::tied_output
