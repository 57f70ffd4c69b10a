// Factor and shrinkage by ε against the same formulas in 50 digits, which can afford the
// cancellation. The library's norms are first_layer_test.cpp's, the deviation by ε the
// normalization room's.
#include <embedscale/expected/normalization.hpp>

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <stdexcept>

#include "properties/exact/decimal50.hpp"

namespace embedscale::properties::normalization_test {
namespace {

using embedscale::EpsilonPlacement, embedscale::expected::epsilon_deviation,
    embedscale::expected::epsilon_shrinkage, embedscale::expected::Norm,
    embedscale::expected::normalizing_factor, embedscale::expected::rescaled_epsilon;
using Wide = embedscale::properties::exact::Decimal50;
constexpr double u = 0x1p-53;
constexpr std::array placements{EpsilonPlacement::variance, EpsilonPlacement::standard_deviation};
constexpr std::array squares{1e-300, 1e-24, 3e-9, 0.02, 1.0, 3.7, 4096.0, 1e12, 1e300};
constexpr std::array epsilons{1e-300, 1e-24, 1e-12, 1e-8, 1e-6, 1e-5, 0.3, 1.0, 1e3, 1e20};

/// test(s, norm) for each mean square, ε and place of ε.
template <class Test>
void for_each_norm(Test test) {
  for (const double s : squares)
    for (const double epsilon : epsilons)
      for (const EpsilonPlacement placement : placements)
        test(s, Norm{.epsilon = epsilon, .placement = placement});
}

Wide divisor(double mean_square, const Norm& norm) {
  const Wide s = mean_square, epsilon = norm.epsilon;
  return norm.placement == EpsilonPlacement::variance ? Wide(sqrt(s + epsilon))
                                                      : Wide(sqrt(s) + epsilon);
}
double roundings(double computed, const Wide& exact) {
  return static_cast<double>(abs(Wide(computed) - exact) / (u * abs(exact)));
}

// A sum, a root and a quotient; ε in the variance has its first rounding halved by the root.
TEST(expected_normalization, factor_agrees_with_50_digits) {
  for_each_norm([](double s, const Norm& norm) {
    EXPECT_LE(roundings(normalizing_factor(s, norm), 1 / divisor(s, norm)), 3.01)
        << s << " " << norm.epsilon;
  });
}

// Units of u. In the variance: the factor f has 2.5 (above), so r = ε·f·f has 7; √s·f has 4.5, and
// 1 + √s·f at most 4.5/2 + 1; the quotient 1 more: 11.25. In the deviation: 3 + 1. The 50 digits
// lose as many of them as s/ε has, so these stay below 10^30.
TEST(expected_normalization, shrinkage_keeps_its_digits_for_a_tiny_epsilon) {
  double least = 1;
  for_each_norm([&](double s, const Norm& norm) {
    const bool inside = norm.placement == EpsilonPlacement::variance;
    if (norm.epsilon / (inside ? s : std::sqrt(s)) < 1e-30) return;
    const double shrinkage = epsilon_shrinkage(s, norm);
    const Wide exact = 1 - sqrt(Wide(s)) / divisor(s, norm);
    EXPECT_LE(roundings(shrinkage, exact), inside ? 11.3 : 4.01) << s << " " << norm.epsilon;
    least = std::min(least, shrinkage);
  });
  EXPECT_LT(least, 1e-20);  // where 1 − RMS in double would have no digit left
}

TEST(expected_normalization, without_epsilon_nothing_shrinks_and_without_input_all_does) {
  for (const EpsilonPlacement placement : placements) {
    for (const double s : squares) {
      EXPECT_EQ(epsilon_shrinkage(s, {.epsilon = 0, .placement = placement}), 0.0);
      EXPECT_EQ(epsilon_deviation(s, {.epsilon = 0, .placement = placement}, 2.0), 0.0);
      EXPECT_LE(roundings(normalizing_factor(s, {.epsilon = 0, .placement = placement}),
                          1 / sqrt(Wide(s))),
                2.01);
    }
    for (const double epsilon : epsilons)
      EXPECT_NEAR(epsilon_shrinkage(0, {.epsilon = epsilon, .placement = placement}), 1, 12 * u);
  }
}

// ε = 16 and c = 2 make 4 of it under the root and 8 beside it.
TEST(expected_normalization, a_factor_is_another_epsilon) {
  EXPECT_EQ(rescaled_epsilon(16.0, 2.0, EpsilonPlacement::variance), 4);
  EXPECT_EQ(rescaled_epsilon(16.0, 2.0, EpsilonPlacement::standard_deviation), 8);
  for (const auto& [s, epsilon, c] : {std::array{0.0, 1.0, 2.0}, {1.0, -1.0, 2.0}, {1.0, 1.0, 0.0}})
    EXPECT_THROW(epsilon_deviation(s, {.epsilon = epsilon}, c), std::invalid_argument);
}

}  // namespace
}  // namespace embedscale::properties::normalization_test
