// LayerNorm and RMSNorm against other formulas in 50 digits, with bounds derived from n and u; what
// they and their gradients refuse, and may write over. The gradients' formulas are tried against
// automatic differentiation: block.
#include <embedscale/format.hpp>
#include <embedscale/normalization.hpp>
#include <embedscale/random.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <vector>

#include "../exact/decimal50.hpp"

namespace {

using embedscale::EpsilonPlacement, embedscale::layer_norm, embedscale::layer_norm_gradient;
using embedscale::rms_norm, embedscale::rms_norm_gradient;
using Wide = embedscale::properties::exact::Decimal50;
constexpr EpsilonPlacement placements[] = {EpsilonPlacement::variance,
                                           EpsilonPlacement::standard_deviation};

// 50 digits, and the other formula for the variance: E x² − (E x)², which those digits can afford.
struct Exact {
  Wide mean = 0, mean_size = 0, mean_square = 0;
  template <class Real>
  explicit Exact(const std::vector<Real>& x) {
    for (const Real& value : x) {
      const Wide wide(double{value});
      mean += wide / x.size();
      mean_size += abs(wide) / x.size();
      mean_square += wide * wide / x.size();
    }
  }
  Wide variance() const { return mean_square - mean * mean; }
};
Wide with_epsilon(const Wide& square, const Wide& epsilon, EpsilonPlacement placement) {
  return placement == EpsilonPlacement::variance ? Wide(sqrt(square + epsilon))
                                                 : Wide(sqrt(square) + epsilon);
}

template <class Real>
std::vector<Real> sample(std::size_t n, double shift, double size) {
  const embedscale::Stream stream(n, "normalization");
  std::vector<Real> x;
  for (std::uint64_t i = 0; i < n; ++i)
    x.push_back(static_cast<Real>(shift + size * stream.normal(i)));
  return x;
}

template <class>
class normalization : public testing::Test {};
using Reals = testing::Types<embedscale::bfloat16, float, double>;
TYPED_TEST_SUITE(normalization, Reals);

// γ_k bounds the relative error of k roundings. bfloat16's u = 2^-8 leaves it n <= 64 channels.
template <class Real>
Wide gamma(std::size_t k) {
  const Wide ku = k * Wide(embedscale::unit_roundoff<Real>);
  return ku / (1 - ku);
}

// LayerNorm: n − 1 additions and n rounded, divided: the mean is off by at most γ_{n+1} mean|x|,
// each centred value by that and one rounding: δ = γ_{n+1} mean|x| + u max|x − mean| (1 + …), with
// 2u to cover it. The root of a mean of squares is a norm, so it moves by at most δ as well, as
// does √(· + ε). Its own roundings (square, n additions, n, quotient, ε, root) are at most γ_{n+5},
// the quotient's u makes γ_{n+6}. Hence |y| lies below (|c| + δ)/((D − δ)(1 − γ_{n+6})); the lower
// side is nearer.
template <class Real>
void expect_layer_norm_within_bound(const std::vector<Real>& x, double epsilon,
                                    EpsilonPlacement placement) {
  const std::size_t n = x.size();
  std::vector<Real> y(n);
  layer_norm<Real>(x, Real(epsilon), placement, y);
  const Exact exact(x);
  Wide farthest = 0;
  for (const auto& v : x) farthest = std::max<Wide>(farthest, abs(double(v) - exact.mean));
  const Wide delta =
      gamma<Real>(n + 1) * exact.mean_size + 2 * Wide(embedscale::unit_roundoff<Real>) * farthest;
  const Wide d = with_epsilon(exact.variance(), epsilon, placement);
  ASSERT_LT(delta, d / 2) << "the bound says nothing: choose another sample";
  for (std::size_t j = 0; j < n; ++j) {
    const Wide c = double(x[j]) - exact.mean;
    const Wide most = (abs(c) + delta) / ((d - delta) * (1 - gamma<Real>(n + 6)));
    ASSERT_LE(abs(double(y[j]) - c / d), most - abs(c) / d) << n << " " << j;
  }
}

// RMSNorm, without a cancellation: square, n additions, n, quotient, ε, root, quotient are n + 6
// roundings.
template <class Real>
void expect_rms_norm_within_bound(const std::vector<Real>& x, double epsilon,
                                  EpsilonPlacement placement) {
  const std::size_t n = x.size();
  std::vector<Real> y(n);
  rms_norm<Real>(x, Real(epsilon), placement, y);
  const Wide size = with_epsilon(Exact(x).mean_square, epsilon, placement);
  for (std::size_t j = 0; j < n; ++j) {
    const Wide expected = double(x[j]) / size;
    ASSERT_LE(abs(double(y[j]) - expected), gamma<Real>(n + 6) * abs(expected)) << n;
  }
}

TYPED_TEST(normalization, is_within_its_rounding_bound) {
  std::vector<std::size_t> widths{2, 3, 8, 32, 100, 512};
  if (embedscale::FormatTraits<TypeParam>::digits < 24) widths.resize(4);
  for (const std::size_t n : widths)
    for (const double shift : {0.0, 0.5})
      for (const double epsilon : {0.0, 0.0625})
        for (const auto placement : placements) {
          const auto x = sample<TypeParam>(n, shift, 2.0);
          expect_layer_norm_within_bound(x, epsilon, placement);
          expect_rms_norm_within_bound(x, epsilon, placement);
        }
}

// Widths of models, 16 … 16384 on a logarithmic scale, and a mean as far from 0 as the bound of two
// passes has room for: with mean/σ = 1/(32 γ_{n+1}) it makes δ/D near 1/32. The variance in one
// pass, E x² − (E x)², would be off by some √n·u·(mean/σ)² of itself, which is 1/(1024 n^1.5 u):
// above the bound in binary64 at every width, in binary32 up to about 2600.
template <class Real>
void expect_norms_within_bounds_far_from_0() {
  const embedscale::Stream widths(0, "widths of norms");
  for (std::uint64_t i = 0; i < 48; ++i) {
    const auto n = static_cast<std::size_t>(std::exp2(4.0 + 10.0 * widths.uniform(i)));
    const double mean = 1.0 / (32.0 * static_cast<double>(gamma<Real>(n + 1)));
    const auto x = sample<Real>(n, i % 2 == 0 ? mean : -mean, 1.0);
    expect_layer_norm_within_bound(x, 0.0, placements[i / 2 % 2]);
    expect_rms_norm_within_bound(x, 0.0, placements[i / 2 % 2]);
  }
}

TEST(normalization_at_size, is_within_its_rounding_bounds_far_from_0) {
  expect_norms_within_bounds_far_from_0<double>();
  expect_norms_within_bounds_far_from_0<float>();
}

TYPED_TEST(normalization, may_write_over_its_input) {
  using Real = TypeParam;
  for (const auto norm : {layer_norm<Real>, rms_norm<Real>}) {
    auto x = sample<Real>(8, 1.0, 1.0);
    std::vector<Real> y(8);
    norm(x, Real(0), EpsilonPlacement::variance, y);
    norm(x, Real(0), EpsilonPlacement::variance, x);
    EXPECT_TRUE(x == y);
  }
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
// itself, whatever lies behind it, and ∞ − ∞ is not 0.
TEST(normalization_refusals, a_vector_of_which_nothing_is_left_needs_an_epsilon) {
  const std::vector<double> constant(10, 0.1), zero(10), two{1e-300, -1e-300};
  std::vector<double> y(10);
  const std::span<double> first_two(y.data(), 2), first(y.data(), 1);
  for (const auto placement : placements) {
    EXPECT_THROW(layer_norm<double>(constant, 0, placement, y), std::invalid_argument);
    EXPECT_THROW(layer_norm_gradient<double>(constant, constant, 0, placement, y),
                 std::invalid_argument);
    EXPECT_THROW(rms_norm<double>(zero, 0, placement, y), std::invalid_argument);
    EXPECT_THROW(rms_norm_gradient<double>(zero, constant, 0, placement, y), std::invalid_argument);
    EXPECT_NO_THROW(rms_norm<double>(constant, 0, placement, y));
    EXPECT_NO_THROW(rms_norm_gradient<double>(constant, constant, 0, placement, y));
    EXPECT_THROW(layer_norm<double>(two, 0, placement, first_two), std::invalid_argument)
        << "the squares underflow";
    EXPECT_THROW(layer_norm_gradient<double>(two, two, 0, placement, first_two),
                 std::invalid_argument)
        << "the squares underflow";
    for (const double channel : {2.5, std::numeric_limits<double>::infinity()}) {
      const std::vector<double> x{channel, 1};
      EXPECT_THROW(layer_norm<double>(std::span(x).first(1), 0, placement, first),
                   std::invalid_argument);
    }
    // With ε = 1 the divisor is at least 1 and leaves what the mean is off by: γ_11·0.1, and one
    // rounding of the difference (exact here, by Sterbenz).
    EXPECT_NO_THROW(layer_norm_gradient<double>(constant, constant, 1, placement, y));
    layer_norm<double>(constant, 1, placement, y);
    for (const double value : y)
      EXPECT_LE(std::fabs(value), static_cast<double>(gamma<double>(11)) * 0.1);
  }
}

TEST(normalization_refusals, sizes_and_epsilons_that_make_no_sense) {
  constexpr auto variance = EpsilonPlacement::variance;
  const std::vector<double> x{1, 2}, g{1, 1};
  std::vector<double> y(2), longer(3), none;
  for (const auto norm : {layer_norm<double>, rms_norm<double>}) {
    EXPECT_THROW(norm(x, 0.0, variance, longer), std::invalid_argument);
    EXPECT_THROW(norm(none, 1.0, variance, none), std::invalid_argument);
    for (const double epsilon : {-1.0, std::nan("")})
      EXPECT_THROW(norm(x, epsilon, variance, y), std::invalid_argument);
  }
  for (const auto gradient : {layer_norm_gradient<double>, rms_norm_gradient<double>}) {
    EXPECT_THROW(gradient(x, g, 0, variance, longer), std::invalid_argument);
    EXPECT_THROW(gradient(x, longer, 0, variance, y), std::invalid_argument);
    EXPECT_THROW(gradient(none, none, 1, variance, none), std::invalid_argument);
    for (const double epsilon : {-1.0, std::nan("")})
      EXPECT_THROW(gradient(x, g, epsilon, variance, y), std::invalid_argument);
  }
  try {
    layer_norm_gradient<double>(x, longer, 0, variance, y);
    FAIL() << "not refused";
  } catch (const std::invalid_argument& error) {
    EXPECT_EQ(std::string(error.what()), "layer_norm_gradient: upstream: got 3, needs 2");
  }
}

}  // namespace
