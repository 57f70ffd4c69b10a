#pragma once
// From a miss rate to the smallest effect and to the number of draws: bisection on a power
// function.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <stdexcept>

namespace embedscale::properties::evidence {

/// The smallest effect with miss(effect) <= beta, from above and to within 1e-9 of itself; infinity
/// where even `most` is missed more often.
///
/// Requires  that what is missed at most that often at one effect is so at every larger one.
/// Ensures   miss(result) <= beta: an error of the bisection is on the safe side.
template <class Miss>
double smallest_effect_by(Miss miss, double beta, double most) {
  if (!(miss(most) <= beta)) return std::numeric_limits<double>::infinity();
  double upper = std::min(most, 1.0), lower = 0.0;
  while (!(miss(upper) <= beta)) lower = upper, upper = std::min(2.0 * upper, most);
  while (lower == 0.0 && upper > 1e-12 && miss(upper / 16) <= beta) upper /= 16;
  while (upper - lower > 1e-9 * upper) {
    const double middle = lower + (upper - lower) / 2;
    (miss(middle) <= beta ? upper : lower) = middle;
  }
  return upper;
}

/// The fewest draws n >= 1 with detects(n), where more draws never detect less. (For counts, whose
/// power is a sawtooth, some n that detects and whose predecessor does not.)
///
/// Errors    std::domain_error where 2^48 draws detect nothing.
template <class Detects>
std::uint64_t fewest_draws(Detects detects) {
  std::uint64_t upper = 1, lower = 0;
  while (!detects(upper)) {
    if (upper >= std::uint64_t{1} << 48)
      throw std::domain_error("evidence: 2^48 draws do not detect this effect at these rates");
    lower = upper, upper *= 2;
  }
  while (upper - lower > 1) {
    const std::uint64_t middle = lower + (upper - lower) / 2;
    (detects(middle) ? upper : lower) = middle;
  }
  return upper;
}

/// n as a number of the laws.
inline double real(std::uint64_t n) { return static_cast<double>(n); }

}  // namespace embedscale::properties::evidence
