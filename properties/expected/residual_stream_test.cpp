// How a pre-norm stream grows: against what is exact over the reals, and an integral by hand.
#include <embedscale/expected/residual_stream.hpp>
#include <embedscale/expected/softmax_weights.hpp>

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>
#include <vector>

namespace embedscale::properties::residual_stream_test {
namespace {

using expected::behind_block, expected::network_mean_square, expected::ResidualStream,
    expected::token_share;

TEST(expected_residual_stream, a_network_adds_8_of_25_where_it_is_four_times_as_wide) {
  EXPECT_DOUBLE_EQ(network_mean_square(4), 8.0 / 25);
  EXPECT_DOUBLE_EQ(network_mean_square(1), 0.5);
  EXPECT_EQ(network_mean_square(0), 0);
}

// Attention to oneself alone, or to states that are all the same, returns a state of mean square 1.
TEST(expected_residual_stream, a_single_token_and_equal_ones_grow_by_1_and_the_network) {
  for (const double square : {0.01, 1.0, 7.0})
    for (const std::uint64_t n : {1, 2, 100}) {
      const auto next = behind_block({square, square}, n, 4);
      EXPECT_NEAR(next.square, square + 1.32, 1e-12) << n;
      EXPECT_NEAR(next.product, next.square, 1e-12) << n;
    }
  EXPECT_NEAR(behind_block({2, 0}, 1, 4).square, 3.32, 1e-12);
}

// Uncorrelated states: S of 10^9 logits of variance 1 is e/10^9 to leading order; two queries'
// share is 1/n. The network makes κ(0) = 1/π of them.
TEST(expected_residual_stream, many_uncorrelated_states_leave_attention_nothing) {
  const auto next = behind_block({1, 0}, 1'000'000'000, 4);
  EXPECT_NEAR(next.square, 1.32 + std::numbers::e * 1e-9, 1e-13);
  EXPECT_NEAR(next.product, 0.32 / std::numbers::pi + 1e-9, 1e-9);
}

// Without a network the square grows by ρ + (1 − ρ)·S. Of S the quadratures are off by 3e−13, which
// interpolation may multiply by 3.1, and it by 1e−13 of its own; the square has 4u of rounding. Of
// negative correlation nothing is interpolated, nor where t = 1 − ρ is one of the 25 or 17 points:
// beyond ½, 1 − t and what it is taken from are exact.
TEST(expected_residual_stream, its_interpolated_weights_are_those_of_the_quadrature) {
  std::vector<double> correlations{-1.0, -0.4, 0.0, 1e-3, 0.013, 0.1, 0.25, 0.37, 0.5, 0.71, 0.9};
  for (const double points : {25.0, 17.0}) {
    const double sine = std::sin(std::numbers::pi * 15.5 / points / 2);
    correlations.push_back(1 - sine * sine);
  }
  for (const std::uint64_t n : {2, 3, 7, 50, 1000, 8192, 1 << 20})
    for (const double rho : correlations) {
      const auto next = behind_block({1, rho}, n, 0);
      const double own = (next.square - 1 - rho) / (1 - rho);
      const double expected = expected::sum_of_squares(std::sqrt(1 - rho), n).value;
      EXPECT_NEAR(own, expected, 1.4e-12 * expected + 0x1p-51 / (1 - rho)) << n << " " << rho;
    }
}

// κ(½) = (√¾ + (π − π/3)/2)/π, and κ(−1) = 0. Two states of correlation ½ under weights ½ ± t/2,
// t = tanh(z), 2z ~ N(0, 1): A = ½ + ½·E(1 + t²)/2.
TEST(expected_residual_stream, two_tokens_agree_with_the_integral_over_their_logits) {
  double square = 0, weights = 0;
  for (int k = -80; k <= 80; ++k) {
    const double x = 0.1 * k, weight = std::exp(-0.5 * x * x), t = std::tanh(0.5 * x);
    weights += weight, square += weight * t * t;
  }
  const double attention = 0.5 + 0.25 * (1 + square / weights);
  const auto next = behind_block({3, 1.5}, 2, 4);
  EXPECT_NEAR(next.square, 3 + attention + 0.32, 1e-12);
  const double own = 2 * (attention - 0.5), product = 2 + 0.5 * std::sqrt(2 * own) / 2;
  const double rho = product / (3 + attention);
  const double kernel =
      (std::sqrt(1 - rho * rho) + rho * (std::numbers::pi - std::acos(rho))) / std::numbers::pi;
  EXPECT_NEAR(next.product, product + 0.32 * kernel, 1e-12);
}

// E relu(y)·relu(y′) over E relu(y)² at correlation ρ, by an integral over y and y′.
TEST(expected_residual_stream, the_network_s_kernel_is_a_mean_of_two_relus) {
  for (const double rho : {-1.0, -0.4, 0.0, 0.7, 1.0}) {
    double sum = 0, weights = 0;
    for (int i = -800; i <= 800; ++i)
      for (int j = -800; j <= 800; j += 5) {
        const double x = 0.01 * i, y = 0.01 * j, weight = std::exp(-0.5 * (x * x + y * y));
        weights += weight;
        sum += weight * std::max(x, 0.0) * std::max(rho * x + std::sqrt(1 - rho * rho) * y, 0.0);
      }
    // n so large that attention adds nothing but ρ to both: from there on it is the network alone.
    const ResidualStream from{1e9, rho * 1e9};
    const auto next = behind_block(from, 1, 4);
    const double network = next.square - 1e9 - 1;
    EXPECT_NEAR(network, 0.32, 1e-6);
    EXPECT_NEAR((next.product - rho * 1e9 - 1) / 0.32, 2 * sum / weights, 1e-3) << rho;
  }
}

// A single token grows by 1.32 a block: 1/(1 + 1.32k). Beside a position it starts at t²/(t² + ½).
// A block rounds its sums 6 times, 1.32 itself twice: relative 8·25·2^−53 < 1e-13.
TEST(expected_residual_stream, a_single_token_s_share_falls_as_one_over_the_blocks) {
  for (const std::uint64_t blocks : {0, 1, 2, 24}) {
    const double grown = 1.32 * static_cast<double>(blocks);
    EXPECT_NEAR(token_share(1, {1, 1}, blocks, 1, 4), 1 / (1 + grown), 1e-13) << blocks;
    EXPECT_NEAR(token_share(0.25, {0.75, 0.5}, blocks, 1, 4), 0.25 / (0.75 + grown), 1e-13);
  }
  EXPECT_EQ(token_share(0, {0.5, 0.4}, 3, 16, 4), 0);
}

}  // namespace
}  // namespace embedscale::properties::residual_stream_test
