// The small formats against independent judges: what IEEE 754 and the OCP specification (OFP8 1.0)
// write of their values, the definition of rounding to nearest (compare with both neighbours in
// exact arithmetic), and the hardware's own binary32, which has the most digits that one arithmetic
// for all of them may have.
#include <embedscale/format.hpp>
#include <embedscale/scalar.hpp>

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <random>
#include <string_view>

namespace embedscale::format_test {
namespace {

using e4m3_of_ieee = Format<4, 3>;
using single = Format<8, 23>;
constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double nan = std::numeric_limits<double>::quiet_NaN();

static_assert(AnalyticScalar<binary16> && AnalyticScalar<bfloat16>);
static_assert(unit_roundoff<double> == 0x1p-53 && unit_roundoff<float> == 0x1p-24);
static_assert(FormatTraits<double>::min_normal == 0x1p-1022);
static_assert(FormatTraits<float>::min_normal == 0x1p-126);

/// What the specification writes of a format.
struct Written {
  std::string_view name;
  int mantissa_bits, bias;
  std::uint64_t overflow;  ///< the first encoding that is no number
  bool infinity;           ///< which is infinity, not NaN
  double largest, least_normal, largest_subnormal, least;
};
template <class F>
constexpr Written written{};
template <>
constexpr Written written<binary16>{"binary16", 10,      15,          0x7c00, true,
                                    65504,      0x1p-14, 0x1.ff8p-15, 0x1p-24};
template <>
constexpr Written written<bfloat16>{"bfloat16", 7,        127,         0x7f80,  true,
                                    0x1.fep127, 0x1p-126, 0x1.fcp-127, 0x1p-133};
template <>
constexpr Written written<e4m3>{"e4m3", 3, 7, 0x7f, false, 448, 0x1p-6, 0.875 * 0x1p-6, 0x1p-9};
template <>
constexpr Written written<e4m3_of_ieee>{"a small format", 3,     7, 0x78, true, 240, 0x1p-6,
                                        0.875 * 0x1p-6,   0x1p-9};
template <>
constexpr Written written<e5m2>{"e5m2", 2, 15, 0x7c, true, 57344, 0x1p-14, 0.75 * 0x1p-14, 0x1p-16};

template <class F>
F at(std::uint64_t bits) {
  return F::from_bits(static_cast<typename F::Bits>(bits));
}
template <class F>
constexpr std::uint64_t encodings = std::uint64_t{1} << F::width;
template <class F>
constexpr std::uint64_t sign = encodings<F> / 2;
template <class F>
bool is_nan(F f) {
  return double(f) != double(f);
}

/// (−1)^S·2^(E − bias)·(1 + 2^−m·M), and 2^(1 − bias)·2^−m·M where E = 0.
template <class F>
double decoded(std::uint64_t code) {
  constexpr const Written& of = written<F>;
  const std::uint64_t magnitude = code % sign<F>;
  const int exponent = static_cast<int>(magnitude >> of.mantissa_bits);
  const double one = code >= sign<F> ? -1 : 1;
  if (magnitude >= of.overflow)
    return of.infinity && magnitude == of.overflow ? one * infinity : nan;
  const auto digits = static_cast<double>(magnitude % (1u << of.mantissa_bits));
  const double fraction = std::ldexp(digits, -of.mantissa_bits);
  return one * (exponent == 0 ? std::ldexp(fraction, 1 - of.bias)
                              : std::ldexp(1 + fraction, exponent - of.bias));
}

template <class>
class definition : public testing::Test {};
using SmallFormats = testing::Types<binary16, bfloat16, e4m3, e4m3_of_ieee, e5m2>;
TYPED_TEST_SUITE(definition, SmallFormats);

TYPED_TEST(definition, every_encoding_decodes_as_written) {
  using F = TypeParam;
  constexpr const Written& of = written<F>;
  for (std::uint64_t code = 0; code < encodings<F>; ++code) {
    const double ours = double(at<F>(code)), theirs = decoded<F>(code);
    ASSERT_EQ(isfinite(at<F>(code)), std::isfinite(theirs)) << code;
    if (theirs != theirs) {
      ASSERT_TRUE(ours != ours && at<F>(code) != at<F>(code)) << code;
      continue;
    }
    // By bits, so that −0 is not 0.
    ASSERT_EQ(std::bit_cast<std::uint64_t>(ours), std::bit_cast<std::uint64_t>(theirs)) << code;
    ASSERT_EQ(F(ours).bits(), code);
  }
  EXPECT_EQ(decoded<F>(of.overflow - 1), of.largest);
  EXPECT_EQ(decoded<F>(1u << of.mantissa_bits), of.least_normal);
  EXPECT_EQ(decoded<F>((1u << of.mantissa_bits) - 1), of.largest_subnormal);
  EXPECT_EQ(decoded<F>(1), of.least);
}

// Between each two neighbours, the overflow threshold and both signs included: the midpoint goes to
// the even encoding, and one ulp of double on either side of it to that side.
TYPED_TEST(definition, rounds_to_nearest_ties_to_even) {
  using F = TypeParam;
  const std::uint64_t overflow = written<F>.overflow;
  for (std::uint64_t b = 0; b < overflow; ++b) {
    const double low = double(at<F>(b));
    const double high =
        b + 1 == overflow ? low + (low - double(at<F>(b - 1))) : double(at<F>(b + 1));
    const double midpoint = low + 0.5 * (high - low);
    for (const std::uint64_t s : {std::uint64_t{0}, sign<F>}) {
      const auto expect = [&](double x, std::uint64_t nearest) {
        const double signed_x = s == 0 ? x : -x;
        ASSERT_EQ(F(signed_x).bits(), s + nearest);
        ASSERT_EQ(F::saturated(signed_x).bits(), s + std::min(nearest, overflow - 1));
      };
      expect(low, b);
      expect(std::nextafter(midpoint, 0.0), b);
      expect(midpoint, b + b % 2);
      expect(std::nextafter(midpoint, infinity), b + 1);
    }
  }
  for (const double x : {infinity, std::numeric_limits<double>::max()}) {
    EXPECT_EQ(F(x).bits(), overflow);
    EXPECT_EQ(F::saturated(-x).bits(), sign<F> + overflow - 1);
  }
  EXPECT_EQ(F(std::numeric_limits<double>::denorm_min()).bits(), 0);
  EXPECT_EQ(F(-0.0).bits(), sign<F>);
  for (const F not_a_number : {F(nan), F::saturated(nan), F::saturated(-nan), F::quiet_nan()})
    EXPECT_TRUE(is_nan(not_a_number));
}

// Is r = fl(n/m) by definition? |n − r·m| is compared with the same at both neighbours, in double,
// where all of it is exact (the products have 2t + 1 <= 23 digits).
template <class F>
bool is_nearest_quotient(F r, F n, F m) {
  const std::uint64_t b = abs(r).bits();
  const double a = std::fabs(double(n)), q = std::fabs(double(m));
  const auto distance = [&](double value) { return std::fabs(a - value * q); };
  const double here = distance(double(at<F>(b)));
  const double above = distance(double(at<F>(b + 1)));
  const double below = b == 0 ? infinity : distance(double(at<F>(b - 1)));
  return std::signbit(double(r)) == (std::signbit(double(n)) != std::signbit(double(m))) &&
         (b % 2 == 0 ? here <= above && here <= below : here < above && here < below);
}

TYPED_TEST(definition, quotients_are_nearest_down_to_the_subnormals) {
  using F = TypeParam;
  std::mt19937_64 words(F::mantissa_bits);
  int subnormal = 0;
  for (int i = 0; i < 1'000'000; ++i) {
    const std::uint64_t w = words();
    const F n = at<F>(w % ((F::max().bits() + 1u) / 2u) | ((w >> 40 & 1) << (F::width - 1)));
    const F m = at<F>((w >> 20) % (F::max().bits() + 1u));
    const F r = n / m;
    if (is_nan(r) || !isfinite(r) || abs(r) == F::max()) continue;
    subnormal += abs(r) < F::min_normal();
    ASSERT_TRUE(is_nearest_quotient(r, n, m)) << n << " / " << m;
    ASSERT_EQ((n * m).bits(), F(double(n) * double(m)).bits());  // exact, then the one rounding
  }
  EXPECT_GT(subnormal, 10'000) << "the cases this test is for were not drawn";
}

TYPED_TEST(definition, limits_and_traits_are_as_written) {
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
  EXPECT_TRUE(Limits::has_quiet_NaN && is_nan(Limits::quiet_NaN()));
  EXPECT_EQ(double(Limits::infinity()), of.infinity ? infinity : 0.0);
  EXPECT_EQ(FormatTraits<F>::min_normal, of.least_normal);
  EXPECT_EQ(unit_roundoff<F>, std::exp2(-Limits::digits));
  EXPECT_EQ(FormatTraits<F>::name, of.name);
}

// The same number: equal bits, or both NaN (whose payloads are nobody's business).
template <class F, class Oracle>
bool same(F ours, Oracle theirs) {
  const auto bits = std::bit_cast<typename F::Bits>(theirs);
  return ours.bits() == bits || (is_nan(ours) && is_nan(F::from_bits(bits)));
}

TEST(format, single_is_the_hardware_binary32) {
  std::mt19937_64 words(32);
  for (int i = 0; i < 1'000'000; ++i) {
    const std::uint64_t w = words();
    const auto low = static_cast<std::uint32_t>(w);
    const std::uint32_t close = low + static_cast<std::uint32_t>(w >> 60);
    // Exponents within 64 of each other for half of the pairs, anything for the others.
    const auto high =
        i % 4 == 0   ? close
        : i % 4 == 1 ? (static_cast<std::uint32_t>(w >> 32) & 0x9fffffffu) | (low & 0x60000000u)
                     : static_cast<std::uint32_t>(w >> 32);
    const auto x = std::bit_cast<float>(low), y = std::bit_cast<float>(high);
    const single a = single::from_bits(low), b = single::from_bits(high);
    ASSERT_TRUE(same(a + b, x + y)) << a << " + " << b;
    ASSERT_TRUE(same(a - b, x - y)) << a << " - " << b;
    ASSERT_TRUE(same(a * b, x * y)) << a << " * " << b;
    ASSERT_TRUE(same(a / b, x / y)) << a << " / " << b;
    ASSERT_TRUE(same(sqrt(a), std::sqrt(x))) << a;
    // Conversion, in binary32's range of exponents, from any double and from a midpoint ± an ulp.
    const auto significand = std::bit_cast<double>((w & 0x800f'ffff'ffff'ffff) | 1023ull << 52);
    const double wide = std::ldexp(significand, static_cast<int>((w >> 20) % 320) - 160);
    ASSERT_TRUE(same(single(wide), static_cast<float>(wide))) << std::hexfloat << wide;
    if (!std::isfinite(x) || !std::isfinite(std::nextafter(x, HUGE_VALF))) continue;
    const double midpoint = 0.5 * double{x} + 0.5 * double{std::nextafter(x, HUGE_VALF)};
    for (const double z :
         {midpoint, std::nextafter(midpoint, infinity), std::nextafter(midpoint, -infinity)})
      ASSERT_TRUE(same(single(z), static_cast<float>(z))) << std::hexfloat << z;
  }
}

TEST(format, nan_is_unordered_and_zeros_are_equal) {
  const binary16 nan = binary16::quiet_nan(), one(1), zero(0), minus_zero = -zero;
  EXPECT_FALSE(nan == nan || nan < one || nan > one || nan <= one || nan >= one);
  EXPECT_TRUE(minus_zero == zero && minus_zero.bits() != zero.bits());
  EXPECT_TRUE(is_nan(zero / zero) && is_nan(binary16::infinity() - binary16::infinity()));
  EXPECT_EQ((one / minus_zero).bits(), (-binary16::infinity()).bits());
  EXPECT_EQ((zero + minus_zero).bits(), zero.bits());
  EXPECT_FALSE(isfinite(nan) || isfinite(-binary16::infinity()) || !isfinite(binary16::max()));
  EXPECT_TRUE(binary16::max() + binary16(15) == binary16::max() &&
              binary16::max() + binary16(16) == binary16::infinity());
}

}  // namespace
}  // namespace embedscale::format_test
