#pragma once
// What the quadratures over softmax and its logits share.
#include <cmath>
#include <numbers>

namespace embedscale::expected {

constexpr double cut = 40.0;  ///< what is left out of a law has probability exp(−40) = 4e−18

/// φ(t).
inline double normal_density(double t) {
  return std::exp(-0.5 * t * t) / std::sqrt(2.0 * std::numbers::pi);
}

}  // namespace embedscale::expected
