#pragma once
// Gamma functions for mixtures of 10^9 draws: the parts of log Γ that cancel in a log e-value are
// left out before they are computed, as lgamma(10^9) ≈ 2·10^10 has an ulp of 4·10^-6.
#include <boost/math/special_functions/gamma.hpp>
#include <boost/math/special_functions/log1p.hpp>

#include <cmath>
#include <limits>

namespace embedscale::properties::evidence::sequential {

/// (log 2π)/2.
inline constexpr double half_log_two_pi = 0.91893853320467274178;

/// Binet's µ(z) = log Γ(z) − (z − 1/2) log z + z − (log 2π)/2, which is below 1/(12z).
///
/// Requires  z > 0.
/// Ensures   an absolute error below 10^-13 for z >= 1/100: from 10 on the series errs by less than
///           the first term left out, 691/(360360·10^11) < 2·10^-14; below, |log Γ| < 13.
/// Source    NIST Digital Library of Mathematical Functions, 5.11.1.
inline double stirling_remainder(double z) {
  if (z < 10.0) return boost::math::lgamma(z) - (z - 0.5) * std::log(z) + z - half_log_two_pi;
  const double w = 1.0 / (z * z);
  return (1.0 / 12 - w * (1.0 / 360 - w * (1.0 / 1260 - w * (1.0 / 1680 - w / 1188)))) / z;
}

/// t − log(1+t) >= 0, to a few ulps also where the two are close. Requires t >= −1.
inline double excess_over_log1p(double t) {
  return std::abs(t) < 0.25 ? -boost::math::log1pmx(t) : t - std::log1p(t);
}

/// x log(x/m) − x + m >= 0: what a count (or weight) x deviates from an expected m, in nats.
///
/// Requires  x >= 0, m >= 0.  Infinite where m = 0 < x.
/// Source    Loader 2000, "Fast and accurate computation of binomial probabilities" (bd0).
inline double deviance(double x, double m) {
  if (x == 0.0) return m;
  if (m == 0.0) return std::numeric_limits<double>::infinity();
  return x * excess_over_log1p((m - x) / x);
}

/// log B(x, y) − x log(x/(x+y)) − y log(y/(x+y)), of the size of log(x+y) only.
///
/// Requires  x, y > 0.
/// By Binet's formula: −x, −y and x+y sum to 0, and each logarithm leaves a half.
inline double log_beta_remainder(double x, double y) {
  return half_log_two_pi + 0.5 * (std::log(x + y) - std::log(x) - std::log(y)) +
         stirling_remainder(x) + stirling_remainder(y) - stirling_remainder(x + y);
}

}  // namespace embedscale::properties::evidence::sequential
