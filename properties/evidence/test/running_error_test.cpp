// RunningError: its values are those of its number, its bound holds where operands are as wrong as
// they may be, and is not idle.
#include <embedscale/random.hpp>

#include <gtest/gtest.h>

#include <cmath>
#include <type_traits>

#include "../running_error.hpp"
#include "properties/exact/decimal50.hpp"

namespace embedscale::properties::evidence {
namespace {

using Wide = exact::Decimal50;
using Wider = exact::Decimal100;
using Tracked = RunningError<double>;

double size(const Wide& x) { return std::abs(static_cast<double>(x)); }

/// How far op of two numbers at either end of what their errors allow is from the value, as a share
/// of the error stated. Largest over 1000 pairs of sizes 2^±9 and relative errors 2^-8 to 2^-52.
template <class Op>
double worst_share(Op op) {
  const Stream stream(1, "running error");
  double worst = 0.0;
  const auto number = [&](std::uint64_t i, bool positive) {
    const double x =
        std::ldexp(stream.normal(2 * i), static_cast<int>(stream.below(19, 3 * i)) - 9);
    const int digits = 8 + static_cast<int>(stream.below(45, 3 * i + 1));
    const double value = positive ? std::abs(x) : x;
    return Tracked(value, stream.below(4, 3 * i + 2) == 0 ? 0.0 : std::ldexp(std::abs(x), -digits));
  };
  for (std::uint64_t i = 0; i < 1000; ++i) {
    const auto a = number(2 * i, true), b = number(2 * i + 1, i % 2 == 0);
    const Tracked result = op(a, b);
    for (const int at_a : {-1, 0, 1})
      for (const int at_b : {-1, 0, 1}) {
        const Wide exact =
            op(Wide(a.value()) + at_a * Wide(a.error()), Wide(b.value()) + at_b * Wide(b.error()));
        const Wide off = abs(exact - result.value());
        worst = std::max(worst, result.error() == 0.0 ? (off == 0 ? 0.0 : HUGE_VAL)
                                                      : size(Wide(off / result.error())));
      }
  }
  return worst;
}

// Attained up to rounding by the four operations and the exponential; a root's bound takes the
// slope at the value, which is at most 2^-9 less than where it is steepest.
TEST(running_error, bounds_each_operation_and_closely) {
  using std::sqrt, std::exp, std::log, std::sin, std::cos, std::pow;
  const auto expect = [](double least, auto op) {
    const double share = worst_share(
        [&](const auto& a, const auto& b) { return std::decay_t<decltype(a)>(op(a, b)); });
    EXPECT_LE(share, 1.0);
    EXPECT_GE(share, least);
  };
  expect(0.9, [](auto a, auto b) { return a + b; });
  expect(0.9, [](auto a, auto b) { return a - b; });
  expect(0.9, [](auto a, auto b) { return a * b; });
  expect(0.9, [](auto a, auto b) { return a / b; });
  expect(0.9, [](auto a, auto) { return sqrt(a); });
  expect(0.9, [](auto a, auto) { return exp(a / decltype(a)(64)); });
  expect(0.9, [](auto a, auto) { return log(a); });
  expect(0.0, [](auto a, auto b) { return sin(a) * cos(b); });
  expect(0.0, [](auto a, auto b) { return pow(a, b / decltype(b)(64)); });
}

TEST(running_error, knows_what_is_exact) {
  const Tracked exact(3.0), zero(0.0);
  EXPECT_EQ(exact.error(), 0.0);
  EXPECT_EQ((exact + zero).error(), 0.0);
  EXPECT_EQ((exact * zero).error(), 0.0);
  EXPECT_EQ((zero / exact).error(), 0.0);
  // 2^-1074 for 1.5·2^-1075: relative to what is left, a fourth.
  EXPECT_GE((Tracked(0x1p-1000) * Tracked(0x1.8p-75)).error(), 0x1p-1074);
  EXPECT_EQ((-Tracked(3.0, 1.0)).error(), 1.0);
  EXPECT_EQ(Tracked(7).value(), 7.0);
  EXPECT_EQ(Tracked().value(), 0.0);
}

TEST(running_error, knows_when_it_knows_nothing) {
  const Tracked about_0(0.5, 1.0);
  EXPECT_TRUE(std::isinf((Tracked(1.0) / about_0).error()));
  EXPECT_TRUE(std::isinf(log(about_0).error()));
  EXPECT_EQ(share_of_errors(Tracked(1.0) / about_0, Tracked(2.0)), HUGE_VAL);
  EXPECT_EQ(share_of_errors(Tracked(std::nan("")), Tracked(2.0)), HUGE_VAL);
  EXPECT_EQ(share_of_errors(Tracked(2.0), Tracked(2.0)), 0.0);
  EXPECT_EQ(share_of_errors(Tracked(2.0), Tracked(3.0)), HUGE_VAL);
  EXPECT_EQ(share_of_errors(Tracked(2.0, 1.0), Tracked(5.0, 2.0)), 1.0);
  EXPECT_EQ(share_of_errors(Tracked(2.0, 1.0), Tracked(5.0, 2.0), 3.0), 0.5);
}

/// The four operations and the root round to nearest, half of what RunningError reckons with; of
/// the functions less is promised: they must not use more than half of it at 2000 arguments.
TEST(running_error, reckons_with_more_than_fifty_digits_err_by) {
  using Fifty = RunningError<Wide>;
  const Stream stream(2, "running error");
  double worst = 0.0;
  for (std::uint64_t i = 0; i < 2000; ++i) {
    const Wide x = 4 * Wide(stream.normal(i));
    const auto compare = [&](const Fifty& got, const Wider& exact) {
      const Wider off = abs(Wider(got.value()) - exact);
      worst = std::max(worst, static_cast<double>(Wider(off / got.error())));
    };
    compare(exp(Fifty(x)), exp(Wider(x)));
    const Wide above_1 = exp(x) + 1;
    compare(log(Fifty(above_1)), log(Wider(above_1)));
    compare(sqrt(Fifty(x * x + Wide(1))), sqrt(Wider(Wide(x * x + Wide(1)))));
    compare(Fifty(x) / Fifty(Wide(3)), Wider(x) / 3);
    compare(Fifty(x) * Fifty(x), Wider(x) * Wider(x));
  }
  EXPECT_LE(worst, 0.5);
}

}  // namespace
}  // namespace embedscale::properties::evidence
