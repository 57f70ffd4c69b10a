// The 8-bit formats against the OCP specification (OFP8 1.0), by its words alone: each encoding is
// decoded by its formula for values, and a conversion is the nearest number of that table, a
// tie the one with the even encoding. Nothing here looks at how the library rounds.
#include <embedscale/format.hpp>

#include <gtest/gtest.h>

#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <string_view>
#include <vector>

namespace embedscale::ofp8_test {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double nan = std::numeric_limits<double>::quiet_NaN();

/// What the specification writes of a format.
struct Written {
  int mantissa_bits, bias;
  int overflow;   ///< the first encoding that is no number
  bool infinity;  ///< which is infinity, not NaN
  double largest, least_normal, largest_subnormal, least;
};
template <class F>
constexpr Written written{};
template <>
constexpr Written written<e4m3>{3, 7, 0x7f, false, 448, 0x1p-6, 0.875 * 0x1p-6, 0x1p-9};
template <>
constexpr Written written<e5m2>{2, 15, 0x7c, true, 57344, 0x1p-14, 0.75 * 0x1p-14, 0x1p-16};

/// (−1)^S·2^(E − bias)·(1 + 2^−m·M), and 2^(1 − bias)·2^−m·M where E = 0.
template <class F>
double decoded(int code) {
  constexpr const Written& of = written<F>;
  const int magnitude = code & 0x7f, exponent = magnitude >> of.mantissa_bits;
  const double sign = (code & 0x80) != 0 ? -1 : 1;
  if (magnitude >= of.overflow)
    return of.infinity && magnitude == of.overflow ? sign * infinity : nan;
  const double fraction = (magnitude % (1 << of.mantissa_bits)) / std::exp2(of.mantissa_bits);
  return sign * (exponent == 0 ? std::exp2(1 - of.bias) * fraction
                               : std::exp2(exponent - of.bias) * (1 + fraction));
}

/// The numbers from 0 up, and the one that would follow them: what is nearest to it overflows.
template <class F>
const std::vector<double>& table() {
  static const auto all = [] {
    std::vector<double> values;
    for (int code = 0; code < written<F>.overflow; ++code) values.push_back(decoded<F>(code));
    const std::size_t n = values.size();
    values.push_back(values[n - 1] + (values[n - 1] - values[n - 2]));
    return values;
  }();
  return all;
}

enum class Overflow { shows, saturates };

/// The encoding that x converts to.  Requires x is no NaN.
template <class F>
int nearest(double x, Overflow overflow) {
  const auto& values = table<F>();
  const double size = std::fabs(x);
  std::size_t best = 0;
  for (std::size_t code = 1; code < values.size(); ++code) {
    const double here = std::fabs(size - values[code]), there = std::fabs(size - values[best]);
    if (here < there || (here == there && code % 2 == 0)) best = code;
  }
  const std::size_t last = values.size() - 1;
  if (size > values[last]) best = last;
  if (best == last && overflow == Overflow::saturates) best = last - 1;
  return static_cast<int>(best) + (std::signbit(x) ? 0x80 : 0);
}

template <class>
class ofp8 : public testing::Test {};
using Formats = testing::Types<e4m3, e5m2>;
TYPED_TEST_SUITE(ofp8, Formats);

template <class F>
void expect_converts(double x) {
  ASSERT_EQ(F(x).bits(), nearest<F>(x, Overflow::shows)) << std::hexfloat << x;
  ASSERT_EQ(F::saturated(x).bits(), nearest<F>(x, Overflow::saturates)) << std::hexfloat << x;
}

TYPED_TEST(ofp8, every_encoding_decodes_as_written) {
  using F = TypeParam;
  for (int code = 0; code < 256; ++code) {
    const F f = F::from_bits(static_cast<std::uint8_t>(code));
    const double ours = double(f), theirs = decoded<F>(code);
    ASSERT_EQ(isfinite(f), std::isfinite(theirs)) << code;
    if (theirs != theirs) {
      ASSERT_TRUE(ours != ours && f != f) << code;
      continue;
    }
    // By bits, so that −0 is not 0.
    ASSERT_EQ(std::bit_cast<std::uint64_t>(ours), std::bit_cast<std::uint64_t>(theirs)) << code;
    ASSERT_EQ(F(ours).bits(), code);
    ASSERT_EQ(F::saturated(ours).bits(), std::isfinite(ours) ? code : code - 1);
  }
  constexpr const Written& of = written<F>;
  EXPECT_EQ(decoded<F>(of.overflow - 1), of.largest);
  EXPECT_EQ(decoded<F>(1 << of.mantissa_bits), of.least_normal);
  EXPECT_EQ(decoded<F>((1 << of.mantissa_bits) - 1), of.largest_subnormal);
  EXPECT_EQ(decoded<F>(1), of.least);
}

/// Every binary32 number of 8 digits, over its whole range: midpoints and infinities, too.
/// format_test looks nearer to midpoints.
TYPED_TEST(ofp8, conversion_is_to_nearest_over_the_range_of_binary32) {
  for (std::uint32_t high = 0; high < 0x10000; ++high)
    if (const auto x = std::bit_cast<float>(high << 16); x == x) expect_converts<TypeParam>(x);
}

TYPED_TEST(ofp8, zeros_nans_and_infinities_convert_as_written) {
  using F = TypeParam;
  EXPECT_EQ(F(0.0).bits(), 0x00);
  EXPECT_EQ(F(-0.0).bits(), 0x80);
  EXPECT_EQ(F(double(std::numeric_limits<float>::denorm_min())).bits(), 0x00);
  for (const F not_a_number : {F(nan), F::saturated(nan), F::saturated(-nan), F::quiet_nan()})
    EXPECT_TRUE(std::isnan(double(not_a_number)));
  for (const double sign : {1.0, -1.0}) {
    EXPECT_EQ(double(F::saturated(sign * infinity)), sign * written<F>.largest);
    const double shown = double(F(sign * infinity));
    EXPECT_TRUE(written<F>.infinity ? shown == sign * infinity : std::isnan(shown));
  }
}

/// Sums and products of two numbers are exact in double, so the oracle judges them, too; quotients
/// are format_test's.
TYPED_TEST(ofp8, all_sums_and_products_round_once) {
  using F = TypeParam;
  for (int i = 0; i < written<F>.overflow; ++i)
    for (int j = 0; j < 256; ++j) {
      const F a = F::from_bits(static_cast<std::uint8_t>(i));
      const F b = F::from_bits(static_cast<std::uint8_t>(j));
      if (!isfinite(b)) continue;
      const double x = decoded<F>(i), y = decoded<F>(j);
      ASSERT_EQ((a + b).bits(), nearest<F>(x + y, Overflow::shows)) << x << " + " << y;
      ASSERT_EQ((a - b).bits(), nearest<F>(x - y, Overflow::shows)) << x << " - " << y;
      ASSERT_EQ((a * b).bits(), nearest<F>(x * y, Overflow::shows)) << x << " * " << y;
    }
}

TYPED_TEST(ofp8, limits_and_traits_are_the_tables) {
  using F = TypeParam;
  using Limits = std::numeric_limits<F>;
  constexpr const Written& of = written<F>;
  EXPECT_EQ(double(Limits::max()), of.largest);
  EXPECT_EQ(double(Limits::lowest()), -of.largest);
  EXPECT_EQ(double(Limits::min()), of.least_normal);
  EXPECT_EQ(double(Limits::denorm_min()), of.least);
  EXPECT_EQ(double(Limits::epsilon()), std::exp2(-of.mantissa_bits));
  EXPECT_EQ(Limits::digits, of.mantissa_bits + 1);
  EXPECT_EQ(Limits::max_exponent, std::ilogb(of.largest) + 1);
  EXPECT_EQ(Limits::min_exponent, std::ilogb(of.least_normal) + 1);
  EXPECT_TRUE(Limits::has_infinity == of.infinity && Limits::is_iec559 == of.infinity);
  EXPECT_TRUE(Limits::has_quiet_NaN && std::isnan(double(Limits::quiet_NaN())));
  EXPECT_EQ(double(Limits::infinity()), of.infinity ? infinity : 0.0);
  EXPECT_EQ(FormatTraits<F>::min_normal, of.least_normal);
  EXPECT_EQ(unit_roundoff<F>, std::exp2(-Limits::digits));
  EXPECT_EQ(FormatTraits<F>::name, std::string_view(std::is_same_v<F, e4m3> ? "e4m3" : "e5m2"));
}

}  // namespace
}  // namespace embedscale::ofp8_test
