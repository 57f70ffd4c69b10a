// Inverted dropout: the scale against 50 digits, the mask against the rate with an exact error
// rate.
#include <embedscale/dropout.hpp>
#include <embedscale/format.hpp>

#include <gtest/gtest.h>
#include <boost/math/distributions/binomial.hpp>
#include <boost/multiprecision/cpp_bin_float.hpp>

#include <cmath>
#include <cstdint>
#include <limits>

namespace {

using embedscale::dropout, embedscale::dropout_fate, embedscale::Fate, embedscale::dropout_scale,
    embedscale::Stream;
using Wide = boost::multiprecision::cpp_bin_float_50;
constexpr double rates[] = {0.0, 0.05, 0.1, 0.2, 0.3, 0.5, 0.9};

template <class>
class dropout_in : public testing::Test {};
using Reals = testing::Types<embedscale::binary16, embedscale::bfloat16, float, double>;
TYPED_TEST_SUITE(dropout_in, Reals);

// Against 1/(1 − rate) for the double `rate`: difference and quotient round in double (2.01u_d with
// the terms in u²), then the one rounding to Real, which double does not need.
TYPED_TEST(dropout_in, scale_is_the_reciprocal_of_what_is_kept) {
  const Wide u = embedscale::unit_roundoff<TypeParam>, in_double = 2.01 * 0x1p-53;
  for (const double rate : rates) {
    const Wide error = abs(Wide(double(dropout_scale<TypeParam>(rate))) * (1 - Wide(rate)) - 1);
    EXPECT_LE(error, in_double + (u == 0x1p-53 ? Wide(0) : Wide(u * (1 + in_double)))) << rate;
  }
  EXPECT_TRUE(dropout_scale<TypeParam>(0.0) == TypeParam(1));
  EXPECT_TRUE(dropout_scale<TypeParam>(0.5) == TypeParam(2));
  EXPECT_TRUE(dropout_scale<TypeParam>(0.75) == TypeParam(4));
}

TYPED_TEST(dropout_in, kept_channels_are_scaled_and_others_are_0) {
  using Real = TypeParam;
  EXPECT_TRUE(dropout(Real(3), Fate::kept, Real(2)) == Real(6));
  EXPECT_TRUE(dropout(Real(3), Fate::dropped, Real(2)) == Real(0));
  // Dropped means 0, not 0·x, which would be NaN for an infinite channel.
  EXPECT_TRUE(dropout(std::numeric_limits<Real>::infinity(), Fate::dropped, Real(2)) == Real(0));
}

TEST(dropout, refuses_rates_outside_0_to_1) {
  for (const double rate : {-0.1, 1.0, 1.5, std::nan(""), std::numeric_limits<double>::infinity()})
    EXPECT_THROW(dropout_scale<float>(rate), std::invalid_argument) << rate;
}

// The number kept is binomial (N, 1 − rate), exactly up to the 2^-53 of the uniforms' grid. At
// N = 2^18 and a false alarm of 1e-10 the share is known to 6.5·√(rate(1−rate)/N): 0.0063 at rate
// 1/2; twice that is missed as rarely. Dropping with probability 1 − rate instead of rate shows at
// every rate but 1/2, for which rate 0.5 is no test, the others are.
TEST(dropout, keeps_a_binomial_number) {
  constexpr int n = 1 << 18;
  const Stream mask(0, "dropout mask");
  for (const double rate : rates) {
    int kept = 0;
    for (std::uint64_t i = 0; i < n; ++i) kept += dropout_fate(mask, i, rate) == Fate::kept ? 1 : 0;
    if (rate == 0.0) {
      EXPECT_EQ(kept, n);
      continue;
    }
    const boost::math::binomial law(n, 1.0 - rate);
    EXPECT_GE(kept, quantile(law, 0.5e-10)) << rate;
    EXPECT_LE(kept, quantile(complement(law, 0.5e-10))) << rate;
  }
}

// Hoeffding on the mask times the scale, terms in [0, s] with mean 1: t = s·√(ln(2e10)/(2N)), 0.013
// at rate 1/2. The ordinary dropout without the scale has mean 1/2 there.
TEST(dropout, keeps_the_mean) {
  constexpr int n = 1 << 18;
  const Stream mask(1, "dropout mean");
  for (const double rate : {0.1, 0.5}) {
    const auto s = dropout_scale<double>(rate);
    double sum = 0;
    for (std::uint64_t i = 0; i < n; ++i) sum += dropout(1.0, dropout_fate(mask, i, rate), s);
    EXPECT_LE(std::fabs(sum / n - 1.0), s * std::sqrt(std::log(2e10) / (2.0 * n))) << rate;
  }
}

TEST(dropout, a_higher_rate_drops_a_superset) {
  const Stream mask(2, "dropout nested");
  for (std::uint64_t i = 0; i < 10'000; ++i)
    if (dropout_fate(mask, i, 0.3) == Fate::kept) {
      EXPECT_EQ(dropout_fate(mask, i, 0.1), Fate::kept);
    }
}

}  // namespace
