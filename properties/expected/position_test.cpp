// Sums over a sinusoidal table. The mean over coordinates for d → ∞: sine and cosine integrals
// against their series in 100 digits, the closed form against quadrature, and the bound on what a
// finite width is off. Moments over positions: Dirichlet's kernel in 50 digits; against the sums
// they are the sinusoidal room's. Turned pairs against sine and cosine of each angle.
#include <embedscale/expected/position_mean.hpp>
#include <embedscale/expected/position_variance.hpp>

#include <gtest/gtest.h>
#include <boost/math/quadrature/gauss_kronrod.hpp>

#include <algorithm>
#include <cmath>
#include <complex>
#include <numbers>
#include <span>

#include "../testing/seed.hpp"
#include "properties/exact/decimal50.hpp"

namespace embedscale::properties::position_test {
namespace {

using namespace expected;
using exact::Decimal100, exact::Decimal50, testing::stream_of;
constexpr double u = 0x1p-53;
constexpr double stated = 0x1p-44;  // what the header says that mean_over_coordinates errs by

void expect_integrals(double x, const Decimal100& si, const Decimal100& ci) {
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
    Decimal100 si = x, ci = Decimal100::euler() + log(Decimal100(x)), term = x;
    for (int n = 2; n < 12 || abs(term) > 1e-20; ++n) {
      term *= Decimal100(x) / n;
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
    Decimal100 f = 0, g = 0, term = 1;
    for (int n = 0; n < 40; ++n) {
      (n % 2 == 0 ? f : g) += n / 2 % 2 == 0 ? term : Decimal100(-term);
      term *= Decimal100(n + 1) / x;
    }
    f /= x, g /= x;
    const Decimal100 sine = sin(Decimal100(x)), cosine = cos(Decimal100(x)),
                     half_pi = Decimal100::pi() / 2;
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

// The kernel in 50 digits, of which v loses 22 at w = 10^−5 and L = 2 and a channel as many
// again: its two parts cancel where the frequency hardly turns.
TEST(expected_position_variance, is_its_closed_form_in_50_digits_wherever_a_table_has_it) {
  const auto stream = stream_of("expected_position_variance.closed_form");
  const auto kernel = [](const Decimal50& w, std::int64_t length) {
    return Decimal50(sin(w * length / 2) / (sin(w / 2) * length));
  };
  for (std::uint64_t i = 0; i < 6000; ++i) {
    const auto length = static_cast<std::int64_t>(std::exp2(1 + 16 * stream.uniform(i, 0)));
    const double even = stream.uniform(i, 1);  // of the binades of w, or of x = Lw/2 up to 2
    const double w = i % 2 == 0 ? std::pow(10, -5 * even) : 4 * even / static_cast<double>(length);
    if (w > 1) continue;
    const Decimal50 exact_w = w, d = kernel(exact_w, length), v = 1 - d * d;
    const Decimal50 turned = (d * d - kernel(2 * exact_w, length)) * cos(exact_w * (length - 1));
    EXPECT_LE(abs(pair_variance(w, length) - v), v * 0x1p-46) << w << " " << length;
    const auto both = channel_variances(w, length);
    const double x = static_cast<double>(length) * w / 2;
    const Decimal50 allowed = x <= 0.5 ? Decimal50(v * 0x1p-47) : Decimal50(0x1p-48);
    EXPECT_LE(abs(both.sine - (v + turned) / 2), allowed) << w << " " << length;
    EXPECT_LE(abs(both.cosine - (v - turned) / 2), allowed) << w << " " << length;
    const Decimal50 phase = exact_w * (length - 1) / 2;
    EXPECT_LE(abs(mean_cosine(w, length) - d * cos(phase)), 12 * u) << w << " " << length;
    EXPECT_LE(abs(mean_sine(w, length) - d * sin(phase)), 12 * u) << w << " " << length;
    EXPECT_EQ(pair_variance(w, 1), 0.0);
  }
}

// Every position in order, first … first + L − 1, with the cosine in the real part; l % 64 turns
// after a fresh start at angle θ = fl(l₀·w). In units of u: the start is off by 3 (libm 2, product
// 1), each of at most 63 turns by √5 (a complex product: Brent, Percival, Zimmermann 2007) and by 2
// (libm, in the turn itself): 270 u < 3·10⁻¹⁴. That is against e^{iθ}·e^{ikw}; the exact angle of
// position l is as far from θ + kw as θ's own rounding, u·|θ|, which no turn changes.
TEST(expected_position_table, turned_pairs_stay_within_3e_14_of_the_turn_from_a_fresh_start) {
  using Extended = std::complex<long double>;  // k·w has 59 digits, exact in its 64
  struct Case {
    std::size_t d;
    std::int64_t first, length;
    double multiplier;
  };
  double worst = 0;
  for (const FrequencyRule rule : {FrequencyRule::paper, FrequencyRule::tensor2tensor})
    for (const auto& [d, first, length, multiplier] :
         {Case{64, -100, 200, 1.0}, Case{64, 0, 200, -0.7}, Case{64, 131'000, 200, 22.6},
          Case{4, 0, 1 << 16, 1.0}}) {
      const SinusoidalTable table{sinusoidal_frequencies<double>(d, rule), first, length,
                                  multiplier};
      std::int64_t l = first;
      for_each_position(table, [&, first = first, multiplier = multiplier](
                                   std::span<const std::complex<double>> pairs) {
        const std::int64_t k = (l - first) % 64;
        for (std::size_t i = 0; i < pairs.size(); ++i) {
          const double w = table.frequencies[i], start = static_cast<double>(l - k) * w;
          const auto exact =
              static_cast<long double>(multiplier) *
              std::polar(1.0L, static_cast<long double>(start)) *
              std::polar(1.0L, static_cast<long double>(k) * static_cast<long double>(w));
          const auto error = std::abs(Extended(pairs[i].real(), pairs[i].imag()) - exact);
          worst = std::max(worst, static_cast<double>(error) / std::abs(multiplier));
        }
        ++l;
      });
      EXPECT_EQ(l, first + length);
    }
  EXPECT_LE(worst, 3e-14);
  EXPECT_GE(worst, 1e-16);  // else nothing was turned
}

}  // namespace
}  // namespace embedscale::properties::position_test
