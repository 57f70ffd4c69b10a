// The own logit of a shared table: against closed forms, another formula in 50 digits and bounds
// over the reals. Draws are own_loss_test.cpp's.
#include <embedscale/expected/own_logit.hpp>

#include <gtest/gtest.h>

#include <cmath>

#include "properties/exact/decimal50.hpp"

namespace embedscale::properties::own_logit_test {
namespace {

using namespace embedscale::expected;
using Wide = exact::Decimal50;
constexpr double ulp = std::numeric_limits<double>::epsilon();
constexpr auto rms = Norm::Kind::rms_norm, layer = Norm::Kind::layer_norm;

// Without a position y = g, and J = E‖g‖ = √2·Γ((n + 1)/2)/Γ(n/2), between √(n − 1) and √n.
TEST(expected_own_logit, alone_it_is_the_mean_length) {
  for (const std::uint64_t n : {2, 3, 10, 512, 16384, 1 << 20}) {
    const auto [value, error] = aligned_normal(n, 0);
    EXPECT_GE(value, std::sqrt(static_cast<double>(n - 1))) << n;
    EXPECT_LE(value, std::sqrt(static_cast<double>(n))) << n;
    const Wide x = Wide(n) / 2;
    const auto exact = static_cast<double>(sqrt(Wide(2)) * exp(lgamma(x + 0.5) - lgamma(x)));
    EXPECT_NEAR(value, exact, error + ulp * exact) << n;
  }
}

TEST(expected_own_logit, leading_order_is_off_by_a_share_of_about_1_over_d) {
  for (const std::size_t d : {16, 64, 512, 4096})
    for (const auto norm : {rms, layer}) {
      const double n = static_cast<double>(d);
      const TiedToken token{d, 1 / std::sqrt(n), std::sqrt(n), 1, norm};
      const double p = 0.5 * n, centring = norm == layer ? 1 - 1 / n : 1;
      const double exact = own_logit(token, p).value;
      const double leading = own_logit_to_leading_order(token, centring + 0.5);
      EXPECT_LE(std::abs(leading / exact - 1), 1 / n) << d;
    }
}

}  // namespace
}  // namespace embedscale::properties::own_logit_test
