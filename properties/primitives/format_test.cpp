// The small formats against four independent judges: Eigen's half and bfloat16 (encodings, and
// arithmetic where Eigen rounds once), the definition of rounding to nearest (compare with both
// neighbours in exact arithmetic), and the hardware's own binary32.
#include <embedscale/format.hpp>
#include <embedscale/scalar.hpp>

#include <gtest/gtest.h>
#include <Eigen/Core>

#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <random>
#include <vector>

namespace embedscale::format_test {
namespace {

using e4m3_of_ieee = Format<4, 3>;
using single = Format<8, 23>;
constexpr double infinity = std::numeric_limits<double>::infinity();

static_assert(AnalyticScalar<binary16> && AnalyticScalar<bfloat16>);
static_assert(unit_roundoff<binary16> == 0x1p-11);
static_assert(unit_roundoff<bfloat16> == 0x1p-8);
static_assert(std::numeric_limits<binary16>::epsilon() == binary16(0x1p-10));

template <class F>
F at(std::uint64_t bits) {
  return F::from_bits(static_cast<typename F::Bits>(bits));
}
template <class F>
std::uint64_t encodings() {
  return std::uint64_t{1} << F::width;
}
template <class F>
bool is_nan(F f) {
  return double(f) != double(f);
}

// The same number: equal bits, or both NaN (whose payloads are nobody's business).
template <class F, class Oracle>
bool same(F ours, Oracle theirs) {
  const auto bits = std::bit_cast<typename F::Bits>(theirs);
  return ours.bits() == bits || (is_nan(ours) && is_nan(F::from_bits(bits)));
}

template <class F, class E>
struct Pair {
  using Ours = F;
  using Theirs = E;
};
template <class>
class against_eigen : public testing::Test {};
using EigenPairs = testing::Types<Pair<binary16, Eigen::half>, Pair<bfloat16, Eigen::bfloat16>>;
TYPED_TEST_SUITE(against_eigen, EigenPairs);

TYPED_TEST(against_eigen, every_encoding_decodes_alike) {
  using F = typename TypeParam::Ours;
  for (std::uint64_t b = 0; b < encodings<F>(); ++b) {
    const float theirs = static_cast<float>(
        std::bit_cast<typename TypeParam::Theirs>(static_cast<typename F::Bits>(b)));
    const double ours = double(at<F>(b));
    if (theirs != theirs) {
      ASSERT_TRUE(ours != ours) << b;
    } else {  // by bits, so that −0 is not 0
      ASSERT_EQ(std::bit_cast<std::uint64_t>(ours), std::bit_cast<std::uint64_t>(double{theirs}));
    }
  }
}

// Eigen computes in float and rounds again. 24 >= 2t + 2 digits make that harmless, unless float
// itself loses digits to underflow, as in bfloat16's products and quotients. Of those only sign and
// size are compared here; quotients_are_nearest_down_to_the_subnormals does the rest.
TYPED_TEST(against_eigen, arithmetic_agrees) {
  using F = typename TypeParam::Ours;
  using E = typename TypeParam::Theirs;
  const auto agrees = [](F ours, float theirs) {
    const bool underflow = std::fabs(theirs) <= std::numeric_limits<float>::min();
    if (!underflow || F::exponent_bits < 8) return same(ours, E(theirs));
    return std::signbit(double(ours)) == std::signbit(theirs) && abs(ours) <= F::min_normal();
  };
  std::mt19937_64 words(FormatTraits<F>::digits);
  for (int i = 0; i < 2'000'000; ++i) {
    const std::uint64_t w = words();
    // Every other pair a few encodings apart: sums that cancel, quotients near 1.
    const F a = at<F>(w), b = i % 2 ? at<F>(w >> 32) : at<F>((w ^ (w >> 60)) + ((w >> 20) & 15));
    const auto x = static_cast<float>(double(a)), y = static_cast<float>(double(b));
    ASSERT_TRUE(same(a + b, E(x + y))) << a << " + " << b;
    ASSERT_TRUE(same(a - b, E(x - y))) << a << " - " << b;
    ASSERT_TRUE(agrees(a * b, x * y)) << a << " * " << b;
    ASSERT_TRUE(agrees(a / b, x / y)) << a << " / " << b;
  }
  for (std::uint64_t b = 0; b < encodings<F>(); ++b) {
    const F a = at<F>(b);
    ASSERT_TRUE(same(sqrt(a), E(std::sqrt(static_cast<float>(double(a)))))) << a;
  }
}

template <class>
class definition : public testing::Test {};
using SmallFormats = testing::Types<binary16, bfloat16, e4m3, e4m3_of_ieee, e5m2>;
TYPED_TEST_SUITE(definition, SmallFormats);

// Between each two neighbours, the overflow threshold and both signs included: the midpoint goes to
// the even encoding, and one ulp of double on either side of it to that side.
TYPED_TEST(definition, rounds_to_nearest_ties_to_even) {
  using F = TypeParam;
  const std::uint64_t sign = encodings<F>() / 2, overflow = F::max().bits() + 1u;
  for (std::uint64_t b = 0; b < overflow; ++b) {
    const double low = double(at<F>(b));
    const double high =
        b + 1 == overflow ? low + (low - double(at<F>(b - 1))) : double(at<F>(b + 1));
    const double midpoint = low + 0.5 * (high - low);
    for (const std::uint64_t s : {std::uint64_t{0}, sign}) {
      const double one = s == 0 ? 1.0 : -1.0;
      ASSERT_EQ(F(one * low).bits(), s + b);
      ASSERT_EQ(F(one * std::nextafter(midpoint, 0.0)).bits(), s + b);
      ASSERT_EQ(F(one * midpoint).bits(), s + b + b % 2);
      ASSERT_EQ(F(one * std::nextafter(midpoint, infinity)).bits(), s + b + 1);
    }
  }
  EXPECT_EQ(F(infinity).bits(), overflow);
  EXPECT_EQ(F(std::numeric_limits<double>::max()).bits(), overflow);
  EXPECT_EQ(F(std::numeric_limits<double>::denorm_min()).bits(), 0);
  EXPECT_EQ(F(-0.0).bits(), sign);
  EXPECT_TRUE(is_nan(F(std::numeric_limits<double>::quiet_NaN())));
}

// Is r = fl(n/m) by definition? |n − r·m| is compared with the same at both neighbours, in double,
// where all of it is exact (the products have 2t + 1 <= 23 digits). Eigen cannot judge subnormal
// bfloat16 quotients, as float rounds those twice; nor are there any 8-bit formats in it.
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

// What std::numeric_limits says of binary32, a format of the same digits has to say, too.
TEST(format, limits_are_those_of_the_hardware_binary32) {
  using Ours = std::numeric_limits<single>;
  using Theirs = std::numeric_limits<float>;
  const auto of = []<class L>(L) {
    return std::array<int, 12>{L::is_specialized, L::is_signed,  L::is_integer,   L::is_exact,
                               L::is_iec559,      L::is_bounded, L::has_infinity, L::has_quiet_NaN,
                               L::digits,         L::radix,      L::max_exponent, L::min_exponent};
  };
  EXPECT_EQ(of(Ours{}), of(Theirs{}));
  const auto agrees = [](single ours, float theirs) {
    EXPECT_EQ(ours.bits(), std::bit_cast<std::uint32_t>(theirs)) << theirs;
  };
  agrees(Ours::min(), Theirs::min());
  agrees(Ours::max(), Theirs::max());
  agrees(Ours::lowest(), Theirs::lowest());
  agrees(Ours::denorm_min(), Theirs::denorm_min());
  agrees(Ours::infinity(), Theirs::infinity());
  agrees(Ours::quiet_NaN(), Theirs::quiet_NaN());
  agrees(Ours::epsilon(), Theirs::epsilon());
  agrees(single(), float());
}

// IEEE 754-2019, table 3.5, for the interchange formats; unit_roundoff comes from the digits.
TEST(format, traits_are_those_of_the_standard) {
  static_assert(unit_roundoff<double> == 0x1p-53);
  static_assert(unit_roundoff<float> == 0x1p-24);
  static_assert(unit_roundoff<single> == 0x1p-24);
  static_assert(FormatTraits<double>::min_normal == 0x1p-1022);
  static_assert(FormatTraits<float>::min_normal == 0x1p-126);
  static_assert(FormatTraits<single>::min_normal == 0x1p-126);
  static_assert(FormatTraits<binary16>::min_normal == 0x1p-14);
  EXPECT_STREQ(FormatTraits<binary16>::name, "binary16");
  EXPECT_STREQ(FormatTraits<bfloat16>::name, "bfloat16");
  for (const char* other : {FormatTraits<single>::name, FormatTraits<e4m3_of_ieee>::name,
                            FormatTraits<Format<8, 10>>::name, FormatTraits<Format<5, 7>>::name})
    EXPECT_STREQ(other, "a small format");
}

TEST(format, elementary_functions_are_told_apart_where_they_are_exact) {
  const binary16 zero(0), one(1), two(2), three(3);
  EXPECT_TRUE(exp(zero) == one && log(one) == zero && sin(zero) == zero && cos(zero) == one);
  EXPECT_TRUE(pow(two, three) == binary16(8));
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
