#pragma once
// A measure of one_text_one_start: the second moment of a law as an integral over its density.
#include <embedscale/format.hpp>

#include <cmath>
#include <limits>

#include "primitives.hpp"

namespace embedscale::properties::conventions {

/// A value and a bound on its absolute error.
struct Integral {
  long double value, error;
};

/// ∫x²f / ∫f, with the integrator's errors and the rounding of both sums.
///
/// Rounding, in units of u″ of long double: an integral is a sum of terms of one sign over 61 nodes
/// in 24 pieces at most, so 85. Its nodes z are off by 3(|z| + 1), worth |g′/g|·(|z| + 1) each,
/// whose mean under g = z²φ is E|2 − z²|(1 + 1/|z|) < 9: 27 (less for the other shapes). The bell's
/// exponent y has 3, worth 3|y|, of mean 4.5, and exp 2; the products 5. In all below 124 each; a
/// Xavier scale, squared, 3 and the quotient 1: 252, below 256.
Integral second_moment(const Initializer& law);

/// Relative bound on the rounding of `variance`: √(6/(V+d)) has 3/2 u, squared 3u + u; 1/3 and the
/// product one each: 6u, and no law has more. (Truncated: 1 − 4φ(2)/Z has 4u, initializer_test
/// derives it; s² and the product one each.) Higher orders stay below one part in 2^10.
inline constexpr double rounding_of_variance = 6.0 * unit_roundoff<double> * (1.0 + 0x1p-10);

/// |variance − ∫x²f(x)dx| over its bound.
inline double variance_share_of_bound(const Initializer& law, const Primitives& primitives) {
  const auto [value, error] = second_moment(law);
  const long double distance = std::abs(static_cast<long double>(primitives.variance(law)) - value);
  return static_cast<double>(distance / (error + value * rounding_of_variance));
}

}  // namespace embedscale::properties::conventions
