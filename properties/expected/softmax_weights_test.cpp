// How concentrated a softmax is expected to be: against bounds that hold over the reals, and, of
// the largest weight, draws by the library's own primitive. Of two logits: the attention room's.
#include <embedscale/attention.hpp>
#include <embedscale/expected/softmax_weights.hpp>
#include <embedscale/random.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <span>
#include <string>

#include "../evidence/bounded.hpp"
#include "../testing/statistical.hpp"
#include "softmax_model.hpp"

namespace embedscale::properties::softmax_weights_test {
namespace {

using namespace expected_softmax;
using expected::jacobian_trace, expected::largest_weight, expected::log_sum_exp_and_entropy,
    expected::sum_of_squares;
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

/// The largest of so many weights in 4096 draws, against what is stated of it.
evidence::BoundedMean::Data drawn(double s, std::size_t count, const Stream& stream,
                                  const expected::Expectation& stated) {
  evidence::BoundedMean::Data data{{stated.value - stated.error, stated.value + stated.error}};
  std::vector<double> z(count);
  for (std::uint64_t draw = 0; draw < 4096; ++draw) {
    for (std::size_t j = 0; j < count; ++j) z[j] = s * stream.normal(draw * count + j);
    softmax(std::span(z));
    data.add(*std::ranges::max_element(z));
  }
  return data;
}

TEST(expected_softmax_weights, largest_weight_is_that_of_draws) {
  testing::Assertion<"expected_softmax_weights.largest_weight_is_that_of_draws",
                     evidence::BoundedMean>
      mean(3);
  for (const auto& [s, n] : {std::pair{0.5, 20}, {2.0, 100}, {8.0, 300}}) {
    const std::string name = "s = " + std::to_string(s) + ", n = " + std::to_string(n);
    mean.judge(drawn(s, n, mean.stream(name), largest_weight(s, n)), name);
  }
}

// At s = 8 and 300 logits, where much depends on both.
TEST(expected_softmax_weights, wrong_largest_weights_are_seen) {
  testing::Rejection<"expected_softmax_weights.largest_weight_is_that_of_draws",
                     evidence::BoundedMean>
      mutants(3, 3);
  const auto judge = [&](const expected::Expectation& wrong, const char* name) {
    mutants.judge(drawn(8, 300, mutants.stream(name), wrong),
                  std::abs(wrong.value - largest_weight(8, 300).value) - wrong.error, name);
  };
  judge(largest_weight(4, 300), "half the deviation");
  judge(largest_weight(64, 300), "the deviation squared");
  judge(largest_weight(8, 3), "a hundredth of the keys");
}

}  // namespace
}  // namespace embedscale::properties::softmax_weights_test
