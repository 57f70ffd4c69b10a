// Initial laws: moments against integrals in 50 digits, draws against the exact distributions with
// bounds that hold at finite N, and the refusal of laws that are none.
#include <embedscale/format.hpp>
#include <embedscale/initializer.hpp>

#include <gtest/gtest.h>
#include <boost/math/distributions/chi_squared.hpp>
#include <boost/math/distributions/normal.hpp>
#include <boost/math/quadrature/gauss.hpp>
#include <boost/multiprecision/cpp_bin_float.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <vector>

namespace {

using embedscale::Initializer, embedscale::Normal, embedscale::Stream, embedscale::TruncatedNormal,
    embedscale::Uniform, embedscale::XavierNormal, embedscale::XavierUniform;
using Wide = boost::multiprecision::cpp_bin_float_50;
constexpr double u = 0x1p-53;
constexpr double false_alarm = 1e-10;

// ∫ x^k density(x) over (−cut, cut), scaled to a total of 1. Gauss-Legendre with 30 nodes per unit
// length: integrands as smooth as x⁴ exp(−x²/2) leave an error far below the 1e-16 in question.
template <class Density>
Wide moment(int k, int cut, Density density) {
  using Rule = boost::math::quadrature::gauss<Wide, 30>;
  Wide total = 0, powers = 0;
  for (int left = -cut; left < cut; ++left) {
    total += Rule::integrate(density, Wide(left), Wide(left + 1));
    powers += Rule::integrate([&](const Wide& x) -> Wide { return pow(x, k) * density(x); },
                              Wide(left), Wide(left + 1));
  }
  return powers / total;
}
Wide bell(const Wide& x) { return exp(-x * x / 2); }
Wide flat(const Wide&) { return 1; }

// |computed − exact| in units of u·|exact|.
double roundings(double computed, const Wide& exact) {
  return static_cast<double>(abs(Wide(computed) - exact) / (u * abs(exact)));
}

// The normal is integrated over ±16, beyond which less than 1e-50 of it lies. At scale 1 the
// moments 1, 3 are exact, 1/3 and 1/5 have one rounding.
TEST(initializer, moments_of_normal_and_uniform_are_exact) {
  EXPECT_LE(roundings(variance(Normal{1}), moment(2, 16, bell)), 1.0 / 8);
  EXPECT_LE(roundings(fourth_moment(Normal{1}), moment(4, 16, bell)), 1.0 / 8);
  EXPECT_LE(roundings(variance(Uniform{1}), moment(2, 1, flat)), 1.0);
  EXPECT_LE(roundings(fourth_moment(Uniform{1}), moment(4, 1, flat)), 1.0);
}

// Relative errors, libm within one ulp (2u): exp 2u, √(2π) 2u (π and the product exact but for 1u,
// halved, and the root's u; 2u covers it), φ(2) then 5u; erf at the double √2: 2u plus
// |x erf'(x)/erf(x)| u < u: 3u; so φ/Z has 9u, and its multiples by 4 and 16 too.
//   E z² = 1 − 0.2263: absolute 9·0.2263 u + u·0.774, relative below 4u.
//   E z⁴ = 2.3212 − 0.9051: 2.3212·(4 + 1) u + 0.9051·9 u + 1.416 u, relative below 15u.
TEST(initializer, moments_of_the_truncated_normal_are_its_integrals) {
  EXPECT_LE(roundings(variance(TruncatedNormal{1}), moment(2, 2, bell)), 4.0);
  EXPECT_LE(roundings(fourth_moment(TruncatedNormal{1}), moment(4, 2, bell)), 15.0);
}

// Powers of two scale without rounding.
TEST(initializer, moments_scale_with_their_power_of_the_parameter) {
  for (const auto& [unit, scaled] : {std::pair<Initializer, Initializer>{Normal{1}, Normal{0.125}},
                                     {Uniform{1}, Uniform{0.125}},
                                     {TruncatedNormal{1}, TruncatedNormal{0.125}}}) {
    EXPECT_EQ(variance(scaled), std::ldexp(variance(unit), -6));
    EXPECT_EQ(fourth_moment(scaled), std::ldexp(fourth_moment(unit), -12));
    EXPECT_EQ(mean(scaled), 0.0);
  }
}

// 2/(V+d) both ways, to first order in u. Normal: the quotient's u halved under the root, the
// root's u, all doubled by squaring, the product's u: 4u. Uniform: 1/3 and its product too, 6u. E
// x⁴ = kurtosis·variance²: 2·4 + 1 = 9u for s⁴, one more for 3 s⁴, two for 1/5 and its product.
TEST(initializer, xavier_laws_share_one_variance) {
  for (const std::size_t vocabulary : {1u, 100u, 32'000u, 37'000u, 50'257u})
    for (const std::size_t d : {1u, 512u, 768u, 4096u}) {
      const Wide exact = Wide(2) / (vocabulary + d);
      EXPECT_LE(roundings(variance(XavierNormal{vocabulary, d}), exact), 4.0);
      EXPECT_LE(roundings(variance(XavierUniform{vocabulary, d}), exact), 6.0);
      EXPECT_LE(roundings(fourth_moment(XavierNormal{vocabulary, d}), 3 * exact * exact), 10.0);
      EXPECT_LE(roundings(fourth_moment(XavierUniform{vocabulary, d}), Wide(9) / 5 * exact * exact),
                11.0);
    }
  EXPECT_EQ(scale_of(XavierUniform{1, 5}), 1.0);
  EXPECT_EQ(scale_of(XavierNormal{1, 1}), 1.0);
}

// Dvoretzky, Kiefer, Wolfowitz and Massart: P(sup |F_N − F| > t) <= 2 exp(−2Nt²). At N = 2^17 and
// 1e-10, t = 0.0095, and an F off by 2t = 0.019 is missed with the same probability. Clamping at ±2
// instead of rejecting puts 0.0228 on each end; a σ off by 8 % moves F by 0.019.
template <class Distribution>
double distance_over_bound(const Initializer& law, const char* name, Distribution cumulative) {
  constexpr std::size_t n = 1 << 17;
  std::vector<double> x(n);
  fill(law, Stream(0, name), std::span(x));
  std::sort(x.begin(), x.end());
  double worst = 0;
  for (std::size_t i = 0; i < n; ++i) {
    const double f = cumulative(x[i]), below = static_cast<double>(i) / n;
    worst = std::max({worst, f - below, below + 1.0 / n - f});
  }
  return worst / std::sqrt(std::log(2.0 / false_alarm) / (2.0 * n));
}

TEST(initializer, draws_follow_their_laws) {
  const boost::math::normal bell_curve(0.0, 0.02);
  const auto normal = [&](double x) { return cdf(bell_curve, x); };
  const auto uniform = [](double x) { return 0.5 + 0.5 * x / 0.02; };
  const double lower = normal(-0.04), inside = 1.0 - 2.0 * lower;
  const auto truncated = [&](double x) { return (normal(x) - lower) / inside; };
  EXPECT_LE(distance_over_bound(Normal{0.02}, "normal", normal), 1.0);
  EXPECT_LE(distance_over_bound(Uniform{0.02}, "uniform", uniform), 1.0);
  EXPECT_LE(distance_over_bound(TruncatedNormal{0.02}, "truncated", truncated), 1.0);
  EXPECT_LE(distance_over_bound(XavierUniform{14'000, 1'000}, "xavier uniform", uniform), 1.0);
  EXPECT_LE(distance_over_bound(XavierNormal{4'000, 1'000}, "xavier normal", normal), 1.0);
}

// The sample's mean and mean square against `mean` and `variance`. Normal draws: Σx²/σ² is χ²_N,
// within 1.8 % at N = 2^18 and 1e-10. Bounded ones, |x| <= a: Hoeffding, t = a·√(2 ln(2e10)/N) on
// the mean, a²·t/2 on that of x² in [0, a²]: 2 % of the uniform's variance, 3.5 % of the truncated
// one's (whose uncut variance is 29 % larger). Twice each bound is missed with probability 1e-10.
TEST(initializer, sample_moments_are_those_stated) {
  constexpr std::size_t n = 1 << 18;
  std::vector<double> x(n);
  const auto sums = [&](const Initializer& law, const char* name) {
    fill(law, Stream(1, name), std::span(x));
    double sum = 0, squares = 0;
    for (const double value : x) sum += value, squares += value * value;
    return std::pair(sum / n - mean(law), squares / n);
  };
  const boost::math::chi_squared chi_squared(static_cast<double>(n));
  const double quantile_of_mean = quantile(complement(boost::math::normal(), false_alarm / 2));
  for (const Initializer& law : {Initializer(Normal{3}), Initializer(XavierNormal{1000, 64})}) {
    const auto [centre, square] = sums(law, "normal");
    EXPECT_LE(std::fabs(centre), quantile_of_mean * std::sqrt(variance(law) / n));
    EXPECT_GE(square / variance(law) * n, quantile(chi_squared, false_alarm / 2));
    EXPECT_LE(square / variance(law) * n, quantile(complement(chi_squared, false_alarm / 2)));
  }
  const double t = std::sqrt(2.0 * std::log(2.0 / false_alarm) / n);
  for (const auto& [law, a] : {std::pair<Initializer, double>{Uniform{3}, 3.0},
                               {XavierUniform{1, 5}, 1.0},
                               {TruncatedNormal{3}, 6.0}}) {
    const auto [centre, square] = sums(law, "bounded");
    EXPECT_LE(std::fabs(centre), a * t);
    EXPECT_LE(std::fabs(square - variance(law)), 0.5 * a * a * t);
    EXPECT_LE(*std::max_element(x.begin(), x.end()), a);
    EXPECT_GE(*std::min_element(x.begin(), x.end()), -a);
  }
}

// A rejected try must not borrow the next index's draw: two indices would share it. By chance two
// of 20 000 doubles that differ in some 2^50 values agree with probability below 2e-7.
TEST(initializer, rejection_leaves_draws_distinct) {
  std::vector<double> x(20'000);
  fill(TruncatedNormal{1}, Stream(4, "distinct"), std::span(x));
  std::sort(x.begin(), x.end());
  EXPECT_EQ(std::adjacent_find(x.begin(), x.end()), x.end());
}

template <class Real>
void fills_with_draws_rounded_once(const Initializer& law) {
  const Stream stream(2, "fill");
  std::vector<Real> whole(1000), parts(1000);
  fill(law, stream, std::span(whole));
  fill(law, stream, std::span(parts).first(300));
  fill(law, stream, std::span(parts).subspan(300), 300);
  for (std::size_t i = 0; i < whole.size(); ++i) {
    ASSERT_TRUE(whole[i] == static_cast<Real>(draw(law, stream, i)));
    ASSERT_TRUE(parts[i] == whole[i]);
  }
}

TEST(initializer, fill_rounds_each_draw_once_and_in_any_parts) {
  for (const Initializer& law : {Initializer(Normal{0.02}), Initializer(TruncatedNormal{1}),
                                 Initializer(XavierUniform{100, 8})}) {
    fills_with_draws_rounded_once<double>(law);
    fills_with_draws_rounded_once<float>(law);
    fills_with_draws_rounded_once<embedscale::binary16>(law);
    fills_with_draws_rounded_once<embedscale::bfloat16>(law);
  }
}

TEST(initializer, refuses_a_law_that_is_none_and_says_why) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  const Stream stream(3, "refused");
  std::vector<Initializer> laws{XavierUniform{0, 8}, XavierUniform{8, 0}, XavierNormal{0, 0}};
  for (const double bad : {0.0, -0.0, -1.0, infinity, -infinity, std::nan("")})
    for (const Initializer& law :
         {Initializer(Normal{bad}), Initializer(Uniform{bad}), Initializer(TruncatedNormal{bad})})
      laws.push_back(law);
  for (const Initializer& law : laws) {
    std::vector<float> out(1);
    EXPECT_THROW(variance(law), std::invalid_argument);
    EXPECT_THROW(fourth_moment(law), std::invalid_argument);
    EXPECT_THROW(mean(law), std::invalid_argument);
    EXPECT_THROW(draw(law, stream, 0), std::invalid_argument);
    EXPECT_THROW(fill(law, stream, std::span(out)), std::invalid_argument);
  }
  try {
    scale_of(TruncatedNormal{-1});
    FAIL() << "not refused";
  } catch (const std::invalid_argument& error) {
    EXPECT_EQ(std::string(error.what()),
              "TruncatedNormal: standard_deviation = -1, needs a finite number > 0");
  }
}

}  // namespace
