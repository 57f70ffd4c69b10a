// How far draws are from a law, by hand, and the tail beyond the draws that the exact law is for.
#include "../whole_law.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

namespace embedscale::properties::evidence {
namespace {

double distance_from_uniform(std::vector<double> x) {
  return distance_from(x, [](double at) { return std::clamp(at, 0.0, 1.0); }).distance;
}

// F_n jumps at a draw: too early, it is above F behind the last of them; too late, below F before
// the first.
TEST(distance, is_the_largest_on_either_side_of_a_draw) {
  EXPECT_EQ(distance_from_uniform({0.375, 0.125, 0.25, 0.5}), 0.5);
  EXPECT_EQ(distance_from_uniform({0.875, 0.625, 0.75, 0.5}), 0.5);
  EXPECT_EQ(distance_from_uniform({0.25}), 0.75);
  EXPECT_EQ(distance_from_uniform({0.75}), 0.75);
  EXPECT_EQ(distance_from_uniform({0.25, 0.75}), 0.25);
}

// exp(−2nd²) = e^−10, by mpmath. The exponent has three roundings, which are 30u of the result, and
// the function is off by less than 2u.
TEST(distance, has_the_tail_of_dvoretzky_kiefer_and_wolfowitz_beyond_1000_draws) {
  constexpr double u = 0x1p-53, known = 4.539992976248485153559e-05;
  EXPECT_NEAR(WholeLaw::tail(2000, 0.05), known, 32 * u * known);
}

}  // namespace
}  // namespace embedscale::properties::evidence
