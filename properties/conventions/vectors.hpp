#pragma once
// A measure of code_uses_the_papers_frequencies:
// how far the two rules put the vectors of one position apart.
#include <cstdint>

#include "frequencies.hpp"
#include "scale.hpp"

namespace embedscale::properties::conventions {

/// √((2/d)·Σ_i (1 − cos(p·(w_i − w′_i)))), as (sin a − sin b)² + (cos a − cos b)² is
/// 2 − 2cos(a − b); with 1 − cos x = 2 sin²(x/2), which does not cancel.
///
/// Requires  an even d >= 4.
inline double frequency_rule_rms_difference(std::size_t d, std::int64_t p, double base = 10000) {
  long double sum = 0;
  for (std::size_t i = 0; i < d / 2; ++i) {
    const long double w = frequency(i, d, FrequencyRule::paper, base);
    const long double v = frequency(i, d, FrequencyRule::tensor2tensor, base);
    const long double sine = std::sin(static_cast<long double>(p) * (w - v) / 2.0L);
    sum += 2.0L * sine * sine;
  }
  return static_cast<double>(std::sqrt(2.0L * sum / static_cast<long double>(d)));
}

/// The same, measured on the two vectors.
inline double measured_rms_difference(std::size_t d, std::int64_t p, double base,
                                      SinusoidalLayout layout, const Primitives& primitives) {
  const auto& in_double = primitives.of<double>();
  auto apart = encoded({d, p, FrequencyRule::tensor2tensor, layout}, in_double, base);
  const auto paper = encoded({d, p, FrequencyRule::paper, layout}, in_double, base);
  for (std::size_t j = 0; j < d; ++j) apart[j] -= paper[j];
  return root_mean_square(apart);
}

/// Bound on their distance. By the triangle inequality of the root mean square it is at most the
/// sum of what rounding moves each vector by, and the closed form's.
///
/// A pair (sin a, cos a) moves by at most as much as its angle, and 2u of its length 1 for the ulp
/// of sine and cosine. The angle fl(p·w_i) is off by α_i = p·w_i·(L_i + 3)u: (L_i + 2)u as above,
/// and the product's u; α_0 = 0, as w_0 = 1. So a vector moves by √((1/d)·Σ(α_i + 2u)²). The
/// closed form's angles have (4L_i + 2)u″ as above and 2u″ for difference and product: below
/// 4α_i/u·u″. Then the sums: d + 16 roundings at most, of values at most 2, halved by the root:
/// (d + 16)u. First order, and one part in 2^10.
inline double rms_difference_bound(std::size_t d, std::int64_t p, double base) {
  const double u = unit_roundoff<double>;
  const auto moved = [&](FrequencyRule rule) {
    double sum = 0;
    for (std::size_t i = 0; i < d / 2; ++i) {
      const auto w = static_cast<double>(frequency(i, d, rule, base));
      const double angle =
          i == 0 ? 0.0
                 : static_cast<double>(p) * w * (3.0 - std::log(w)) * (u + 4.0 * wide_roundoff);
      sum += (angle + 2.0 * u) * (angle + 2.0 * u);
    }
    return std::sqrt(sum / static_cast<double>(d));
  };
  return (moved(FrequencyRule::paper) + moved(FrequencyRule::tensor2tensor) +
          static_cast<double>(d + 16) * u) *
         (1.0 + 0x1p-10);
}

/// |measured − closed form| over its bound.
inline double rms_difference_share_of_bound(std::size_t d, std::int64_t p, double base,
                                            SinusoidalLayout layout, const Primitives& primitives) {
  const double measured = measured_rms_difference(d, p, base, layout, primitives);
  return std::abs(measured - frequency_rule_rms_difference(d, p, base)) /
         rms_difference_bound(d, p, base);
}

}  // namespace embedscale::properties::conventions
