// What evidence/rounding.hpp says of a number, against the numbers next to it. All of it is exact:
// neighbours, halves and comparisons, no tolerance.
#include "../rounding.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "../../domain/formats.hpp"

namespace embedscale::properties {
namespace {

/// All finite values >= 0 of a 16-bit format, in order.
template <class Small>
std::vector<double> magnitudes() {
  std::vector<double> values;
  for (unsigned bits = 0; bits < Small::infinity().bits(); ++bits)
    values.push_back(
        static_cast<double>(Small::from_bits(static_cast<typename Small::Bits>(bits))));
  return values;
}

/// half_ulp against half the distance to the next larger representable number, both signs.
template <class Small>
void expect_half_distances_everywhere() {
  const auto values = magnitudes<Small>();
  for (std::size_t i = 0; i + 1 < values.size(); ++i) {
    const double half_distance = (values[i + 1] - values[i]) / 2.0;
    ASSERT_EQ(half_ulp<Small>(values[i]), half_distance) << std::hexfloat << values[i];
    ASSERT_EQ(half_ulp<Small>(-values[i]), half_distance) << std::hexfloat << -values[i];
  }
  // Above the largest there is no next one; the grid below it goes on.
  const std::size_t last = values.size() - 1;
  EXPECT_EQ(half_ulp<Small>(values[last]), (values[last] - values[last - 1]) / 2.0);
}

TEST(half_ulp, is_half_the_distance_to_the_next_number_of_the_small_formats) {
  ASSERT_EQ(magnitudes<binary16>().size(), 31744u);  // 31 exponents of 1024
  ASSERT_EQ(magnitudes<bfloat16>().size(), 32640u);  // 255 exponents of 128
  expect_half_distances_everywhere<binary16>();
  expect_half_distances_everywhere<bfloat16>();
}

/// Around every power of two of a format; half of its smallest subnormal is no number, so that
/// distances are compared whole.
template <class Real>
void expect_distances_around_powers_of_two(int least, int greatest) {
  for (int exponent = least; exponent <= greatest; ++exponent) {
    const Real power = std::ldexp(Real(1), exponent);
    for (const Real x : {power, std::nextafter(power, Real(0)), std::nextafter(power, 2 * power),
                         power + power / 2}) {
      const Real next = std::nextafter(x, std::numeric_limits<Real>::infinity());
      ASSERT_LT(x, next);
      const auto distance = static_cast<double>(next - x);  // exact: a difference of neighbours
      ASSERT_EQ(2.0 * half_ulp<Real>(static_cast<double>(x)), distance) << std::hexfloat << x;
    }
  }
}

// In double half of the smallest subnormal itself is no number: from 2^-1021 on it is one.
TEST(half_ulp, is_half_the_distance_around_every_power_of_two) {
  expect_distances_around_powers_of_two<float>(-149, 126);
  expect_distances_around_powers_of_two<double>(-1020, 1022);
}

// 2^−8·64 = 1/4 gives 1/4 over 3/4; 1/2 over 1/2 is 1, and from nu = 1 on there is no bound.
TEST(gamma, is_nu_over_one_less_nu) {
  EXPECT_EQ(gamma<bfloat16>(0), 0.0);
  EXPECT_EQ(gamma<bfloat16>(64), 1.0 / 3.0);
  EXPECT_EQ(gamma<bfloat16>(128), 1.0);
  EXPECT_EQ(gamma<bfloat16>(192), 3.0);
  EXPECT_EQ(gamma<double>(std::size_t{1} << 52), 1.0);
  for (const std::size_t n : {256u, 257u, 100'000u}) EXPECT_EQ(gamma<bfloat16>(n), HUGE_VAL);
}

TEST(significand, lies_in_one_to_two_and_restores_every_binary16) {
  std::size_t powers = 0;
  for (const double x : magnitudes<binary16>()) {
    if (x == 0.0) continue;
    const double s = significand(x);
    ASSERT_EQ(significand(-x), s) << x;
    ASSERT_EQ(x / s, std::exp2(std::floor(std::log2(x)))) << x;  // exact: x = s·2^k
    ASSERT_EQ(is_power_of_two(x), s == 1.0) << x;
    powers += is_power_of_two(x) ? 1 : 0;
  }
  EXPECT_EQ(powers, 40u);  // 2^-24 … 2^15
  EXPECT_EQ(significand(std::nextafter(1.0, 0.0)), 2.0 - 0x1p-52);
  for (const double x : {0.0, HUGE_VAL, std::nan("")}) EXPECT_FALSE(is_power_of_two(x)) << x;
}

TEST(is_normal_or_zero, begins_at_the_smallest_normal_number_and_ends_at_the_largest) {
  domain::for_each_format([]<class Real>() {
    using Limits = std::numeric_limits<Real>;
    const Real least = Limits::min(), infinity = Limits::infinity();
    for (const Real x : {least, Real(-least), Real(0), Real(-Real(0)), Limits::max()})
      EXPECT_TRUE(is_normal_or_zero(x)) << FormatTraits<Real>::name << " " << x;
    for (const Real x :
         {Real(least / Real(2)), Limits::denorm_min(), Real(least - Limits::denorm_min()), infinity,
          Real(-infinity), Limits::quiet_NaN()})
      EXPECT_FALSE(is_normal_or_zero(x)) << FormatTraits<Real>::name << " " << x;
  });
}

}  // namespace
}  // namespace embedscale::properties
