// Break-even width, relative deviation of a length, probability of a short token: against formulas
// of another kind, in 50 digits.
#include <embedscale/expected/token_norm.hpp>

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>
#include <stdexcept>

#include "properties/exact/decimal50.hpp"

namespace embedscale::properties::token_norm_test {
namespace {

using embedscale::expected::break_even_width, embedscale::expected::probability_shorter,
    embedscale::expected::relative_length_deviation;
using Wide = embedscale::properties::exact::Decimal50;
constexpr double u = 0x1p-53;

double relative(double computed, const Wide& exact) {
  return static_cast<double>(abs(Wide(computed) - exact) / abs(exact));
}

// Γ((d+1)/2)/Γ(d/2) by r(d+1) = (d/2)/r(d), from Γ(1)/Γ(1/2) = 1/√π: rational steps alone.
// From d = 64 on the header's series lacks a term below d^−4; before, μ²/d <= 1 is off by 16u, and
// 1 − μ²/d > 1/(2d + 1), of which the root is taken, by half of its share of that.
TEST(expected_token_norm, length_deviates_as_by_the_recurrence_of_its_mean) {
  Wide quotient = 1 / sqrt(Wide::pi());
  for (std::uint64_t d = 1; d <= 16384; ++d) {
    const Wide mean = sqrt(Wide(2)) * quotient, exact = sqrt(1 - mean * mean / d);
    const double width = static_cast<double>(d);
    const double allowed = d < 64 ? 16 * u * (width + 1) : std::pow(width, -4) + 4 * u;
    EXPECT_LE(relative(relative_length_deviation(d), exact), allowed) << d;
    quotient = Wide(d) / 2 / quotient;
  }
  EXPECT_THROW(relative_length_deviation(0), std::invalid_argument);
}

// For even d, P(χ²_d/2 < x) is the probability of d/2 arrivals by time x or more: the upper tail of
// a Poisson law, all terms positive, so that small values keep their digits: to 1e−9,
// as the header says.
Wide poisson_tail(std::uint64_t arrivals, const Wide& x) {
  Wide term = exp(-x);
  for (std::uint64_t k = 1; k <= arrivals; ++k) term *= x / k;
  Wide sum = term;
  for (std::uint64_t k = arrivals + 1; term > sum * 1e-40; ++k) sum += term *= x / k;
  return sum;
}

TEST(expected_token_norm, short_tokens_are_as_frequent_as_a_poisson_tail) {
  for (const std::uint64_t d : {2u, 4u, 16u, 64u, 512u, 2048u, 16384u})
    for (const double deviation : {0.4, 0.6, 0.7, std::numbers::sqrt2 / 2, 0.75, 1.0, 2.0}) {
      const Wide x = Wide(d) / (4 * Wide(deviation) * deviation);
      const Wide exact = poisson_tail(d / 2, x);
      if (exact < 1e-300) continue;
      EXPECT_LE(relative(probability_shorter(d, 1, deviation), exact), 1e-9)
          << d << " " << deviation;
    }
}

TEST(expected_token_norm, known_break_evens) {
  EXPECT_NEAR(break_even_width(0.01), 5000, 5000 * 4 * u);
  EXPECT_NEAR(break_even_width(0.02), 1250, 1250 * 4 * u);
  EXPECT_EQ(break_even_width(0.5), 2);
}

}  // namespace
}  // namespace embedscale::properties::token_norm_test
