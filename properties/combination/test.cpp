// What the claims about up and down do not say of the library: that up rounds twice, which they
// hold without.
#include <embedscale/combination.hpp>
#include <embedscale/format.hpp>

#include <gtest/gtest.h>

#include "../domain/formats.hpp"

namespace embedscale {

// (1 + 2u)(1 − 2u) = 1 − 4u² rounds to 1, as 4u² is below half of the ulp under 1, u/2, in every
// format with u < 1/8; a multiply-add with one rounding keeps the −4u².
TEST(combination, up_rounds_the_product_before_it_adds) {
  properties::domain::for_each_format([]<class Real>() {
    constexpr double step = 2.0 * unit_roundoff<Real>;
    const Real sum = up(static_cast<Real>(1.0 + step), Real(-1), static_cast<Real>(1.0 - step));
    EXPECT_EQ(static_cast<double>(sum), 0.0) << FormatTraits<Real>::name;
  });
}

}  // namespace embedscale
