// The expected softmax and how concentrated it is: against the same expectations by other formulas
// and other quadrature rules, and against bounds that hold over the reals. Against draws:
// softmax_draws_test.cpp.
#include <embedscale/expected/softmax_weights.hpp>

#include <gtest/gtest.h>
#include <boost/math/quadrature/gauss.hpp>
#include <boost/math/quadrature/tanh_sinh.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <numbers>
#include <span>
#include <stdexcept>
#include <vector>

namespace embedscale::properties {
namespace {

using expected::Expectation, expected::largest_weight, expected::log_sum_exp_and_entropy,
    expected::sum_of_squares;
constexpr double pi = std::numbers::pi, infinity = std::numeric_limits<double>::infinity();
constexpr double ulp = std::numeric_limits<double>::epsilon();
constexpr std::array deviations{1e-6, 0.01, 0.1, 0.5, 1.0, 1.5, 3.0, 10.0, 40.0, 1e3, 1e4, 1e6};
constexpr std::array<std::uint64_t, 7> counts{2, 3, 50, 1000, 256'000, 1ull << 32, 1ull << 40};
// The largest weight takes a time proportional to the deviation.
constexpr std::span weights_deviations = std::span(deviations).subspan(1, 8);
constexpr std::span weights_counts = std::span(counts).first(6);

double bell(double t) { return std::exp(-0.5 * t * t) / std::sqrt(2.0 * pi); }

::testing::AssertionResult within(const Expectation& found, double exact, double slack) {
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

// Over d = |z_1 − z_2|, z_1 − z_2 ~ N(0, 2s²), to `end`; tanh_sinh stops at 1e−13 of its integral.
template <class Function>
double mean_over_difference(double s, double end, Function f) {
  const double deviation = std::numbers::sqrt2 * s;
  return boost::math::quadrature::tanh_sinh<double>().integrate(
      [&](double d) { return 2 * f(d) * bell(d / deviation) / deviation; }, 0.0, end, 1e-13);
}

// ln Z is the larger logit + ln(1 + exp(−d)), the larger one s/√π in the mean, and H = ln(1 +
// exp(−d)) + d/(1 + exp(d)). Beyond d = 50, and beyond 13 deviations, is less than 1e−20 of either.
TEST(expected_softmax, two_logits_agree_with_the_integral_over_their_difference) {
  for (const double s : deviations) {
    const double end = std::min(50.0, 13 * std::numbers::sqrt2 * s);
    const double beyond =
        mean_over_difference(s, end, [](double d) { return std::log1p(std::exp(-d)); });
    const double even =
        mean_over_difference(s, end, [](double d) { return d / (1 + std::exp(d)); });
    const auto [log_sum_exp, entropy] = log_sum_exp_and_entropy(s, 2);
    const double exact = s / std::sqrt(pi) + beyond;
    EXPECT_TRUE(within(log_sum_exp, exact, 1e-13 * exact));
    EXPECT_TRUE(within(entropy, beyond + even, 1e-13 * (beyond + even)));
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
  for (const auto& reference : std::initializer_list<Reference>{{0.01, 2},
                                                                {0.3, 7},
                                                                {1, 50},
                                                                {1.1, 50},
                                                                {5, 1000},
                                                                {40, 2},
                                                                {40, 256'000},
                                                                {3, 0x1p32}}) {
    const auto [s, n] = reference;
    const double slack = 100 * ulp * (reference.right() - reference.left());
    const auto [log_sum_exp, entropy] = log_sum_exp_and_entropy(s, static_cast<std::uint64_t>(n));
    const double exact = reference.log_sum_exp();
    EXPECT_TRUE(within(log_sum_exp, exact, slack)) << " at " << s << " " << n;
    EXPECT_TRUE(within(entropy, exact - reference.chosen(), 2 * slack)) << " at " << s << " " << n;
  }
}

// With Q = Σ w², f = E ln Z and d/ds E h(sξ) = s E Δh: f' = s (1 − E Q), and d/ds E Q =
// 2s E(Q − 4Σw³ + 3Q²) <= 2s E Q as Σ w³ >= Q². So 1/n <= E Q <= exp(s²)/n, which integrates to
//   ln n + s²/2 − (exp(s²) − 1)/(2n) <= f <= ln n + s²/2 − s²/(2n)
// and H = f − s f' = f − s² + s² E Q. The bounds are s⁴/(4n) and about s⁴/n apart, and rounded to
// within 4 ulp.
TEST(expected_softmax, small_deviations_obey_the_second_order_to_within_the_fourth) {
  for (const double s : {1e-6, 0.001, 0.01, 0.1, 0.5, 1.0})
    for (const auto count : counts) {
      const double n = static_cast<double>(count), v = s * s;
      const double least = std::log(n) + 0.5 * v - 0.5 * std::expm1(v) / n;
      const double most = std::log(n) + 0.5 * v - 0.5 * v / n, slack = 4 * ulp * (most + v);
      const auto [log_sum_exp, entropy] = log_sum_exp_and_entropy(s, count);
      EXPECT_GE(log_sum_exp.value, least - log_sum_exp.error - slack) << s << " " << n;
      EXPECT_LE(log_sum_exp.value, most + log_sum_exp.error + slack) << s << " " << n;
      EXPECT_GE(entropy.value, least - v + v / n - entropy.error - slack) << s << " " << n;
      EXPECT_LE(entropy.value, most - v + v * std::exp(v) / n + entropy.error + slack) << s;
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

// f = E ln Z is convex in s, and f' = (f − E H)/s: the quotient before is not larger, the one after
// not smaller. At h = s/1024 they enclose it to h f''.
TEST(expected_softmax, entropy_is_log_sum_exp_less_its_slope_times_deviation) {
  for (const double s : {0.01, 0.1, 0.5, 1.0, 1.5, 3.0, 10.0, 40.0, 1e3})
    for (const auto n : counts) {
      const double h = s / 1024;
      const auto [f, entropy] = log_sum_exp_and_entropy(s, n);
      const auto before = log_sum_exp_and_entropy(s - h, n).log_sum_exp,
                 after = log_sum_exp_and_entropy(s + h, n).log_sum_exp;
      const double slope = (f.value - entropy.value) / s, slack = (2 * f.error + after.error) / h;
      EXPECT_LE((f.value - before.value) / h, slope + slack) << s << " " << n;
      EXPECT_GE((after.value - f.value) / h, slope - slack) << s << " " << n;
    }
}

// Next to each other on both sides of s = 1, the values differ by |f'| ε <= ε d_n, and ε |dH/ds|.
TEST(expected_softmax, both_orders_of_integration_agree) {
  for (const auto n : counts) {
    const auto over_normal = log_sum_exp_and_entropy(1.0, n),
               over_gumbel = log_sum_exp_and_entropy(std::nextafter(1.0, 2.0), n);
    EXPECT_TRUE(within(over_normal.log_sum_exp, over_gumbel.log_sum_exp.value, 0));
    EXPECT_TRUE(within(over_normal.entropy, over_gumbel.entropy.value, 0));
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

// By integration by parts g' = s (1 − E Σw²) for g = E ln Z, and E H = g − s g': so E Σw² is
// 1 − (g − E H)/s², whose error the two errors make, and rounding of the difference.
TEST(expected_softmax_weights, sum_of_squares_is_the_slope_of_log_sum_exp) {
  for (const double s : weights_deviations)
    for (const auto n : weights_counts) {
      const auto [g, entropy] = log_sum_exp_and_entropy(s, n);
      const auto squares = sum_of_squares(s, n);
      const double slope = (g.value - entropy.value) / (s * s);
      const double slack = (g.error + entropy.error + 2 * ulp * g.value) / (s * s) + 2 * ulp;
      EXPECT_LE(std::abs(squares.value - (1 - slope)), squares.error + slack) << s << " " << n;
    }
}

// With d as above, the larger of two weights is 1/(1 + exp(−d)) and Σw² is 1 − 2w(1 − w), which are
// not small beyond d = 50: to 13 deviations. tanh_sinh stops at 1e−13 of it, as above.
TEST(expected_softmax_weights, two_logits_agree_with_the_integral_over_their_difference) {
  const auto larger = [](double d) { return 1 / (1 + std::exp(-d)); };
  for (const double s : weights_deviations) {
    const double end = 13 * std::numbers::sqrt2 * s;
    const double largest = mean_over_difference(s, end, larger);
    const double squares =
        mean_over_difference(s, end, [&](double d) { return 1 - 2 * larger(d) * (1 - larger(d)); });
    EXPECT_TRUE(within(largest_weight(s, 2), largest, 1e-13 * largest)) << s;
    EXPECT_TRUE(within(sum_of_squares(s, 2), squares, 1e-13 * squares)) << s;
  }
}

// n max w = exp(s max ξ)/mean exp(sξ) = 1 + s max ξ + O(s²) in the mean: a second order below
// d² + 1 for d = E max ξ.
TEST(expected_softmax_weights, small_deviations_obey_the_first_order) {
  const double s = 1e-4;
  for (const auto count : weights_counts) {
    const double n = static_cast<double>(count), d = expected_largest(n);
    EXPECT_TRUE(within(largest_weight(s, count), (1 + s * d) / n, s * s * (d * d + 1) / n)) << n;
  }
}

// Of n weights that sum to 1: 1/n <= Σw² <= max w <= √Σw², so with means and Jensen's inequality.
TEST(expected_softmax_weights, largest_weight_lies_between_sum_of_squares_and_its_root) {
  for (const double s : weights_deviations)
    for (const auto n : weights_counts) {
      const auto largest = largest_weight(s, n), squares = sum_of_squares(s, n);
      const double slack = largest.error + squares.error;
      EXPECT_GE(squares.value, 1 / static_cast<double>(n) - slack) << s << " " << n;
      EXPECT_GE(largest.value, squares.value - slack) << s << " " << n;
      EXPECT_LE(largest.value, std::sqrt(squares.value) * (1 + ulp) + slack) << s << " " << n;
      EXPECT_LT(largest.value, 1) << s << " " << n;
    }
}

TEST(expected_softmax_weights, both_rise_with_deviation_and_fall_with_count) {
  for (std::size_t i = 0; i + 1 < weights_deviations.size(); ++i)
    for (std::size_t j = 0; j + 1 < weights_counts.size(); ++j) {
      const double s = weights_deviations[i], t = weights_deviations[i + 1];
      EXPECT_LT(largest_weight(s, weights_counts[j]).value,
                largest_weight(t, weights_counts[j]).value);
      EXPECT_GT(largest_weight(t, weights_counts[j]).value,
                largest_weight(t, weights_counts[j + 1]).value);
      EXPECT_LT(sum_of_squares(s, weights_counts[j]).value,
                sum_of_squares(t, weights_counts[j]).value);
      EXPECT_GT(sum_of_squares(t, weights_counts[j]).value,
                sum_of_squares(t, weights_counts[j + 1]).value);
    }
}

// 3e−13 as the header says. Of the largest weight, 1e−12 for roundings, and what steps of 0.35 are
// off, 1.1e−12 M = 2M exp(−π²/0.35), where M is how integrands grow off the axis: no bound of it is
// derived, and the largest share that was found here is 1.3e−11.
TEST(expected_softmax_weights, errors_stay_small) {
  for (const double s : weights_deviations)
    for (const auto n : weights_counts) {
      EXPECT_LE(sum_of_squares(s, n).error, 3e-13 * sum_of_squares(s, n).value) << s << " " << n;
      EXPECT_LE(largest_weight(s, n).error, 3e-11 * largest_weight(s, n).value) << s << " " << n;
    }
}

TEST(expected_softmax_weights, a_single_key_and_equal_logits_are_exact) {
  EXPECT_EQ(largest_weight(3.0, 1).value, 1.0);
  EXPECT_EQ(sum_of_squares(3.0, 1).value, 1.0);
  EXPECT_EQ(largest_weight(0.0, 4).value, 0.25);
  EXPECT_TRUE(within(sum_of_squares(0.0, 4), 0.25, 0));
}

TEST(expected_softmax, refuses_a_deviation_or_a_count_that_is_none) {
  const auto refused = [](double s, std::uint64_t n) {
    EXPECT_THROW(log_sum_exp_and_entropy(s, n), std::invalid_argument) << s << " " << n;
    EXPECT_THROW(largest_weight(s, n), std::invalid_argument) << s << " " << n;
    EXPECT_THROW(sum_of_squares(s, n), std::invalid_argument) << s << " " << n;
  };
  for (const double bad : {-1.0, -1e-300, infinity, -infinity, std::nan("")})
    for (const std::uint64_t n : {1, 2}) refused(bad, n);
  refused(1.0, 0);
  EXPECT_NO_THROW(log_sum_exp_and_entropy(-0.0, 2));
}

}  // namespace
}  // namespace embedscale::properties
