// The own logit of a shared table: against closed forms, another formula in 50 digits, bounds over
// the reals, and draws through the library's own primitives.
#include <embedscale/expected/own_logit.hpp>
#include <embedscale/normalization.hpp>
#include <embedscale/tied_output.hpp>

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include "../evidence/normal.hpp"
#include "../testing/statistical.hpp"
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

// About 18 at d = 512: √512/√1.5 = 18.475 to leading order.
TEST(expected_own_logit, has_the_signs_and_factors_of_its_multipliers) {
  const TiedToken token{512, 1 / std::sqrt(512.0), std::sqrt(512.0), 1, rms};
  EXPECT_NEAR(own_logit_to_leading_order(token, 1.5), 18.475, 0.001);
  const double value = own_logit(token, 256).value;
  auto other = token;
  other.multiplier = -token.multiplier;
  EXPECT_EQ(own_logit(other, 256).value, -value);
  other.output_multiplier = -0.5;
  EXPECT_EQ(own_logit(other, 256).value, 0.5 * value);
  EXPECT_EQ(other_logit_deviation(other), 0.5 * other_logit_deviation(token));
}

TEST(expected_own_logit, refuses_no_dimension_and_no_length) {
  EXPECT_THROW(aligned_normal(0, 1), std::invalid_argument);
  EXPECT_THROW(aligned_normal(2, -1), std::invalid_argument);
  EXPECT_THROW(aligned_normal(2, std::nan("")), std::invalid_argument);
  EXPECT_NO_THROW(aligned_normal(2, 0));
}

struct Case {
  double sigma, m;
  Norm::Kind norm;
};
constexpr std::size_t d = 24;

// 64 batches of 512 rows: look-up, sum, norm and product by the library. The position is (√½, …),
// of mean 0 over channels as its signs alternate, so that both norms leave its length.
evidence::BatchMean::Data own_logits(const Case& at, const Stream& stream,
                                     const expected::Expectation& stated) {
  evidence::BatchMean::Data data{
      .null = {stated.value - stated.error, stated.value + stated.error}};
  std::vector<double> row(d), x(d), h(d), z(1);
  for (std::uint64_t batch = 0; batch < 64; ++batch) {
    double sum = 0;
    for (std::uint64_t i = 0; i < 512; ++i) {
      for (std::size_t j = 0; j < d; ++j) {
        row[j] = at.sigma * stream.normal((batch * 512 + i) * d + j);
        x[j] = at.m * row[j] + (j % 2 == 0 ? 1 : -1) * std::sqrt(0.5);
      }
      if (at.norm == layer)
        layer_norm<double>(x, 0.0, EpsilonPlacement::variance, h);
      else
        rms_norm<double>(x, 0.0, EpsilonPlacement::variance, h);
      tied_logits<double>(EmbeddingTable<double>(1, d, row), h, 1.0, z);
      sum += z[0];
    }
    data.add(sum / 512);
  }
  return data;
}

TEST(expected_own_logit, is_that_of_draws) {
  testing::Assertion<"expected_own_logit.is_that_of_draws", evidence::BatchMean> mean(4);
  for (const Case& at :
       {Case{1 / std::sqrt(24.0), std::sqrt(24.0), rms},
        Case{1 / std::sqrt(24.0), std::sqrt(24.0), layer}, Case{1, 1, rms}, Case{0.25, 1, layer}}) {
    const std::string name = "sigma = " + std::to_string(at.sigma) +
                             ", m = " + std::to_string(at.m) +
                             (at.norm == layer ? ", LayerNorm" : ", RMSNorm");
    const auto stated = own_logit({d, at.sigma, at.m, 1, at.norm}, 0.5 * d);
    mean.judge(own_logits(at, mean.stream(name), stated), name);
  }
}

// Each is a formula of something else; a batch deviates by at most 2 % of the right value.
TEST(expected_own_logit, wrong_formulas_are_seen) {
  testing::Rejection<"expected_own_logit.is_that_of_draws", evidence::BatchMean> mutants(4, 4);
  const Case at{1 / std::sqrt(24.0), std::sqrt(24.0), rms};
  const TiedToken token{d, at.sigma, at.m, 1, rms};
  const double right = own_logit(token, 0.5 * d).value;
  const auto judge = [&](const expected::Expectation& wrong, const char* name) {
    mutants.judge(own_logits(at, mutants.stream(name), wrong),
                  std::abs(wrong.value - right) / (0.02 * right), name);
  };
  TiedToken no_multiplier = token, wide = token;
  no_multiplier.multiplier = 1;
  wide.deviation *= 1.08;
  judge(own_logit(token, 0), "no position");
  judge(own_logit(token, d), "mean square 1 of a sine");
  judge(own_logit(no_multiplier, 0.5 * d), "no multiplier");
  judge(own_logit(wide, 0.5 * d), "8 percent on the table");
}

}  // namespace
}  // namespace embedscale::properties::own_logit_test
