#pragma once
// What a normalisation layer makes of a vector of known mean square, with its ε.
//
//   ε added to the variance             y = x/√(s + ε)       RMS of y = √(s/(s + ε))
//   ε added to the standard deviation   y = x/(√s + ε)       RMS of y = √s/(√s + ε)
//
// s is the mean square of what is divided: of x for RMSNorm, of x less its mean for LayerNorm.
#include <embedscale/normalization.hpp>

#include <cmath>
#include <stdexcept>

namespace embedscale::expected {

/// A normalisation layer at initialisation: gain 1, bias 0.
struct Norm {
  enum class Kind { layer_norm, rms_norm };
  Kind kind = Kind::layer_norm;
  double epsilon = 0;  ///< >= 0; in units of x² or of x, by its placement
  EpsilonPlacement placement = EpsilonPlacement::variance;
};

/// What x is multiplied by.
///
/// Requires  mean_square >= 0, ε >= 0.
/// Errors    std::invalid_argument where both are 0: 0/0.
inline double normalizing_factor(double mean_square, const Norm& norm) {
  const double divisor = norm.placement == EpsilonPlacement::variance
                             ? std::sqrt(mean_square + norm.epsilon)
                             : std::sqrt(mean_square) + norm.epsilon;
  if (!(divisor > 0))
    throw std::invalid_argument("normalizing_factor: mean square and epsilon are 0: 0/0");
  return 1 / divisor;
}

/// 1 − RMS of what comes out: how much smaller than 1 it is because of ε. Written so that nothing
/// cancels: with r = ε/(s + ε), 1 − √(1 − r) = r/(1 + √(1 − r)).
///
/// Requires  as normalizing_factor.
inline double epsilon_shrinkage(double mean_square, const Norm& norm) {
  const double factor = normalizing_factor(mean_square, norm);
  if (norm.placement == EpsilonPlacement::standard_deviation) return norm.epsilon * factor;
  const double r = norm.epsilon * factor * factor;
  return r / (1 + std::sqrt(mean_square) * factor);
}

}  // namespace embedscale::expected
