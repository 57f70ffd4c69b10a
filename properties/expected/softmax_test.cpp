// What is expected of a softmax: the logarithm of its sum, its entropy and how concentrated it is,
// against the same expectations by other formulas and other quadrature rules, and bounds that hold
// over the reals. Draws of the sum are tied_output/test.cpp's; the weights of two logits, and where
// the largest of up to 65,536 is a half, the attention room's.
#include <embedscale/expected/softmax_weights.hpp>

#include <gtest/gtest.h>
#include <boost/math/quadrature/gauss.hpp>
#include <boost/math/quadrature/tanh_sinh.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numbers>
#include <span>
#include <vector>

namespace embedscale::properties::softmax_test {
namespace {

using expected::jacobian_trace, expected::largest_weight, expected::log_sum_exp_and_entropy,
    expected::sum_of_squares;

constexpr double pi = std::numbers::pi;
constexpr double ulp = std::numeric_limits<double>::epsilon();
constexpr std::array deviations{1e-6, 0.01, 0.1, 0.5, 1.0, 1.5, 3.0, 10.0, 40.0, 1e3, 1e4, 1e6};
constexpr std::array<std::uint64_t, 7> counts{2, 3, 50, 1000, 256'000, 1ull << 32, 1ull << 40};
double bell(double t) { return std::exp(-0.5 * t * t) / std::sqrt(2.0 * pi); }

::testing::AssertionResult within(const expected::Expectation& found, double exact, double slack) {
  if (std::abs(found.value - exact) <= found.error + slack) return ::testing::AssertionSuccess();
  return ::testing::AssertionFailure() << found.value << " for " << exact;
}

// Gauss's rule with 30 nodes on each panel. Its error is of the order of ρ^−60, ρ = r + √(1 + r²),
// where the integrand is analytic and tame to r half panels off the axis: 1e−18 at r = 0.76.
template <class Function>
double integral(Function f, const std::vector<double>& panels) {
  double sum = 0;
  for (std::size_t i = 1; i < panels.size(); ++i)
    if (panels[i - 1] < panels[i])
      sum += boost::math::quadrature::gauss<double, 30>::integrate(f, panels[i - 1], panels[i]);
  return sum;
}
std::vector<double> equal_panels(double left, double right, int count) {
  std::vector<double> points;
  for (int i = 0; i <= count; ++i) points.push_back(left + i * (right - left) / count);
  return points;
}

// E max of n standard normals = ∫ n t φ(t) Φ^{n−1}(t) dt. Φ^n falls within 1/√(2 ln n), as
// exp(−exp(−x)) does within 1, tame to π/2: r = 0.84 for half of that panel at n = 2^40.
double expected_largest(double n) {
  return integral(
      [n](double t) {
        const double above = 0.5 * std::erfc(t / std::numbers::sqrt2);
        return n * t * bell(t) * std::exp((n - 1) * std::log1p(-above));
      },
      equal_panels(-8, 12, 40));
}

// Over d = |z_1 − z_2|, z_1 − z_2 ~ N(0, 2s²), to `end`; tanh_sinh stops at 1e−13 of its integral.
template <class Function>
double mean_over_difference(double s, double end, Function f) {
  const double deviation = std::numbers::sqrt2 * s;
  return boost::math::quadrature::tanh_sinh<double>().integrate(
      [&](double d) { return 2 * f(d) * bell(d / deviation) / deviation; }, 0.0, end, 1e-13);
}

TEST(expected_softmax, a_single_weight_is_1) {
  for (const double s : {0.0, 0.01, 1.0, 40.0, 1e6})
    for (const auto& [value, error] :
         {log_sum_exp_and_entropy(s, 1).log_sum_exp, log_sum_exp_and_entropy(s, 1).entropy})
      EXPECT_TRUE(value == 0.0 && error == 0.0) << s << " " << value << " " << error;
}

TEST(expected_softmax, equal_logits_weigh_1_over_n) {
  for (const auto n : counts) {
    const auto [log_sum_exp, entropy] = log_sum_exp_and_entropy(0.0, n);
    EXPECT_TRUE(within(log_sum_exp, std::log(n), ulp * std::log(n)));
    EXPECT_TRUE(within(entropy, std::log(n), ulp * std::log(n)));
  }
}

// E ln Z = b − γ − ∫ F^n over (a, b), and E z_A = s ∫ n F^{n−1}(x) E[ξ g(x − sξ)] dx, where g is
// the density of G, and F and g are means over ξ at every s, with panels of 4 in x − sξ where it is
// steep (r = 0.78) and 2 in ξ.
struct Reference {
  double s, n;
  template <class Function>
  double mean_over_xi(double x, Function f) const {
    auto panels = equal_panels(-10, 10, 10);
    for (double y = -8; s > 1 && y <= 40; y += 4)
      panels.push_back(std::clamp((x - y) / s, -10.0, 10.0));
    std::sort(panels.begin(), panels.end());
    return integral([&](double xi) { return bell(xi) * f(xi, std::exp(s * xi - x)); }, panels);
  }
  double power(double x, double exponent) const {
    const double above = mean_over_xi(x, [](double, double u) { return -std::expm1(-u); });
    return above < 1 ? std::exp(exponent * std::log1p(-above)) : 0;
  }
  double tail() const { return std::log(n) + 37; }
  double left() const { return -9 * s - 4; }
  double right() const { return tail() + s * std::min(s / 2, std::sqrt(2 * tail())); }
  double log_sum_exp() const {
    return right() - std::numbers::egamma -
           integral([&](double x) { return power(x, n); }, equal_panels(left(), right(), 40));
  }
  double chosen() const {
    const auto kernel = [](double xi, double u) { return u < 800 ? xi * u * std::exp(-u) : 0.0; };
    return s * integral([&](double x) { return n * power(x, n - 1) * mean_over_xi(x, kernel); },
                        equal_panels(left(), right(), 40));
  }
};

// Rounding: F has a relative error of 100 ε (sums of 30 and of 22 terms, exp, bell), which changes
// F^n by n (1 − F) F^{n−1} <= 1 times that; so over (a, b), and s |ξ| n F^{n−1} g likewise.
TEST(expected_softmax, agrees_with_another_formula_and_another_rule) {
  constexpr Reference references[]{{0.01, 2}, {0.3, 7}, {1, 50},       {1.1, 50},
                                   {5, 1000}, {40, 2},  {40, 256'000}, {3, 0x1p32}};
  for (const auto& reference : references) {
    const auto [s, n] = reference;
    const double slack = 100 * ulp * (reference.right() - reference.left());
    const auto [log_sum_exp, entropy] = log_sum_exp_and_entropy(s, static_cast<std::uint64_t>(n));
    const double exact = reference.log_sum_exp();
    EXPECT_TRUE(within(log_sum_exp, exact, slack)) << " at " << s << " " << n;
    EXPECT_TRUE(within(entropy, exact - reference.chosen(), 2 * slack)) << " at " << s << " " << n;
  }
}

// ln Z exceeds the largest logit, and by H at most in the mean: E ln Z − E H = E z_A <= s d_n. d_n
// rounds by 1e−13 (400 ε: sums of 30 and 40 terms, erfc, (n − 1) log1p where n (1 − Φ) <= 30).
TEST(expected_softmax, log_sum_exp_exceeds_the_largest_logit_by_less_than_the_entropy) {
  for (const auto n : counts) {
    const double largest = expected_largest(static_cast<double>(n));
    for (const double s : deviations) {
      const auto [log_sum_exp, entropy] = log_sum_exp_and_entropy(s, n);
      const double excess = log_sum_exp.value - s * largest;
      const double slack = log_sum_exp.error + 1e-13 * s * largest;
      EXPECT_GE(excess, -slack) << s << " " << n;
      EXPECT_LE(excess, entropy.value + entropy.error + slack) << s << " " << n;
      EXPECT_GT(entropy.value, 0.0) << s << " " << n;
      EXPECT_LE(entropy.value, std::log(n) + entropy.error) << s << " " << n;
    }
  }
}

// H of two logits, integrated over their difference d, is π²/3, and d² H is 7π⁴/45. Their density
// lies between (1 − d²/(4s²)) and 1 times 1/(2s√π).
TEST(expected_softmax, a_tiny_entropy_keeps_its_digits) {
  for (const double s : {1e4, 1e6, 1e9, 1e100}) {
    const double limit = pi * pi / (6 * std::sqrt(pi) * s), below = 7 * pi * pi / (60 * s) / s;
    EXPECT_TRUE(within(log_sum_exp_and_entropy(s, 2).entropy, limit, limit * (below + 8 * ulp)))
        << s;
  }
}

TEST(expected_softmax, error_stays_below_3e_13_of_the_value) {
  for (const double s : {0.0, 0.01, 0.7, 1.0, 1.01, 2.0, 7.0, 40.0, 1e4, 1e9, 1e250})
    for (const auto n : counts) {
      const auto [log_sum_exp, entropy] = log_sum_exp_and_entropy(s, n);
      EXPECT_LE(log_sum_exp.error, 3e-13 * log_sum_exp.value) << s << " " << n;
      EXPECT_LE(entropy.error, 3e-13 * entropy.value) << s << " " << n;
    }
}

// Without 1e−6, where weights are 1/n to 15 digits, and 2^40.
constexpr auto weight_deviations = std::span(deviations).subspan(1);
constexpr auto weight_counts = std::span(counts).first(6);

// n max w = exp(s max ξ)/mean exp(sξ) = 1 + s max ξ + O(s²) in the mean: a second order below
// d² + 1 for d = E max ξ.
TEST(expected_softmax_weights, small_deviations_obey_the_first_order) {
  const double s = 1e-4;
  for (const auto count : weight_counts) {
    const double n = static_cast<double>(count), d = expected_largest(n);
    EXPECT_TRUE(within(largest_weight(s, count), (1 + s * d) / n, s * s * (d * d + 1) / n)) << n;
  }
}

// By integration by parts g' = s (1 − E Σw²) for g = E ln Z, and E H = g − s g': so E Σw² is
// 1 − (g − E H)/s², whose error the two errors make, and rounding of the difference. Of n weights
// that sum to 1: 1/n <= Σw² <= max w <= √Σw², so with means and Jensen's inequality.
//
// Errors are below 3e−13 as the header says. Of the largest weight, 1e−12 for roundings, and what
// steps of 0.35 are off, 1.1e−12 M = 2M exp(−π²/0.35), where M is how integrands grow off the axis:
// no bound of it is derived, and the largest share that was found here is 1.3e−11.
TEST(expected_softmax_weights, sum_of_squares_is_the_slope_of_log_sum_exp_and_bounds_the_largest) {
  for (const double s : weight_deviations)
    for (const auto n : weight_counts) {
      const auto [g, entropy] = log_sum_exp_and_entropy(s, n);
      const auto largest = largest_weight(s, n), squares = sum_of_squares(s, n);
      const double slope = (g.value - entropy.value) / (s * s);
      const double rest = (g.error + entropy.error + 2 * ulp * g.value) / (s * s) + 2 * ulp;
      EXPECT_LE(std::abs(squares.value - (1 - slope)), squares.error + rest) << s << " " << n;
      const double slack = largest.error + squares.error;
      EXPECT_GE(squares.value, 1 / static_cast<double>(n) - slack) << s << " " << n;
      EXPECT_GE(largest.value, squares.value - slack) << s << " " << n;
      EXPECT_LE(largest.value, std::sqrt(squares.value) * (1 + ulp) + slack) << s << " " << n;
      EXPECT_LT(largest.value, 1) << s << " " << n;
      EXPECT_LE(squares.error, 3e-13 * squares.value) << s << " " << n;
      EXPECT_LE(largest.error, 3e-11 * largest.value) << s << " " << n;
    }
}

TEST(expected_softmax_weights, a_single_key_and_equal_logits_are_exact) {
  EXPECT_EQ(largest_weight(3.0, 1).value, 1.0);
  EXPECT_EQ(sum_of_squares(3.0, 1).value, 1.0);
  EXPECT_EQ(largest_weight(0.0, 4).value, 0.25);
  EXPECT_TRUE(within(sum_of_squares(0.0, 4), 0.25, 0));
  // 1/n has two roundings, of n and of the quotient.
  for (const auto n : counts) EXPECT_LE(largest_weight(0.0, n).error, ulp / static_cast<double>(n));
}

// Of n → ∞ logits Σ exp(2z)/Z² is n·exp(2s²) over n²·exp(s²), but for terms of exp(2s²)/n: below
// 1e−15 here. Squares weigh ξ most of all.
TEST(expected_softmax_weights, sum_of_squares_of_2_to_the_63_is_exp_of_the_variance_over_n) {
  for (const double s : {0.1, 0.5, 1.0, 1.5, 1.9, 2.0, 2.1}) {
    const double exact = std::exp(s * s) * 0x1p-63;
    EXPECT_TRUE(within(sum_of_squares(s, 1ull << 63), exact, 1e-14 * exact)) << s;
  }
}

// Near √(2 ln n), up to where the steps change, 1/Z is about 1/n²: far below the 1/n of equal
// logits. Bounds as above.
TEST(expected_softmax_weights, the_largest_of_2_to_the_63_lies_between_its_bounds) {
  constexpr std::uint64_t n = 1ull << 63;
  for (const double s : {1.0, 4.0, 7.0, 8.0, 9.0, 9.34, 9.35, 12.0}) {
    const auto largest = largest_weight(s, n), squares = sum_of_squares(s, n);
    EXPECT_GE(largest.value + largest.error, squares.value - squares.error) << s;
    EXPECT_LE(largest.value - largest.error, std::sqrt(squares.value + squares.error) * (1 + ulp))
        << s;
    EXPECT_LE(largest.error, 3e-11 * largest.value) << s;
  }
}

// The trace is 1 − Σw², which is 2w(1 − w) = 1/(1 + cosh d) of two logits: below 1e−21 beyond d =
// 50. By whichever way it is taken it keeps its digits.
TEST(expected_softmax_weights, trace_is_one_less_sum_of_squares_and_keeps_its_digits) {
  for (const double s : weight_deviations) {
    const double end = std::min(50.0, 13 * std::numbers::sqrt2 * s);
    const double exact =
        mean_over_difference(s, end, [](double d) { return 1 / (1 + std::cosh(d)); });
    EXPECT_TRUE(within(jacobian_trace(s, 2), exact, 1e-13 * exact)) << s;
    for (const auto n : weight_counts) {
      const auto squares = sum_of_squares(s, n), trace = jacobian_trace(s, n);
      EXPECT_TRUE(within(trace, 1 - squares.value, squares.error + ulp)) << s << " " << n;
      EXPECT_LE(trace.error, 1e-12 * trace.value) << s << " " << n;
      // Of a difference both parts' errors may add up.
      const auto [g, entropy] = log_sum_exp_and_entropy(s, n);
      if (squares.value >= 0.75) {
        EXPECT_GE(s * s * trace.error, (1 - 4 * ulp) * (g.error + entropy.error)) << s << " " << n;
      }
    }
  }
}

// ‖J‖ is at most m where d >= 2 arcosh(1/√(2m)), which has the probability erfc(d/(2s)). The
// argument has 4 roundings, which arcosh multiplies by coth(d/2) at most: below 3/s where s is
// small, so that d/(2s) is off by 12u/s².
TEST(expected_softmax_weights, half_of_two_logits_have_a_smaller_jacobian_than_the_median) {
  for (const double s : {0.01, 1.0, 8.0, 512.0}) {
    const double d = 2 * std::acosh(1 / std::sqrt(2 * expected::median_jacobian_of_two(s)));
    EXPECT_NEAR(std::erfc(d / (2 * s)), 0.5, 8 * ulp / std::min(1.0, s * s)) << s;
  }
}

TEST(expected_softmax_weights, two_logits_vanish_where_their_median_has_fallen_so_far) {
  const double at_one = expected::median_jacobian_of_two(1);
  for (const double level : {1.0, 0.1, 0.01, 1e-12}) {
    const double s = expected::vanishing_deviation_of_two(level);
    // The median falls by a factor exp(−s) at most: what s rounds by, times that.
    EXPECT_NEAR(expected::median_jacobian_of_two(s) / at_one, level, 16 * ulp * s * level) << level;
  }
}

}  // namespace
}  // namespace embedscale::properties::softmax_test
