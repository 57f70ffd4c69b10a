// The expected softmax and how concentrated it is, against draws by the library's own primitive.
// And wrong formulas, most of them right at another deviation, each rejected by the same entry of
// the ledger. How far each is off is its distance from the quadrature, less what that may err by.
#include <embedscale/attention.hpp>
#include <embedscale/expected/softmax_weights.hpp>
#include <embedscale/random.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <numbers>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "../evidence/bounded.hpp"
#include "../testing/statistical.hpp"

namespace embedscale::properties::softmax_draws_test {
namespace {

using namespace evidence;
using expected::Expectation, expected::largest_weight, expected::log_sum_exp_and_entropy,
    expected::sum_of_squares;
using Deviations = std::array<std::pair<double, std::size_t>, 3>;
constexpr Deviations drawn{{{0.5, 20}, {1.0, 100}, {3.0, 300}}};
constexpr Deviations drawn_weights{{{0.5, 20}, {2.0, 100}, {8.0, 300}}};

/// f(first logit, weights) of 4096 draws of `count` normal logits of deviation s.
template <class Function>
void for_each_draw(double s, std::size_t count, const Stream& stream, Function f) {
  std::vector<double> z(count);
  for (std::uint64_t draw = 0; draw < 4096; ++draw) {
    for (std::size_t j = 0; j < count; ++j) z[j] = s * stream.normal(draw * count + j);
    const double first = z[0];
    softmax(std::span(z));
    f(first, std::span<const double>(z));
  }
}

std::string name_of(double s, std::size_t n) {
  return "s = " + std::to_string(s) + ", n = " + std::to_string(n);
}

// ln Z of s ξ is s-Lipschitz in ξ (‖w‖ <= 1), so sub-Gaussian with proxy s. The null is as wide as
// the quadrature's error.
SubGaussianMean::Data log_sums_of(double s, std::size_t count, const Stream& stream,
                                  const Expectation& expected) {
  SubGaussianMean::Data data{.null = {-expected.error / s, expected.error / s}};
  for_each_draw(s, count, stream, [&](double first, auto weights) {
    data.add((first - std::log(weights[0]) - expected.value) / s);
  });
  return data;
}

// One statistic of the weights, in [0, 1] but for roundings, against its integral.
template <class Statistic>
BoundedMean::Data weights_of(double s, std::size_t count, const Stream& stream,
                             const Expectation& expected, Statistic statistic) {
  BoundedMean::Data data{{expected.value - expected.error, expected.value + expected.error}};
  for_each_draw(s, count, stream,
                [&](double, auto weights) { data.add(std::clamp(statistic(weights), 0.0, 1.0)); });
  return data;
}
double largest_of(std::span<const double> w) { return *std::ranges::max_element(w); }
double squares_of(std::span<const double> w) {
  double sum = 0;
  for (const double x : w) sum += x * x;
  return sum;
}
// Both in units of ln n, which H is at most.
double entropy_of(std::span<const double> w) {
  return embedscale::entropy(w) / std::log(static_cast<double>(w.size()));
}
Expectation entropy_share(double s, std::size_t n) {
  const auto [value, error] = log_sum_exp_and_entropy(s, n).entropy;
  const double most = std::log(static_cast<double>(n));
  return {value / most, error / most};
}

/// The cases of a grid, each with data_of(s, n, its stream).
template <class Grid, class DataOf>
void judge_all(Grid& grid, const Deviations& all, DataOf data_of) {
  for (const auto& [s, n] : all)
    grid.judge(data_of(s, n, grid.stream(name_of(s, n))), name_of(s, n));
}

TEST(expected_softmax, log_sum_exp_is_that_of_draws) {
  testing::Assertion<"expected_softmax.log_sum_exp_is_that_of_draws", SubGaussianMean> mean(3);
  judge_all(mean, drawn, [](double s, std::size_t n, const Stream& stream) {
    return log_sums_of(s, n, stream, log_sum_exp_and_entropy(s, n).log_sum_exp);
  });
}
TEST(expected_softmax, entropy_is_that_of_draws) {
  testing::Assertion<"expected_softmax.entropy_is_that_of_draws", BoundedMean> mean(3);
  judge_all(mean, drawn, [](double s, std::size_t n, const Stream& stream) {
    return weights_of(s, n, stream, entropy_share(s, n), entropy_of);
  });
}
TEST(expected_softmax_weights, largest_weight_is_that_of_draws) {
  testing::Assertion<"expected_softmax_weights.largest_weight_is_that_of_draws", BoundedMean> mean(
      3);
  judge_all(mean, drawn_weights, [](double s, std::size_t n, const Stream& stream) {
    return weights_of(s, n, stream, largest_weight(s, n), largest_of);
  });
}
TEST(expected_softmax_weights, sum_of_squares_is_that_of_draws) {
  testing::Assertion<"expected_softmax_weights.sum_of_squares_is_that_of_draws", BoundedMean> mean(
      3);
  judge_all(mean, drawn_weights, [](double s, std::size_t n, const Stream& stream) {
    return weights_of(s, n, stream, sum_of_squares(s, n), squares_of);
  });
}

TEST(expected_softmax, wrong_log_sums_are_seen) {
  testing::Rejection<"expected_softmax.log_sum_exp_is_that_of_draws", SubGaussianMean> mutants(5,
                                                                                               3);
  const auto off = [&](const char* what, double s, std::size_t n, double wrong) {
    const auto right = log_sum_exp_and_entropy(s, n).log_sum_exp;
    mutants.judge(log_sums_of(s, n, mutants.stream(name_of(s, n)), {wrong, 0}),
                  (std::abs(wrong - right.value) - right.error) / s, what);
  };
  // Of no deviation, of small and of large ones: beyond its own range each is off. At s = 3 and
  // n = 300 two of these, ln n + s²/2 and s √(2 ln n), are only 0.1 s off: too little to show.
  off("ln n at s = 0.5", 0.5, 20, std::log(20));
  off("s/4 high", 1, 100, log_sum_exp_and_entropy(1, 100).log_sum_exp.value + 0.25);
  off("ln n + s^2/2 at s = 3", 3, 20, std::log(20) + 4.5);
  off("ln n at s = 1", 1, 100, std::log(100));
  off("s sqrt(2 ln n) at s = 1", 1, 100, std::sqrt(2 * std::log(100)));
}

TEST(expected_softmax, wrong_entropies_are_seen) {
  testing::Rejection<"expected_softmax.entropy_is_that_of_draws", BoundedMean> mutants(6, 3);
  const auto off = [&](const char* what, double s, std::size_t n, double wrong) {
    const auto right = entropy_share(s, n);
    const double share = wrong / std::log(static_cast<double>(n));
    mutants.judge(weights_of(s, n, mutants.stream(name_of(s, n)), {share, 0}, entropy_of),
                  std::abs(share - right.value) - right.error, what);
  };
  const auto one = log_sum_exp_and_entropy(1, 100);
  off("ln(n)/8 high", 1, 100, one.entropy.value + std::log(100) / 8);
  off("s^2 for s^2/2", 1, 100, std::log(100) - 1);
  off("that of equal weights at s = 1", 1, 100, std::log(100));
  off("ln Z for H", 1, 100, one.log_sum_exp.value);
  off("in bits", 0.5, 20, log_sum_exp_and_entropy(0.5, 20).entropy.value / std::numbers::ln2);
  off("that of equal weights at s = 3", 3, 300, std::log(300));
}

// At s = 8 and 300 logits, where much depends on both: what a wrong formula states in the place of
// the right one, and how far apart the two are.
template <class Mutants, class Formula, class Statistic>
void wrong_formulas_differ(Mutants& mutants, Formula formula, Statistic statistic) {
  const auto judge = [&](const Expectation& wrong, const char* name) {
    mutants.judge(weights_of(8, 300, mutants.stream(name), wrong, statistic),
                  std::abs(wrong.value - formula(8, 300).value) - wrong.error, name);
  };
  judge(formula(4, 300), "half the deviation");
  judge(formula(64, 300), "the deviation squared");
  judge(formula(8, 3), "a hundredth of the keys");
}
TEST(expected_softmax_weights, wrong_largest_weights_are_seen) {
  testing::Rejection<"expected_softmax_weights.largest_weight_is_that_of_draws", BoundedMean>
      mutants(3, 3);
  wrong_formulas_differ(mutants, largest_weight, largest_of);
}
TEST(expected_softmax_weights, wrong_sums_of_squares_are_seen) {
  testing::Rejection<"expected_softmax_weights.sum_of_squares_is_that_of_draws", BoundedMean>
      mutants(3, 3);
  wrong_formulas_differ(mutants, sum_of_squares, squares_of);
}

}  // namespace
}  // namespace embedscale::properties::softmax_draws_test
