// ForwardError: its bound holds for binary32 in every order, is not idle, and knows what errors
// have in common.
#include "training/test/forward_error.hpp"

#include <embedscale/format.hpp>
#include <embedscale/random.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <numeric>
#include <span>
#include <vector>

namespace embedscale::training {
namespace {

using Bound = ForwardError<float>;

double share(float got, const Bound& bound) {
  const double apart = std::abs(static_cast<double>(got - bound.value()));
  return apart == 0.0 ? 0.0 : apart / bound.error();
}

/// The two halves by themselves.
float pairwise(std::span<const float> x) {
  return x.size() == 1 ? x[0] : pairwise(x.first(x.size() / 2)) + pairwise(x.subspan(x.size() / 2));
}

std::vector<float> drawn(std::size_t n, std::uint64_t seed) {
  const Stream stream(seed, "forward error");
  std::vector<float> x;
  for (std::size_t i = 0; i < n; ++i) x.push_back(static_cast<float>(stream.normal(i)));
  return x;
}

TEST(forward_error, bounds_a_sum_in_every_order) {
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    auto x = drawn(40, seed);
    const Bound sum = std::accumulate(x.begin(), x.end(), Bound(0));
    const auto in_a_row = [&] { return std::accumulate(x.begin(), x.end(), 0.0f); };
    EXPECT_LE(share(in_a_row(), sum), 1.0);
    EXPECT_LE(share(pairwise(x), sum), 1.0);
    std::ranges::sort(x);
    EXPECT_LE(share(in_a_row(), sum), 1.0);
    std::ranges::reverse(x);
    EXPECT_LE(share(in_a_row(), sum), 1.0);
  }
}

// Each addition of half an ulp and a little goes up by almost the other half.
TEST(forward_error, of_a_sum_is_attained) {
  std::vector<float> x(100, 0x1.01p-24f);
  x.insert(x.begin(), 1.0f);
  const Bound sum = std::accumulate(x.begin(), x.end(), Bound(0));
  const double attained = share(std::accumulate(x.begin(), x.end(), 0.0f), sum);
  EXPECT_GT(attained, 0.9);
  EXPECT_LE(attained, 1.0);
}

/// The largest share of an operation on what double's numbers are in binary32.
template <class Operation>
double worst_share(Operation of) {
  const Stream stream(1, "operands");
  double worst = 0.0;
  for (std::uint64_t i = 0; i < 3000; ++i) {
    const double a = 0.1 + stream.uniform(2 * i), b = 0.1 + stream.uniform(2 * i + 1);
    worst = std::max(
        worst, share(of(static_cast<float>(a), static_cast<float>(b)), of(Bound(a), Bound(b))));
  }
  return worst;
}

/// The same of operands that are off by up to 2^-8, at either end of their errors.
template <class Operation>
double worst_carried(Operation of) {
  using Coarse = ForwardError<bfloat16>;
  using Fine = ForwardError<double>;
  const Stream stream(1, "coarse operands");
  double worst = 0.0;
  for (std::uint64_t i = 0; i < 1000; ++i) {
    const Fine a(Coarse(0.1 + stream.uniform(2 * i))), b(Coarse(0.1 + stream.uniform(2 * i + 1)));
    const auto off = [](const Fine& x, int side) {
      return static_cast<double>(x.value()) + side * x.error();
    };
    const Fine bound = of(a, b);
    for (const int at_a : {-1, 1})
      for (const int at_b : {-1, 1}) {
        const double apart = of(off(a, at_a), off(b, at_b)) - static_cast<double>(bound.value());
        worst = std::max(worst, std::abs(apart) / bound.error());
      }
  }
  return worst;
}

// Alone: a quotient may be rounded twice, functions may err by twice as much. On errors: their
// products count twice at most, and are 2^-8 of them.
TEST(forward_error, bounds_what_operations_make_of_numbers_and_errors_and_closely) {
  using std::sqrt, std::exp, std::log;
  const auto expect = [](double least, auto of) {
    EXPECT_LE(worst_share(of), 1.0);
    EXPECT_GE(worst_share(of), least);
    EXPECT_LE(worst_carried(of), 1.0);
    EXPECT_GE(worst_carried(of), 0.98);
  };
  expect(0.9, [](auto a, auto b) { return a + b; });
  expect(0.9, [](auto a, auto b) { return a - b; });
  expect(0.9, [](auto a, auto b) { return a * b; });
  expect(0.5, [](auto a, auto b) { return a / b; });
  expect(0.9, [](auto a, auto) { return sqrt(a); });
  expect(0.5, [](auto a, auto) { return exp(a); });
  expect(0.5, [](auto a, auto) { return log(a); });
  expect(0.3, [](auto a, auto b) { return exp(a) / (exp(a) + sqrt(b)); });
}

TEST(forward_error, knows_what_errors_have_in_common) {
  const double u = unit_roundoff<float>;
  const Bound large = stored(Bound(100) * Bound(0.1));  // off by 20u
  EXPECT_GT(large.error(), 10 * u);
  EXPECT_LT((large - large).error(), 1e-3 * u);
  const Bound power = stored(exp(large)), ratio = power / (power + power);
  EXPECT_GT(power.error() / static_cast<double>(power.value()), 10 * u);
  EXPECT_LT(ratio.error(), 3 * u);
}

}  // namespace
}  // namespace embedscale::training
