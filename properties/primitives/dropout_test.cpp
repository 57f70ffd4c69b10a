// Inverted dropout: the scale against 50 digits, the mask against the rate.
#include <embedscale/dropout.hpp>
#include <embedscale/format.hpp>

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <limits>

#include "../testing/seed.hpp"
#include "properties/exact/decimal50.hpp"

namespace embedscale::properties::testing::dropout_test {
namespace {

using Wide = exact::Decimal50;
constexpr double rates[] = {0.0, 0.05, 0.1, 0.2, 0.3, 0.5, 0.9};

template <class>
class dropout_in : public ::testing::Test {};
using Reals = ::testing::Types<binary16, bfloat16, float, double>;
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

// 0, not 0·x, which would be NaN for an infinite channel.
TYPED_TEST(dropout_in, dropped_channels_are_0) {
  using Real = TypeParam;
  EXPECT_TRUE(dropout(std::numeric_limits<Real>::infinity(), DropoutMask::dropped, Real(2)) ==
              Real(0));
}

TEST(dropout, refuses_rates_outside_0_to_1) {
  for (const double rate : {-0.1, 1.0, 1.5, std::nan(""), std::numeric_limits<double>::infinity()})
    EXPECT_THROW(dropout_scale<float>(rate), std::invalid_argument) << rate;
}

// A uniform number below the rate drops; at rate 0 none may, so equality keeps.
TEST(dropout, keeps_a_channel_whose_number_is_the_rate) {
  const Stream mask = stream_of("dropout.boundary");
  for (std::uint64_t i = 0; i < 100; ++i) {
    const std::uint64_t at = i << 40 | i;
    EXPECT_EQ(dropout_mask(mask, at, mask.uniform(at)), DropoutMask::kept);
    EXPECT_EQ(dropout_mask(mask, at, std::nextafter(mask.uniform(at), 1.0)), DropoutMask::dropped);
  }
}

}  // namespace
}  // namespace embedscale::properties::testing::dropout_test
