// The gradients of LayerNorm and RMSNorm at inputs whose norms are exact, their invariances, and
// what is refused. Against automatic differentiation and differences: block/gradient_test.cpp.
#include <embedscale/normalization.hpp>
#include <embedscale/random.hpp>

#include <gtest/gtest.h>

#include <cmath>
#include <span>
#include <string>
#include <vector>

#include "../evidence/running_error.hpp"

namespace {

using embedscale::EpsilonPlacement, embedscale::layer_norm_gradient, embedscale::rms_norm_gradient;
using Tracked = embedscale::properties::RunningError<double>;
constexpr EpsilonPlacement placements[] = {EpsilonPlacement::variance,
                                           EpsilonPlacement::standard_deviation};

std::vector<Tracked> draws(std::size_t n, const char* name) {
  const embedscale::Stream stream(n, name);
  std::vector<Tracked> x;
  for (std::size_t i = 0; i < n; ++i) x.emplace_back(0.5 + stream.normal(i));
  return x;
}

/// That `got` is numerator/denominator, as far as its own roundings allow.
void expect_quotient(const Tracked& got, double numerator, double denominator) {
  EXPECT_LE(share_of_errors(got, Tracked(numerator) / Tracked(denominator)), 1.0)
      << got.value() << " for " << numerator << "/" << denominator;
}

// Channels ±3 with ε = 16: mean 0 and root 3, so that D = 5 with ε inside the root and r = D; with
// ε beside it D = 19 and r = 3. Of g = (1, 0, 0, 0), <g, c>/n = 3/4 and the mean is 1/4.
TEST(normalization_gradient, is_that_of_the_formula) {
  const std::vector<Tracked> x{3, -3, -3, 3}, g{1, 0, 0, 0};
  std::vector<Tracked> out(4);
  // (g_j − c_j·3/(4·25))/5, and with 1/4 less, over 500.
  rms_norm_gradient<Tracked>(x, g, 16, EpsilonPlacement::variance, out);
  const double inside[] = {91, 9, 9, -9};
  for (std::size_t j = 0; j < 4; ++j) expect_quotient(out[j], inside[j], 500);
  layer_norm_gradient<Tracked>(x, g, 16, EpsilonPlacement::variance, out);
  for (std::size_t j = 0; j < 4; ++j) expect_quotient(out[j], inside[j] - 25, 500);
  // (g_j − c_j·3/(4·19·3))/19 = (76 g_j − c_j)/1444.
  rms_norm_gradient<Tracked>(x, g, 16, EpsilonPlacement::standard_deviation, out);
  const double beside[] = {73, 3, 3, -3};
  for (std::size_t j = 0; j < 4; ++j) expect_quotient(out[j], beside[j], 1444);
  layer_norm_gradient<Tracked>(x, g, 16, EpsilonPlacement::standard_deviation, out);
  for (std::size_t j = 0; j < 4; ++j) expect_quotient(out[j], beside[j] - 19, 1444);
}

// x + c has the same LayerNorm, so 1 is orthogonal to its gradient; a·x has the same norm if ε = 0,
// so x is orthogonal to both gradients (Euler). With ε = 1 it is not.
TEST(normalization_gradient, is_orthogonal_to_what_the_norm_does_not_see) {
  for (const std::size_t n : {2u, 3u, 8u, 100u})
    for (const auto placement : placements) {
      const auto x = draws(n, "x"), g = draws(n, "g");
      const std::vector<Tracked> ones(n, 1);
      std::vector<Tracked> out(n);
      for (const double epsilon : {0.0, 1.0}) {
        layer_norm_gradient<Tracked>(x, g, epsilon, placement, out);
        EXPECT_LE(share_of_errors(embedscale::dot<Tracked>(ones, out), Tracked(0)), 1.0) << n;
        const auto along = embedscale::dot<Tracked>(x, out);
        EXPECT_EQ(share_of_errors(along, Tracked(0)) <= 1.0, epsilon == 0.0) << n;
        rms_norm_gradient<Tracked>(x, g, epsilon, placement, out);
        const auto along_too = embedscale::dot<Tracked>(x, out);
        EXPECT_EQ(share_of_errors(along_too, Tracked(0)) <= 1.0, epsilon == 0.0) << n;
      }
    }
}

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

TEST(normalization_gradient, may_write_over_what_it_reads) {
  const std::vector<double> x{1, 2, 4, -1}, g{1, 0, -1, 3};
  for (const auto gradient : {layer_norm_gradient<double>, rms_norm_gradient<double>}) {
    std::vector<double> out(4), over_x = x, over_g = g;
    gradient(x, g, 0.5, EpsilonPlacement::variance, out);
    gradient(over_x, g, 0.5, EpsilonPlacement::variance, over_x);
    gradient(x, over_g, 0.5, EpsilonPlacement::variance, over_g);
    EXPECT_EQ(over_x, out);
    EXPECT_EQ(over_g, out);
  }
}

TEST(normalization_gradient, refuses_what_the_norms_refuse) {
  const std::vector<double> x{1, 2}, g{1, 1}, same{0.1, 0.1}, zero{0, 0};
  std::vector<double> out(2), longer(3), none;
  for (const auto placement : placements) {
    EXPECT_THROW(layer_norm_gradient<double>(same, g, 0, placement, out), std::invalid_argument);
    EXPECT_NO_THROW(layer_norm_gradient<double>(same, g, 1, placement, out));
    // Ten times fl(0.1) has a computed mean that is not fl(0.1), which leaves noise.
    const std::vector<double> ten(10, 0.1);
    std::vector<double> of_ten(10);
    EXPECT_THROW(layer_norm_gradient<double>(ten, ten, 0, placement, of_ten),
                 std::invalid_argument);
    EXPECT_THROW(rms_norm_gradient<double>(zero, g, 0, placement, out), std::invalid_argument);
    EXPECT_NO_THROW(rms_norm_gradient<double>(same, g, 0, placement, out));
    EXPECT_THROW(layer_norm_gradient<double>(std::vector{1e-300, -1e-300}, g, 0, placement, out),
                 std::invalid_argument)
        << "the squares underflow";
    for (const auto gradient : {layer_norm_gradient<double>, rms_norm_gradient<double>}) {
      EXPECT_THROW(gradient(x, g, 0, placement, longer), std::invalid_argument);
      EXPECT_THROW(gradient(x, longer, 0, placement, out), std::invalid_argument);
      EXPECT_THROW(gradient(none, none, 1, placement, none), std::invalid_argument);
      for (const double epsilon : {-1.0, std::nan("")})
        EXPECT_THROW(gradient(x, g, epsilon, placement, out), std::invalid_argument);
    }
  }
  try {
    layer_norm_gradient<double>(x, longer, 0, EpsilonPlacement::variance, out);
  } catch (const std::invalid_argument& error) {
    EXPECT_EQ(std::string(error.what()), "layer_norm_gradient: upstream: got 3, needs 2");
  }
}

}  // namespace
