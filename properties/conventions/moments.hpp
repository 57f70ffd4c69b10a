#pragma once
// Measures of one_text_one_start: the second moment of a law as an integral over its density; two
// programs that differ in the law alone, and the laws that the frameworks draw a table from unless
// told otherwise.
#include <embedscale/format.hpp>

#include <array>

#include "scale.hpp"

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

/// RMS over RMS of a program that draws its table from `law`.
inline double start_of(const Initializer& law, double m, const Start& at,
                       const Primitives& primitives) {
  return token_to_position(std::sqrt(primitives.variance(law)), m, at, primitives);
}

/// The quotient of two programs' ratios against σ/σ′ by quadrature, as a share of its bound: each
/// ratio has rounding_of_ratio, each σ half of its variance's rounding and of the integral's error,
/// and a root's u; two quotients and the comparison 3u; what is stated 3u.
inline double quotient_share_of_bound(const Initializer& law, const Initializer& other, double m,
                                      const Start& at, const Primitives& primitives) {
  const auto [square, error] = second_moment(law);
  const auto [other_square, other_error] = second_moment(other);
  const double stated = static_cast<double>(std::sqrt(square / other_square));
  const double measured = start_of(law, m, at, primitives) / start_of(other, m, at, primitives);
  const double bound = 2.0 * rounding_of_ratio<double>(at.d) + rounding_of_variance +
                       static_cast<double>(error / square + other_error / other_square) / 2.0 +
                       8.0 * unit_roundoff<double>;
  return std::abs(measured / stated - 1.0) / (bound * (1.0 + 0x1p-10));
}

/// What the same line of a program draws a (V, d) table from: PyTorch, MXNet, Keras, Flax.
inline std::array<Initializer, 4> default_laws(std::size_t d) {
  return {Normal{1.0}, Uniform{0.07}, Uniform{0.05},
          Normal{1.0 / std::sqrt(static_cast<double>(d))}};
}

/// Their second moments: σ² = 1, a²/3 = 49/30000 and 1/1200, and 1/d.
inline std::array<double, 4> default_moments(std::size_t d) {
  return {1.0, 49.0 / 30000.0, 1.0 / 1200.0, 1.0 / static_cast<double>(d)};
}

/// The largest relative distance of the four variances from these, as a share of its bound: the
/// variance's 6u; the law's 0.05 is off by u and d^−½ by 2u, squared 4u at most; the stated number
/// and the quotient one each.
inline double default_moments_share_of_bound(std::size_t d, const Primitives& primitives) {
  const auto laws = default_laws(d);
  const auto stated = default_moments(d);
  double worst = 0;
  for (std::size_t i = 0; i < laws.size(); ++i) {
    const double off = std::abs(primitives.variance(laws[i]) / stated[i] - 1.0);
    const double share = off / (rounding_of_variance + 6.0 * unit_roundoff<double>);
    worst = std::isnan(share) ? HUGE_VAL : std::max(worst, share);
  }
  return worst;
}

/// How many of the four differ: two are one where they differ by no more than their rounding, 6u
/// each, 2u and 4u for their parameters as above, u for the quotient. Distinct ones differ by far
/// more: the closest are 49/30000 and 1/612, by four parts in 10^4.
inline std::size_t second_moments(std::size_t d, const Primitives& primitives) {
  const auto laws = default_laws(d);
  std::size_t different = 0;
  for (std::size_t i = 0; i < laws.size(); ++i) {
    bool first = true;
    for (std::size_t j = 0; j < i; ++j) {
      const double quotient = primitives.variance(laws[i]) / primitives.variance(laws[j]);
      first = first && std::abs(quotient - 1.0) > 19.0 * unit_roundoff<double>;
    }
    different += first ? 1 : 0;
  }
  return different;
}

}  // namespace embedscale::properties::conventions
