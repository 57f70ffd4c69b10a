// The exact and the 50-digit numbers against Boost.Multiprecision's, against their own laws, and at
// the ends of their ranges.
#include <gtest/gtest.h>
#include <embedscale/random.hpp>
#include <embedscale/scalar.hpp>

#include <boost/multiprecision/cpp_bin_float.hpp>
#include <boost/multiprecision/cpp_int.hpp>
#include <cmath>
#include <cstdint>
#include <limits>
#include <stdexcept>
#include <type_traits>
#include <vector>

#include "properties/exact/decimal50.hpp"
#include "properties/exact/rational.hpp"

namespace embedscale::properties::exact {
namespace {

namespace mp = boost::multiprecision;
using BoostRational = mp::number<mp::cpp_rational::backend_type, mp::et_off>;
using Boost50 = mp::number<mp::cpp_bin_float<50>, mp::et_off>;
using Boost100 = mp::number<mp::cpp_bin_float<100>, mp::et_off>;

static_assert(Scalar<Rational> && AnalyticScalar<Decimal50> && AnalyticScalar<Decimal100>);
static_assert(!std::convertible_to<double, Rational> && !std::convertible_to<Rational, double>);
static_assert(!std::convertible_to<Decimal50, double> && std::convertible_to<double, Decimal50>);
static_assert(std::is_trivially_copyable_v<Decimal50>);
static_assert(std::is_nothrow_move_constructible_v<Rational>);
static_assert(Decimal50::precision == std::numeric_limits<Boost50>::digits);
static_assert(Decimal100::precision == std::numeric_limits<Boost100>::digits);

constexpr std::uint64_t cases = 2000;
constexpr double infinity = std::numeric_limits<double>::infinity();

/// Fractions of 1 to 64 binary digits over as many, of either sign; every eighth is whole.
template <class Number>
Number fraction(std::uint64_t i) {
  const auto words = Stream(0, "exact fractions").block(i);
  const Number over(words[0] >> (words[2] % 64));
  const Number under(i % 8 == 0 ? std::uint64_t{1} : words[1] >> (words[3] % 64) | 1);
  return words[3] >> 63 != 0 ? Number(-(over / under)) : Number(over / under);
}

/// 192 binary digits, rounded, times 2^-200 to 2^200.
template <class Number>
Number many_digits(std::uint64_t i) {
  const auto words = Stream(0, "exact digits").block(i);
  const Number low = ldexp(Number(words[1]), -64) + ldexp(Number(words[2]), -128);
  const Number x = ldexp(Number(words[0]) + low, static_cast<int>(words[3] % 401) - 200);
  return words[3] >> 63 != 0 ? Number(-x) : x;
}

/// The doubles that x is the sum of, each the nearest one to what is left.
template <class Number>
std::vector<double> parts_of(Number x) {
  std::vector<double> parts;
  for (; x != 0 && parts.size() < 8; x -= Number(parts.back()))
    parts.push_back(static_cast<double>(x));
  return parts;
}

TEST(rational, computes_what_boost_does) {
  for (std::uint64_t i = 0; i < cases; ++i) {
    const auto x = fraction<Rational>(2 * i), y = fraction<Rational>(2 * i + 1);
    const auto p = fraction<BoostRational>(2 * i), q = fraction<BoostRational>(2 * i + 1);
    ASSERT_EQ(x.str(), p.str());
    ASSERT_EQ((x + y).str(), BoostRational(p + q).str());
    ASSERT_EQ((x - y).str(), BoostRational(p - q).str());
    ASSERT_EQ((x * y).str(), BoostRational(p * q).str());
    ASSERT_TRUE(y == 0 || (x / y).str() == BoostRational(p / q).str());
    ASSERT_EQ((-x).str(), BoostRational(-p).str());
    ASSERT_EQ(abs(x).str(), BoostRational(abs(p)).str());
    ASSERT_EQ(numerator(x).str(), numerator(p).str());
    ASSERT_EQ(denominator(x).str(), denominator(p).str());
    ASSERT_TRUE((x < y) == (p < q) && (x == y) == (p == q) && (x >= y) == (p >= q));
    ASSERT_EQ(static_cast<double>(x), static_cast<double>(p)) << x;
    Rational by_steps = x;
    by_steps += y, by_steps *= y, by_steps -= x;
    ASSERT_TRUE(by_steps == (x + y) * y - x);
  }
}

TEST(rational, refuses_what_is_no_fraction) {
  Rational x(5);
  EXPECT_THROW(x / 0, std::domain_error);
  EXPECT_THROW(x /= Rational(0), std::domain_error);
  EXPECT_EQ(x, 5);
  EXPECT_THROW(Rational{infinity}, std::domain_error);
  EXPECT_THROW(Rational(std::nan("")), std::domain_error);
  EXPECT_THROW(Rational(Decimal50(infinity)), std::domain_error);
}

TEST(rational, takes_every_integer_and_double_as_it_is) {
  EXPECT_EQ(Rational(std::numeric_limits<std::uint64_t>::max()).str(), "18446744073709551615");
  const Rational least(std::numeric_limits<std::int64_t>::min());
  EXPECT_EQ(least.str(), "-9223372036854775808");
  EXPECT_TRUE(-least == Rational(0x1p63) && -least - 1 == Rational(INT64_MAX) && least < 0);
  EXPECT_EQ(Rational(-0.375).str(), "-3/8");
  EXPECT_EQ(Rational(0.1).str(), BoostRational(0.1).str());
  EXPECT_EQ(Rational(0x1p-1074) * Rational(0x1p1000) * Rational(0x1p74), 1);
  EXPECT_EQ(Rational(-0.0), 0);
}

TEST(rational, roots_are_those_of_squares) {
  for (std::uint64_t i = 0; i < cases; ++i) {
    const auto x = fraction<Rational>(i);
    ASSERT_EQ(rational_root(x * x), abs(x));
    ASSERT_TRUE(x == 0 || !rational_root(2 * x * x));
  }
  EXPECT_EQ(rational_root(Rational(-4)), std::nullopt);
}

/// Fractions near, on and beside the middle of two doubles, normal and subnormal.
TEST(rational, becomes_the_nearest_double) {
  const Stream stream(1, "exact doubles");
  for (std::uint64_t i = 0; i < cases; ++i) {
    const int exponent = static_cast<int>(stream.below(2098, 2 * i)) - 1074;
    const double low = std::ldexp(1.0 + stream.uniform(i), exponent);
    const double high = std::nextafter(low, infinity);
    const Rational middle = (Rational(low) + Rational(high)) / 2;
    const Rational trifle = middle / Rational(0x1p200);
    const bool low_is_even = std::fmod(low / (high - low), 2.0) == 0.0;
    ASSERT_EQ(static_cast<double>(middle), low_is_even ? low : high) << low;
    ASSERT_EQ(static_cast<double>(middle - trifle), low) << low;
    ASSERT_EQ(static_cast<double>(middle + trifle), high) << low;
    ASSERT_EQ(static_cast<double>(-middle - trifle), -high) << low;
  }
  const Rational tiny(0x1p-1074), huge = Rational(0x1p1023) * 2;
  EXPECT_EQ(static_cast<double>(tiny / 2), 0.0);
  EXPECT_EQ(static_cast<double>(tiny * 3 / 2), 0x1p-1073);
  EXPECT_EQ(static_cast<double>(tiny * Rational(51) / 100), 0x1p-1074);
  EXPECT_EQ(static_cast<double>(huge), infinity);
  EXPECT_EQ(static_cast<double>(huge - Rational(0x1p970) - 1), std::numeric_limits<double>::max());
}

TEST(decimal, computes_the_bits_that_boost_does) {
  for (std::uint64_t i = 0; i < cases; ++i) {
    // Sizes apart by any power up to 2^400: sums with and without an overlap.
    const auto x = many_digits<Decimal50>(2 * i), y = many_digits<Decimal50>(2 * i + 1);
    const auto p = many_digits<Boost50>(2 * i), q = many_digits<Boost50>(2 * i + 1);
    const auto same = [](const Decimal50& ours, const Boost50& boosts) {
      return parts_of(ours) == parts_of(boosts);
    };
    ASSERT_TRUE(same(x, p) && same(x - y, p - q)) << x << ' ' << y;
    // Boost 1.74 rounds -a + b, b > 0, the wrong way where the last bit of a is 2 to 4 times b.
    const double apart = std::log2(std::abs(static_cast<double>(x / y)));
    const bool by_a_last_bit = (x < 0) != (y < 0) && std::abs(std::abs(apart) - 168.5) <= 2;
    ASSERT_TRUE(by_a_last_bit || same(x + y, p + q)) << x << ' ' << y;
    ASSERT_EQ(x + y, Decimal50(Rational(x) + Rational(y)));
    ASSERT_TRUE(same(x * y, p * q) && same(x / y, p / q)) << x << ' ' << y;
    ASSERT_TRUE(same(sqrt(abs(x)), sqrt(abs(p))) && same(-x, -p)) << x;
    ASSERT_TRUE(same(floor(x), floor(p))) << x;
    ASSERT_TRUE(same(ldexp(x, 7), ldexp(p, 7)));
    int ours = 0, boosts = 0;
    ASSERT_TRUE(same(frexp(x, &ours), frexp(p, &boosts)) && ours == boosts);
    ASSERT_TRUE((x < y) == (p < q) && (x == y) == (p == q) && (x > y) == (p > q));
    for (const Decimal50& z : {y, -x, x, -y, x + ldexp(x, -167), ldexp(x, 1), Decimal50(0)})
      ASSERT_TRUE((x <=> z) == (Rational(x) <=> Rational(z)) && (z <=> x) == (0 <=> (x <=> z)));
    ASSERT_EQ(static_cast<double>(x), static_cast<double>(p));
    ASSERT_EQ(static_cast<float>(x), static_cast<float>(p));
    ASSERT_EQ(static_cast<long double>(x), static_cast<long double>(p));
    ASSERT_TRUE(same(Decimal50(fraction<Rational>(i)), Boost50(fraction<BoostRational>(i))));
    ASSERT_EQ(Decimal50(Rational(x)), x);
  }
}

/// Rounded to nearest: within 2^-168 of what 100 digits say, whose own error is 2^-160 of that; and
/// within the two ulp of the C library's long double, which knows nothing of MPFR.
TEST(decimal, functions_are_rounded_to_nearest) {
  const Stream stream(2, "exact functions");
  const Decimal100 most =
      ldexp(Decimal100(1), -Decimal50::precision) * (1 + ldexp(Decimal100(1), -50));
  const auto expect_near = [&](auto function, auto... x) {
    const Decimal50 ours = function(Decimal50(x)...);
    const Decimal100 exact = function(Decimal100(x)...);
    const long double c_library = function(static_cast<long double>(x)...);
    ASSERT_TRUE(abs(Decimal100(ours) - exact) <= most * abs(exact)) << ours;
    ASSERT_LE(std::abs(static_cast<long double>(ours) - c_library),
              2 * std::numeric_limits<long double>::epsilon() * std::abs(c_library));
  };
#define EMBEDSCALE_EXPECT_NEAR(function, ...) \
  expect_near(                                \
      [](auto... of) {                        \
        using std::function;                  \
        return function(of...);               \
      },                                      \
      __VA_ARGS__)
  for (std::uint64_t i = 0; i < 200; ++i) {
    const double x = stream.normal(2 * i) * 8 / 3, y = std::abs(stream.normal(2 * i + 1)) / 3;
    EMBEDSCALE_EXPECT_NEAR(exp, x);
    EMBEDSCALE_EXPECT_NEAR(log, y);
    EMBEDSCALE_EXPECT_NEAR(sqrt, y);
    EMBEDSCALE_EXPECT_NEAR(sin, x);
    EMBEDSCALE_EXPECT_NEAR(cos, x);
    EMBEDSCALE_EXPECT_NEAR(pow, y, x);
    EMBEDSCALE_EXPECT_NEAR(pow, x, 7.0);
    EMBEDSCALE_EXPECT_NEAR(asin, std::sin(x));
    ASSERT_EQ(fmod(Decimal50(x), Decimal50(y)), std::fmod(x, y));
  }
#undef EMBEDSCALE_EXPECT_NEAR
  const Decimal50 ulp = std::numeric_limits<Decimal50>::epsilon();
  Decimal50 factorial = 1;
  for (int n = 1; n <= 40; factorial *= n, ++n) ASSERT_EQ(tgamma(Decimal50(n)), factorial);
  // √π rounds twice, and its logarithm once more, relatively by less than 2 ulp.
  EXPECT_LE(abs(tgamma(Decimal50(0.5)) / sqrt(Decimal50::pi()) - 1), 2 * ulp);
  EXPECT_LE(abs(lgamma(Decimal50(-0.5)) - log(2 * sqrt(Decimal50::pi()))), 3 * ulp);
  EXPECT_EQ(Decimal50::pi(),
            Decimal50("3.14159265358979323846264338327950288419716939937510582097"));
  EXPECT_EQ(Decimal50::euler(),
            Decimal50("0.57721566490153286060651209008240243104215933593992359880577"));
}

/// 64 of its 168 bits, ties to even, with what lies in the last limb alone; far from 1, too.
TEST(decimal, becomes_a_long_double_by_one_rounding) {
  const long double u = 0x1p-64L;
  for (const int scale : {0, -16100, 16300}) {
    const auto rounded = [&](const Decimal50& x) {
      return std::ldexp(static_cast<long double>(ldexp(x, scale)), -scale);
    };
    for (const bool beside : {false, true}) {
      const long double past = beside ? 0x1p-160L : 0;
      EXPECT_EQ(rounded(Decimal50(1) + u + past), beside ? 1 + 2 * u : 1);
      EXPECT_EQ(rounded(Decimal50(-1) - u - past), beside ? -1 - 2 * u : -1);
      EXPECT_EQ(rounded(Decimal50(1) + 3 * u - past), beside ? 1 + 2 * u : 1 + 4 * u);
      EXPECT_EQ(rounded(Decimal50(2) - u - past), beside ? 2 - 2 * u : 2);
    }
  }
  const long double least = std::numeric_limits<long double>::denorm_min();
  EXPECT_EQ(static_cast<long double>(ldexp(Decimal50(2.5), -16445)), 2 * least);
  EXPECT_EQ(static_cast<long double>(ldexp(Decimal50(2.6), -16445)), 3 * least);
}

TEST(decimal, has_infinities_nans_and_far_exponents) {
  const Decimal50 inf(infinity), nan = inf - inf, zero;
  EXPECT_TRUE(isinf(inf) && isinf(-inf) && !isfinite(inf) && isnan(nan) && isfinite(zero));
  EXPECT_TRUE(-inf < 0 && 0 < inf && zero == -zero && !(nan == nan) && !(nan < 1) && nan != 1);
  EXPECT_TRUE(1 / zero == inf && 1 / -zero == -inf && isnan(sqrt(Decimal50(-1))));
  EXPECT_TRUE(std::isnan(static_cast<double>(nan)) && static_cast<double>(-inf) == -infinity);
  const Decimal50 far = exp(Decimal50(1e8));
  // far is half an ulp off, relatively, as is its logarithm, rounded to half of 1e8 of them.
  EXPECT_TRUE(isfinite(far) &&
              abs(log(far) - 1e8) <= 1e8 * std::numeric_limits<Decimal50>::epsilon());
  EXPECT_EQ(static_cast<double>(far), infinity);
  EXPECT_TRUE(static_cast<double>(1 / far) == 0.0 && 1 / far > 0);
  using Limits = std::numeric_limits<Decimal50>;
  EXPECT_TRUE(isfinite(Limits::max()) && isinf(Limits::max() * 2) && Limits::min() / 2 == 0);
  EXPECT_TRUE(1 + Limits::epsilon() > 1 && 1 + Limits::epsilon() / 2 == 1);
  EXPECT_EQ(parts_of(Limits::epsilon()), parts_of(std::numeric_limits<Boost50>::epsilon()));
}

TEST(decimal, is_read_shown_and_converted) {
  EXPECT_EQ(Decimal50("-1.5e3"), -1500);
  EXPECT_EQ(parts_of(Decimal50("1e-40")), parts_of(Boost50("1e-40")));
  EXPECT_THROW(Decimal50("1e-40x"), std::invalid_argument);
  EXPECT_THROW(Decimal50(""), std::invalid_argument);
  EXPECT_EQ((Decimal50(2) / 3).str(10), "0.6666666667");
  EXPECT_EQ(Decimal50(std::numeric_limits<std::uint64_t>::max()) + 1, Decimal50(0x1p64));
  EXPECT_EQ(Decimal50(1.0L + 0x1p-63L) - 1, 0x1p-63);
  EXPECT_EQ(static_cast<float>(1 + Decimal50(0x1p-24) + 0x1p-80), 1.0f + 0x1p-23f);
  EXPECT_EQ(Decimal50(Decimal100(1) / 3), Decimal50(1) / 3);
  EXPECT_EQ(abs(Decimal100(Decimal50(1) / 3) * 3 - 1), ldexp(Decimal100(1), -169));
}

}  // namespace
}  // namespace embedscale::properties::exact
