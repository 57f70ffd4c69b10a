// The mean over coordinates for d → ∞: sine and cosine integrals against their series in 100
// digits, the closed form against quadrature, and the bound on the means of finite widths.
#include <embedscale/expected/position_mean.hpp>

#include <gtest/gtest.h>
#include <boost/math/quadrature/gauss_kronrod.hpp>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "../testing/seed.hpp"
#include "properties/exact/decimal50.hpp"

namespace embedscale::properties::position_mean_test {
namespace {

using embedscale::expected::mean_distance_bound, embedscale::expected::mean_over_coordinates,
    embedscale::expected::sine_cosine_integrals;
using embedscale::properties::testing::stream_of;
using Wide = embedscale::properties::exact::Decimal100;
constexpr double u = 0x1p-53;
constexpr double stated = 0x1p-44;  // what the header says that mean_over_coordinates errs by

void expect_integrals(double x, const Wide& si, const Wide& ci) {
  const auto both = sine_cosine_integrals(x);
  const double allowed = 0x1p-47 * std::max(1.0, std::abs(std::log(x)));
  EXPECT_LE(abs(both.si - si), allowed) << x;
  EXPECT_LE(abs(both.ci - ci), allowed) << x;
}

// The series itself: of 100 digits it loses 18 at x = 40, where terms reach e^40. Positions and
// what becomes of them at the lowest frequency, and all of where the way changes.
TEST(expected_position_mean, integrals_are_their_series_in_100_digits) {
  const auto stream = stream_of("expected_position_mean.integrals");
  for (std::uint64_t i = 0; i < 3000; ++i) {
    const double even = stream.uniform(i), x = i % 2 == 0 ? 40 * even : std::exp2(26 * even - 20);
    if (x > 40) continue;
    Wide si = x, ci = Wide::euler() + log(Wide(x)), term = x;
    for (int n = 2; n < 12 || abs(term) > 1e-20; ++n) {
      term *= Wide(x) / n;
      if (n % 2 == 0) term = -term;
      (n % 2 == 0 ? ci : si) += term / n;
    }
    expect_integrals(x, si, ci);
  }
}

// Ci(x) = f sin x − g cos x and Si(x) = π/2 − f cos x − g sin x, with f = (1 − 2!/x² + 4!/x⁴ − …)/x
// and g = (1 − 3!/x² + 5!/x⁴ − …)/x², whose terms fall until the x-th: to below e^−x.
TEST(expected_position_mean, integrals_are_their_asymptotic_series_far_out) {
  const auto stream = stream_of("expected_position_mean.far_out");
  for (std::uint64_t i = 0; i < 1000; ++i) {
    const double x = std::exp2(5.4 + 11.6 * stream.uniform(i));  // 42 to 131072
    Wide f = 0, g = 0, term = 1;
    for (int n = 0; n < 40; ++n) {
      (n % 2 == 0 ? f : g) += n / 2 % 2 == 0 ? term : Wide(-term);
      term *= Wide(n + 1) / x;
    }
    f /= x, g /= x;
    const Wide sine = sin(Wide(x)), cosine = cos(Wide(x)), half_pi = Wide::pi() / 2;
    expect_integrals(x, half_pi - f * cosine - g * sine, f * sine - g * cosine);
  }
}

// ½·∫_0^1 (sin + cos)(k·b^(−x)) dx, as it stands, on panels where the angle turns by 19 at most:
// there Gauss's and Kronrod's rules differ by roundings of their 61 terms alone, of at most 1 each.
// Boost states errors for the interval [−1, 1].
TEST(expected_position_mean, closed_form_is_the_integral) {
  constexpr int panels = 256;
  constexpr double half = 0.5 / panels;
  for (const double base : {10.0, 10000.0})
    for (const double k : {0.0, 1.0, 2.0, 5.0, 17.0, 100.0, 511.0}) {
      double integral = 0, error = 0;
      for (int i = 0; i < panels; ++i) {
        const auto integrand = [&](double t) {
          const double angle = k * std::pow(base, -half * (2 * i + 1 + t));
          return half * (std::sin(angle) + std::cos(angle)) / 2;
        };
        double difference = 0;
        integral += boost::math::quadrature::gauss_kronrod<double, 61>::integrate(
            integrand, -1.0, 1.0, 0, 0.0, &difference);
        error += difference;
      }
      EXPECT_LE(error, 61 * u) << k;
      EXPECT_NEAR(mean_over_coordinates(k, base), integral, error + stated) << base << " " << k;
    }
}

// 2/d of ½·∫|cos t − sin t| over (k/base, k), at most √2/2 of its length: where sin + cos is
// steepest, δ on both sides of 3π/4, it is √2·sin δ of √2·δ, and no smaller bound holds. δ/sin δ is
// below 1 + δ²/5. Of the roundings, those of k, k/base and 1/base, 9u together, are divided by 2δ;
// the others are fewer than ten, where δ <= 1/8.
TEST(expected_position_mean, bound_is_that_of_the_steepest_variation) {
  for (const double delta : {0x1p-3, 0x1p-6, 0x1p-10})
    for (const double d : {2.0, 64.0, 4096.0}) {
      const double middle = 0.75 * std::numbers::pi, k = middle + delta;
      const double variation = std::numbers::sqrt2 * std::sin(delta);
      const double share = mean_distance_bound(k, d, k / (middle - delta)) / (2 / d * variation);
      const double roundings = 8 * u / delta;
      EXPECT_GE(share, 1 - roundings) << delta << " " << d;
      EXPECT_LE(share, 1 + delta * delta / 5 + roundings) << delta << " " << d;
    }
}

// And beside it by the mean frequency, to first order; the second is below k².
TEST(expected_position_mean, is_a_half_at_position_0) {
  EXPECT_EQ(mean_over_coordinates(0), 0.5);
  const double k = 1e-9, mean_frequency = (1 - 1e-4) / std::log(1e4);
  EXPECT_NEAR(mean_over_coordinates(k), 0.5 + k * mean_frequency / 2, stated + k * k);
}

}  // namespace
}  // namespace embedscale::properties::position_mean_test
