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

// Of two terms that all but cancel, whose sum is exact: the products by themselves err by more than
// that of the sum, and by a reciprocal by more still.
TEST(forward_error, allows_for_a_factor_inside_or_outside_and_for_a_reciprocal) {
  double product = 0.0, quotient = 0.0;
  for (const float divisor : drawn(1000, 1)) {
    const float a = 1.0f, b = -1.0f + 0x1p-12f, factor = 1 / divisor;
    const Bound sum = Bound(a) + Bound(b);
    product = std::max({product, share((a + b) * factor, sum * factor),
                        share(a * factor + b * factor, sum * factor)});
    quotient = std::max({quotient, share((a + b) / divisor, sum / divisor),
                         share(a * factor + b * factor, sum / divisor)});
  }
  EXPECT_LE(product, 1.0);
  EXPECT_LE(quotient, 1.0);
  EXPECT_GE(product, 0.4);   // a·factor is exact: one rounding of two
  EXPECT_GE(quotient, 0.2);  // one of four
  double by_reciprocal = 0.0;
  for (const float divisor : drawn(1000, 2))
    for (const float x : drawn(20, 3))
      by_reciprocal = std::max(by_reciprocal, share(x * (1 / divisor), Bound(x) / divisor));
  EXPECT_LE(by_reciprocal, 1.0);
  EXPECT_GE(by_reciprocal, 0.6);
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

TEST(forward_error, bounds_each_operation_and_closely) {
  using std::sqrt, std::exp, std::log;
  const auto expect = [](double least, auto of) {
    EXPECT_LE(worst_share(of), 1.0);
    EXPECT_GE(worst_share(of), least);
  };
  expect(0.9, [](auto a, auto b) { return a + b; });
  expect(0.9, [](auto a, auto b) { return a - b; });
  expect(0.9, [](auto a, auto b) { return a * b; });
  expect(0.5, [](auto a, auto b) { return a / b; });  // may be rounded twice
  expect(0.9, [](auto a, auto) { return sqrt(a); });
  expect(0.5, [](auto a, auto) { return exp(a); });  // may err by twice as much
  expect(0.5, [](auto a, auto) { return log(a); });
  expect(0.3, [](auto a, auto b) { return exp(a * b) / (exp(a) + sqrt(b)); });
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

// The errors' products count twice at most, and are 2^-8 of them.
TEST(forward_error, bounds_what_operations_make_of_errors_and_closely) {
  using std::sqrt, std::exp, std::log;
  const auto expect = [](auto of) {
    EXPECT_LE(worst_carried(of), 1.0);
    EXPECT_GE(worst_carried(of), 0.98);
  };
  expect([](auto a, auto b) { return a + b; });
  expect([](auto a, auto b) { return a - b; });
  expect([](auto a, auto b) { return a * b; });
  expect([](auto a, auto b) { return a / b; });
  expect([](auto a, auto) { return sqrt(a); });
  expect([](auto a, auto) { return exp(a); });
  expect([](auto a, auto) { return log(a); });
  expect([](auto a, auto b) { return exp(a) / (exp(a) + sqrt(b)); });
}

TEST(forward_error, knows_what_is_exact) {
  const Bound three(3), tenth(0.1);
  EXPECT_EQ(three.error(), 0.0);
  EXPECT_EQ((three - three).error(), 0.0);
  EXPECT_EQ((tenth * Bound(1)).error(), tenth.error());
  EXPECT_EQ((tenth / Bound(1)).error(), tenth.error());
  EXPECT_EQ((tenth * Bound(0)).error(), 0.0);
  EXPECT_LE(share(0.1f, tenth), 1.0);
  EXPECT_GT(share(0.1f, tenth), 0.999);
  EXPECT_EQ(relu(-three).error(), 0.0);
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

TEST(forward_error, of_relu_is_that_of_its_argument_where_the_sign_is_not_known) {
  const Bound off = Bound(100) * Bound(0.1) - Bound(10);
  for (const auto& near_0 : {off, -off}) {
    EXPECT_GE(relu(near_0).error(), near_0.error());
    EXPECT_GE(relu(near_0).value(), 0);
  }
  EXPECT_EQ(relu(off - Bound(1)).error(), 0.0);
  EXPECT_EQ(relu(off + Bound(1)).value(), off.value() + 1);
}

TEST(forward_error, merged_is_as_large_and_nobody_elses) {
  const Bound first = stored(Bound(0.1) * Bound(0.3));
  const auto before = ErrorShares::met();
  const Bound both = first + stored(Bound(0.1) * Bound(0.7)), one = merged(both, before);
  EXPECT_NEAR(one.error(), both.error(), 0x1p-30 * both.error());
  EXPECT_LT((both - both).error(), 0x1p-20 * both.error());
  const double others = both.error() - first.error();  // 0.1 is in `first`, too: about so much
  EXPECT_GT((one - merged(both, before)).error(), others);
  const double difference = static_cast<double>(one.value() - first.value());
  EXPECT_LT((one - first).error(), both.error() + unit_roundoff<float> * difference);
}

// Nothing is known of what may be divided by 0.
TEST(forward_error, says_where_nothing_is_known) {
  const Bound near_0 = Bound(100) * Bound(0.1) - Bound(10);
  EXPECT_FALSE((Bound(1) / near_0).error() < HUGE_VAL);
  EXPECT_FALSE(log(near_0).error() < HUGE_VAL);
  EXPECT_LT(sqrt(near_0).error(), HUGE_VAL);
}

}  // namespace
}  // namespace embedscale::training
