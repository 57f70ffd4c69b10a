// How concentrated the expected softmax is: against the derivative of E ln Z, against a rule of
// another kind for two logits, and against limits. Against draws: softmax_draws_test.cpp.
#include <embedscale/expected/softmax_weights.hpp>

#include <gtest/gtest.h>
#include <boost/math/quadrature/tanh_sinh.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <numbers>
#include <span>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace embedscale::properties {
namespace {

using expected::largest_weight, expected::sum_of_squares;
constexpr std::array deviations{0.01, 0.1, 0.5, 1.0, 1.5, 3.0, 10.0, 40.0};
constexpr std::array<std::uint64_t, 6> counts{2, 3, 50, 1000, 256'000, 1ull << 32};
constexpr double ulp = std::numeric_limits<double>::epsilon();

// By integration by parts g' = s (1 − E Σw²) for g = E ln Z, and E H = g − s g': so E Σw² is
// 1 − (g − E H)/s², whose error the two errors make, and rounding of the difference.
TEST(expected_softmax_weights, sum_of_squares_is_the_slope_of_log_sum_exp) {
  for (const double s : deviations)
    for (const auto n : counts) {
      const auto [g, entropy] = expected::log_sum_exp_and_entropy(s, n);
      const auto squares = sum_of_squares(s, n);
      const double slope = (g.value - entropy.value) / (s * s);
      const double slack = (g.error + entropy.error + 2 * ulp * g.value) / (s * s) + 2 * ulp;
      EXPECT_LE(std::abs(squares.value - (1 - slope)), squares.error + slack) << s << " " << n;
    }
}

// With d = |z_1 − z_2|, z_1 − z_2 ~ N(0, 2s²), the larger weight is 1/(1 + exp(−d)) and Σw² is
// 1 − 2w(1 − w). tanh_sinh stops at 1e−12 of its integral.
TEST(expected_softmax_weights, two_logits_agree_with_the_integral_over_their_difference) {
  boost::math::quadrature::tanh_sinh<double> rule;
  for (const double s : deviations) {
    const auto mean = [&](auto f) {
      return rule.integrate(
          [&](double x) {
            const double bell = std::exp(-0.5 * x * x) / std::sqrt(2 * std::numbers::pi);
            return 2 * bell * f(1 / (1 + std::exp(-std::numbers::sqrt2 * s * x)));
          },
          0.0, 9.0, 1e-12);
    };
    const auto largest = largest_weight(s, 2), squares = sum_of_squares(s, 2);
    EXPECT_NEAR(largest.value, mean([](double w) { return w; }), largest.error + 1e-12) << s;
    EXPECT_NEAR(squares.value, mean([](double w) { return 1 - 2 * w * (1 - w); }),
                squares.error + 1e-12)
        << s;
  }
}

// n max w = exp(s max ξ)/mean exp(sξ) = 1 + s max ξ + O(s²) in the mean: a second order below d² +
// 1 for d = E max ξ = ∫ n t φ(t) Φ^{n−1}(t) dt (by the trapezoidal rule: analytic, to 1e−10 at a
// step of 0.01).
TEST(expected_softmax_weights, small_deviations_obey_the_first_order) {
  const double s = 1e-4;
  for (const auto count : counts) {
    const double n = static_cast<double>(count);
    double d = 0;
    for (double t = -9; t < 12; t += 0.01)
      d += 0.01 * n * t * std::exp(-0.5 * t * t) / std::sqrt(2 * std::numbers::pi) *
           std::exp((n - 1) * std::log1p(-0.5 * std::erfc(t / std::numbers::sqrt2)));
    const auto largest = largest_weight(s, count);
    EXPECT_NEAR(n * largest.value, 1 + s * d, n * largest.error + s * s * (d * d + 1)) << n;
  }
}

// Of n weights that sum to 1: 1/n <= Σw² <= max w <= √Σw², so with means and Jensen's inequality.
TEST(expected_softmax_weights, largest_weight_lies_between_sum_of_squares_and_its_root) {
  for (const double s : deviations)
    for (const auto n : counts) {
      const auto largest = largest_weight(s, n), squares = sum_of_squares(s, n);
      const double slack = largest.error + squares.error;
      EXPECT_GE(squares.value, 1 / static_cast<double>(n) - slack) << s << " " << n;
      EXPECT_GE(largest.value, squares.value - slack) << s << " " << n;
      EXPECT_LE(largest.value, std::sqrt(squares.value) * (1 + ulp) + slack) << s << " " << n;
      EXPECT_LT(largest.value, 1) << s << " " << n;
    }
}

TEST(expected_softmax_weights, both_rise_with_deviation_and_fall_with_count) {
  for (std::size_t i = 0; i + 1 < deviations.size(); ++i)
    for (std::size_t j = 0; j + 1 < counts.size(); ++j) {
      const double s = deviations[i], t = deviations[i + 1];
      EXPECT_LT(largest_weight(s, counts[j]).value, largest_weight(t, counts[j]).value);
      EXPECT_GT(largest_weight(t, counts[j]).value, largest_weight(t, counts[j + 1]).value);
      EXPECT_LT(sum_of_squares(s, counts[j]).value, sum_of_squares(t, counts[j]).value);
      EXPECT_GT(sum_of_squares(t, counts[j]).value, sum_of_squares(t, counts[j + 1]).value);
    }
}

// Of ever more logits of deviation s = λ√(2 ln n), λ > 1, the random-energy model keeps
// E Σw² = 1 − 1/λ. Finite n exceed it, at 2^32 and λ = 2 by less than 0.02.
TEST(expected_softmax_weights, many_logits_near_the_random_energy_model) {
  const std::uint64_t n = 1ull << 32;
  const double s = 2 * std::sqrt(2 * std::log(static_cast<double>(n)));
  EXPECT_NEAR(sum_of_squares(s, n).value, 0.5, 0.03);
  EXPECT_LT(sum_of_squares(s / 4, n).value, 1e-3);
}

TEST(expected_softmax_weights, errors_stay_small) {
  for (const double s : deviations)
    for (const auto n : counts) {
      EXPECT_LE(sum_of_squares(s, n).error, 3e-13 * sum_of_squares(s, n).value) << s << " " << n;
      EXPECT_LE(largest_weight(s, n).error, 3e-11 * largest_weight(s, n).value) << s << " " << n;
    }
}

TEST(expected_softmax_weights, a_single_key_and_equal_logits_are_exact) {
  EXPECT_EQ(largest_weight(3.0, 1).value, 1.0);
  EXPECT_EQ(sum_of_squares(3.0, 1).value, 1.0);
  EXPECT_EQ(largest_weight(0.0, 4).value, 0.25);
  EXPECT_NEAR(sum_of_squares(0.0, 4).value, 0.25, 1e-13);
  for (const double bad : {-1.0, std::numeric_limits<double>::infinity(), std::nan("")}) {
    EXPECT_THROW(largest_weight(bad, 2), std::invalid_argument);
    EXPECT_THROW(sum_of_squares(bad, 2), std::invalid_argument);
  }
  EXPECT_THROW(largest_weight(1.0, 0), std::invalid_argument);
  EXPECT_THROW(sum_of_squares(1.0, 0), std::invalid_argument);
}

}  // namespace
}  // namespace embedscale::properties
