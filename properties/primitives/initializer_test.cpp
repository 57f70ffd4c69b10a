// Initial laws: moments against integrals in 50 digits, draws against the exact laws by checks of
// the ledger, and the refusal of laws that are none. Wrong laws are each rejected by the entry that
// the library's pass: how far each is off is derived beside it; the faintest is what the draws
// still show.
#include <embedscale/format.hpp>
#include <embedscale/initializer.hpp>

#include <gtest/gtest.h>
#include <boost/math/distributions/normal.hpp>
#include <boost/math/quadrature/gauss.hpp>
#include <boost/multiprecision/cpp_bin_float.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <numbers>
#include <span>
#include <string>
#include <vector>

#include "../evidence/bounded.hpp"
#include "../evidence/normal.hpp"
#include "../evidence/whole_law.hpp"
#include "../testing/statistical.hpp"

namespace embedscale::properties::testing::initializer_test {
namespace {

using namespace evidence;
using Wide = boost::multiprecision::cpp_bin_float_50;
constexpr double u = 0x1p-53;

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

double normal(double z) { return cdf(boost::math::normal(), z); }
double uniform(double x) { return std::clamp(0.5 + 0.5 * x, 0.0, 1.0); }
/// A normal law cut at ±c.
double cut(double z, double c) {
  return std::clamp((normal(z) - normal(-c)) / (1 - 2 * normal(-c)), 0.0, 1.0);
}

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

TEST(initializer, draws_follow_their_laws) {
  Assertion<"initializer.draws_follow_their_laws", WholeLaw> laws(5);
  const boost::math::normal bell_curve(0.0, 0.02);
  const auto normal = [&](double x) { return cdf(bell_curve, x); };
  const auto uniform = [](double x) { return 0.5 + 0.5 * x / 0.02; };
  const double lower = normal(-0.04), inside = 1.0 - 2.0 * lower;
  const auto truncated = [&](double x) { return (normal(x) - lower) / inside; };
  const auto follows = [&](const Initializer& law, const char* name, auto cumulative) {
    std::vector<double> x(1 << 17);
    fill(law, laws.stream(name), std::span(x));
    laws.judge(distance_from(x, cumulative), name);
  };
  follows(Normal{0.02}, "normal", normal);
  follows(Uniform{0.02}, "uniform", uniform);
  follows(TruncatedNormal{0.02}, "truncated normal", truncated);
  follows(XavierUniform{14'000, 1'000}, "Xavier uniform", uniform);
  follows(XavierNormal{4'000, 1'000}, "Xavier normal", normal);
}

/// Judges of(x) for each of 2^20 draws x of the law.
template <class Assertion, class Data, class Of>
void judge_draws(Assertion& assertion, const Initializer& law, Data none, Of of) {
  const std::string name = std::to_string(law.index());
  std::vector<double> draws(1 << 20);
  fill(law, assertion.stream(name), std::span(draws));
  for (const double x : draws) none.add(of(x));
  assertion.judge(none, name);
}

const std::array<Initializer, 2> normals{Normal{3}, XavierNormal{1000, 64}};

TEST(initializer, normal_draws_have_mean_0) {
  Assertion<"initializer.normal_draws_have_mean_0", NormalMean> means(2);
  for (const auto& law : normals)
    judge_draws(means, law, NormalMean::Data{},
                [&](double x) { return (x - mean(law)) / std::sqrt(variance(law)); });
}

TEST(initializer, normal_draws_have_their_variance) {
  Assertion<"initializer.normal_draws_have_their_variance", NormalVariance> variances(2);
  for (const auto& law : normals)
    judge_draws(variances, law, NormalVariance::Data{},
                [&](double x) { return x / std::sqrt(variance(law)); });
}

// |x| <= a, so (x/a + 1)/2 and (x/a)² are in [0, 1]; a draw outside throws.
const std::array<std::pair<Initializer, double>, 3> bounded{
    {{Uniform{3}, 3.0}, {XavierUniform{1, 5}, 1.0}, {TruncatedNormal{3}, 6.0}}};

TEST(initializer, bounded_draws_have_mean_0) {
  Assertion<"initializer.bounded_draws_have_mean_0", BoundedMean> means(bounded.size());
  for (const auto& [law, a] : bounded)
    judge_draws(means, law, BoundedMean::Data{{0.5, 0.5}},
                [a = a](double x) { return (x / a + 1) / 2; });
}

TEST(initializer, bounded_draws_have_their_variance) {
  Assertion<"initializer.bounded_draws_have_their_variance", BoundedMean> squares(bounded.size());
  for (const auto& [law, a] : bounded) {
    const double expected = variance(law) / (a * a);
    judge_draws(squares, law, BoundedMean::Data{{expected, expected}},
                [a = a](double x) { return (x / a) * (x / a); });
  }
}

/// An index that needs all of its 64 bits.
constexpr std::uint64_t far(std::uint64_t i) { return i << 40 | i; }

// The first try within ±2, and no other index's: neighbours would share it.
TEST(initializer, rejection_takes_the_next_attempt_of_the_same_index) {
  const Stream stream = stream_of("initializer.rejection");
  int rejected = 0;
  for (std::uint64_t i = 0; i < 20'000; ++i) {
    std::uint64_t attempt = 0;
    while (std::abs(stream.normal(far(i), attempt)) > 2) ++attempt, ++rejected;
    ASSERT_EQ(draw(TruncatedNormal{1}, stream, far(i)), stream.normal(far(i), attempt)) << i;
  }
  // None of 20 000 is, at 4.6 % each, once in 1e400 runs.
  EXPECT_GT(rejected, 0);
}

template <class Real>
void fills_with_draws_rounded_once(const Initializer& law) {
  const Stream stream(2, "fill");
  for (const std::uint64_t first : {std::uint64_t{0}, far(1)}) {
    std::vector<Real> whole(1000), parts(1000);
    fill(law, stream, std::span(whole), first);
    fill(law, stream, std::span(parts).first(300), first);
    fill(law, stream, std::span(parts).subspan(300), first + 300);
    for (std::size_t i = 0; i < whole.size(); ++i) {
      ASSERT_TRUE(whole[i] == static_cast<Real>(draw(law, stream, first + i)));
      ASSERT_TRUE(parts[i] == whole[i]);
    }
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

/// A normal that is clamped where TruncatedNormal draws again.
double clamped(const Stream& s, std::uint64_t i) { return std::clamp(s.normal(i), -2.0, 2.0); }

/// One that is drawn again while it is beyond the limits.
double drawn_within(double least, double most, const Stream& s, std::uint64_t i) {
  for (std::uint64_t attempt = 0;; ++attempt)
    if (const double z = s.normal(i, attempt); least <= z && z <= most) return z;
}

/// The deviation of a Xavier law by fan-in alone, √(1/V), in that by both, √(2/(V+d)).
double by_fan_in_alone(double vocabulary, double d) {
  return std::sqrt((vocabulary + d) / (2 * vocabulary));
}

TEST(initializer, wrong_laws_are_seen) {
  Rejection<"initializer.draws_follow_their_laws", WholeLaw> mutants(4, 5);
  const Stream stream = mutants.stream();
  const auto off = [&](const char* what, auto law, auto wrong_law, auto draw) {
    std::vector<double> x(1 << 17);
    for (std::size_t i = 0; i < x.size(); ++i) x[i] = draw(stream, i);
    mutants.judge(distance_from(x, law), least_distance(law, wrong_law, -4, 4), what);
  };
  const auto truncated = [](double z) { return cut(z, 2); };
  off(
      "sigma 8 percent high", normal, [](double z) { return normal(z / 1.08); },
      [](const Stream& s, std::uint64_t i) { return draw(Normal{1.08}, s, i); });
  off(
      "clamped at 2 sigma", truncated, [](double z) { return z < -2  ? 0
                                                             : z < 2 ? normal(z)
                                                                     : 1; },
      clamped);
  // As Keras has it: the law is widened so that its deviation is σ after the cut.
  const double widened = 1 / std::sqrt(variance(TruncatedNormal{1}));
  off(
      "sigma restored after the cut", truncated, [=](double z) { return cut(z / widened, 2); },
      [=](const Stream& s, std::uint64_t i) { return draw(TruncatedNormal{widened}, s, i); });
  off(
      "half range taken for the deviation", uniform,
      [](double x) { return uniform(x / std::numbers::sqrt3); },
      [](const Stream& s, std::uint64_t i) { return draw(Uniform{std::numbers::sqrt3}, s, i); });
}

/// Judges of(i) for 2^20 indices, which is so far off.
void reject(auto& mutants, double effect, const char* what, auto none, auto of) {
  for (std::uint64_t i = 0; i < 1 << 20; ++i) none.add(of(i));
  mutants.judge(none, effect, what);
}

TEST(initializer, normals_of_another_mean_are_seen) {
  Rejection<"initializer.normal_draws_have_mean_0", NormalMean> mutants(3, 2);
  const auto z = [s = mutants.stream()](std::uint64_t i) { return draw(Normal{1}, s, i); };
  const NormalMean::Data none;
  reject(mutants, 1.0 / 80, "a bias of sigma/80", none, [&](auto i) { return z(i) + 1.0 / 80; });
  reject(mutants, std::sqrt(2 / std::numbers::pi), "without signs", none,
         [&](auto i) { return std::abs(z(i)); });
  reject(mutants, 1, "sigma taken for the mean, too", none, [&](auto i) { return z(i) + 1; });
}

// In units of the deviation that is meant. Of Normal{3}, the variance taken for the deviation is 9.
TEST(initializer, normals_of_another_variance_are_seen) {
  Rejection<"initializer.normal_draws_have_their_variance", NormalVariance> mutants(3, 2);
  const auto by = [&](const char* what, double factor) {
    reject(mutants, std::abs(factor - 1), what, NormalVariance::Data{},
           [&, s = mutants.stream()](auto i) { return factor * draw(Normal{1}, s, i); });
  };
  by("standard deviation one percent high", 1.01);
  by("Xavier normal by fan-in alone", by_fan_in_alone(1000, 64));
  by("variance taken for the deviation", 3);
}

// Of (x/a + 1)/2: half the mean of x/a. A normal clamped at −2σ and drawn again above 2σ has
// −2Φ(−2) over 1 − Φ(−2), and a = 2σ.
TEST(initializer, bounded_laws_of_another_mean_are_seen) {
  Rejection<"initializer.bounded_draws_have_mean_0", BoundedMean> mutants(3, 3);
  const Stream s = mutants.stream();
  const auto off = [&](const char* what, double effect, auto of) {
    reject(mutants, effect, what, BoundedMean::Data{{0.5, 0.5}},
           [&](auto i) { return (of(i) + 1) / 2; });
  };
  const double below = normal(-2);
  off("clamped below, drawn again above", below / (2 * (1 - below)),
      [&](auto i) { return std::max(drawn_within(-9, 2, s, i), -2.0) / 2; });
  off("uniform on (-0.94 a, a)", 0.03 / 2,
      [&](auto i) { return 0.97 * draw(Uniform{1}, s, i) + 0.03; });
  off("uniform on (0, a)", 0.25, [&](auto i) { return std::abs(draw(Uniform{1}, s, i)); });
}

// Of (x/a)². A clamped normal has E z² = (1 − 2Φ(−2))·v + 8Φ(−2), where v is that of the cut one.
TEST(initializer, bounded_laws_of_another_variance_are_seen) {
  Rejection<"initializer.bounded_draws_have_their_variance", BoundedMean> mutants(3, 3);
  const Stream s = mutants.stream();
  const auto off = [&](const char* what, double effect, double expected, auto of) {
    reject(mutants, effect, what, BoundedMean::Data{{expected, expected}},
           [&](auto i) { return std::pow(of(i), 2); });
  };
  const double v = variance(TruncatedNormal{1}), below = normal(-2), third = 1.0 / 3;
  const auto uniform = [&](auto i) { return draw(Uniform{1}, s, i); };
  off("half range 2.3 percent low", 0.045 * third, third,
      [&](auto i) { return std::sqrt(0.955) * uniform(i); });
  off("clamped at 2 sigma", below * (4 - v) / 2, v / 4, [&](auto i) { return clamped(s, i) / 2; });
  off("half range taken for the deviation", 1 - third, 1, uniform);
}

}  // namespace
}  // namespace embedscale::properties::testing::initializer_test
