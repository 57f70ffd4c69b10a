// Wrong formulas for the expected softmax, most of them right at another deviation, each rejected
// by the entry of the ledger that the library's passes in expected_softmax_test. How far each is
// off is its distance from the quadrature, less what that may err by.
#include <embedscale/attention.hpp>
#include <embedscale/expected/softmax.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "evidence/bounded.hpp"
#include "oracle/softmax_draws.hpp"
#include "testing/statistical.hpp"

namespace embedscale::properties {
namespace {

using namespace evidence;
using oracle::for_each_draw, oracle::name_of;

double least_error(double wrong, const expected::Expectation& right) {
  return std::abs(wrong - right.value) - right.error;
}

TEST(expected_softmax, wrong_log_sums_are_seen) {
  testing::Rejection<"expected_softmax.log_sum_exp_is_that_of_draws", SubGaussianMean> mutants(5,
                                                                                               3);
  const auto off = [&](const char* what, double s, std::size_t n, double wrong) {
    SubGaussianMean::Data data;
    for_each_draw(s, n, mutants.stream(name_of(s, n)), [&](double first, auto weights) {
      data.add((first - std::log(weights[0]) - wrong) / s);
    });
    mutants.judge(data, least_error(wrong, expected::softmax(s, n).log_sum_exp) / s, what);
  };
  // Of no deviation, of small and of large ones: beyond its own range each is off. At s = 3 and
  // n = 300 two of these, ln n + s²/2 and s √(2 ln n), are only 0.1 s off: too little to show.
  off("ln n at s = 0.5", 0.5, 20, std::log(20));
  off("s/4 high", 1, 100, expected::softmax(1, 100).log_sum_exp.value + 0.25);
  off("ln n + s^2/2 at s = 3", 3, 20, std::log(20) + 4.5);
  off("ln n at s = 1", 1, 100, std::log(100));
  off("s sqrt(2 ln n) at s = 1", 1, 100, std::sqrt(2 * std::log(100)));
}

TEST(expected_softmax, wrong_entropies_are_seen) {
  testing::Rejection<"expected_softmax.entropy_is_that_of_draws", BoundedMean> mutants(6, 3);
  const auto off = [&](const char* what, double s, std::size_t n, double wrong) {
    const double most = std::log(static_cast<double>(n));
    BoundedMean::Data data{{wrong / most, wrong / most}};
    for_each_draw(s, n, mutants.stream(name_of(s, n)), [&](double, auto weights) {
      data.add(std::clamp(embedscale::entropy(weights) / most, 0.0, 1.0));
    });
    mutants.judge(data, least_error(wrong, expected::softmax(s, n).entropy) / most, what);
  };
  const auto one = expected::softmax(1, 100);
  off("ln(n)/8 high", 1, 100, one.entropy.value + std::log(100) / 8);
  off("s^2 for s^2/2", 1, 100, std::log(100) - 1);
  off("that of equal weights at s = 1", 1, 100, std::log(100));
  off("ln Z for H", 1, 100, one.log_sum_exp.value);
  off("in bits", 0.5, 20, expected::softmax(0.5, 20).entropy.value / std::numbers::ln2);
  off("that of equal weights at s = 3", 3, 300, std::log(300));
}

}  // namespace
}  // namespace embedscale::properties
