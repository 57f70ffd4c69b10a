// What LayerNorm, RMSNorm and their gradients refuse, and gradients at 0. Their values are
// properties, those of the gradients of block; that they may write over what they read is tested
// there.
#include <embedscale/normalization.hpp>

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "../evidence/rounding.hpp"

namespace {

using embedscale::EpsilonPlacement, embedscale::layer_norm, embedscale::layer_norm_gradient;
using embedscale::rms_norm, embedscale::rms_norm_gradient;
constexpr EpsilonPlacement placements[] = {EpsilonPlacement::variance,
                                           EpsilonPlacement::standard_deviation};

// x = 0 with ε beside the root: y = x/(√(Σx²/n) + ε) has slope 1/ε there, though the root has none;
// inside it, 1/√ε. Powers of two are exact.
TEST(normalization_gradient, at_0_divides_by_epsilon) {
  const std::vector<double> x(4), g{1, 2, 3, 6};
  std::vector<double> out(4);
  rms_norm_gradient<double>(x, g, 0.25, EpsilonPlacement::standard_deviation, out);
  EXPECT_EQ(out, (std::vector<double>{4, 8, 12, 24}));
  layer_norm_gradient<double>(x, g, 0.25, EpsilonPlacement::standard_deviation, out);
  EXPECT_EQ(out, (std::vector<double>{-8, -4, 0, 12}));
  rms_norm_gradient<double>(x, g, 0.25, EpsilonPlacement::variance, out);
  EXPECT_EQ(out, (std::vector<double>{2, 4, 6, 12}));
}

// Ten times fl(0.1) sums to 1 − 2^-53 in double: the computed mean is not fl(0.1), the computed
// variance not 0, and without the comparison y would be noise of size 1. One channel agrees with
// itself, and ∞ − ∞ is not 0.
TEST(normalization_refusals, a_vector_of_which_nothing_is_left_needs_an_epsilon) {
  const std::vector<double> constant(10, 0.1), zero(10), tiny{1e-300, -1e-300}, one{2.5},
      infinite{std::numeric_limits<double>::infinity()};
  for (const auto placement : placements) {
    for (const auto& x : {constant, tiny, one, infinite}) {
      std::vector<double> y(x.size());
      EXPECT_THROW(layer_norm<double>(x, 0, placement, y), std::invalid_argument);
      EXPECT_THROW(layer_norm_gradient<double>(x, x, 0, placement, y), std::invalid_argument);
    }
    std::vector<double> y(10);
    EXPECT_THROW(rms_norm<double>(zero, 0, placement, y), std::invalid_argument);
    EXPECT_THROW(rms_norm_gradient<double>(zero, constant, 0, placement, y), std::invalid_argument);
    // With ε = 1 the divisor is at least 1 and leaves what the mean is off by: γ_11·0.1, and one
    // rounding of the difference (exact here, by Sterbenz).
    layer_norm<double>(constant, 1, placement, y);
    for (const double value : y)
      EXPECT_LE(std::fabs(value), embedscale::properties::gamma<double>(11) * 0.1);
  }
}

TEST(normalization_refusals, sizes_and_epsilons_that_make_no_sense) {
  constexpr auto variance = EpsilonPlacement::variance;
  const std::vector<double> x{1, 2};
  std::vector<double> y(2), longer(3), none;
  const auto refuses = [&](auto with) {
    EXPECT_THROW(with(x, 0.0, longer), std::invalid_argument);
    EXPECT_THROW(with(none, 1.0, none), std::invalid_argument);
    for (const double epsilon : {-1.0, std::nan("")})
      EXPECT_THROW(with(x, epsilon, y), std::invalid_argument);
  };
  for (const auto norm : {layer_norm<double>, rms_norm<double>})
    refuses([&](auto& in, double epsilon, auto& out) { norm(in, epsilon, variance, out); });
  for (const auto gradient : {layer_norm_gradient<double>, rms_norm_gradient<double>}) {
    refuses([&](auto& in, double epsilon, auto& out) { gradient(in, in, epsilon, variance, out); });
    EXPECT_THROW(gradient(x, longer, 0, variance, y), std::invalid_argument);
  }
}

}  // namespace
