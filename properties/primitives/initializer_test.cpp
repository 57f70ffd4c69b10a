// Initial laws: moments against integrals in 50 digits, a variance of draws by the ledger, and the
// refusal of laws that are none. primitives.draws_are_of_their_law settles each draw.
#include <embedscale/format.hpp>
#include <embedscale/initializer.hpp>

#include <gtest/gtest.h>
#include <boost/math/quadrature/gauss.hpp>
#include <boost/multiprecision/cpp_bin_float.hpp>

#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <vector>

#include "../evidence/normal.hpp"
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

const std::array<Initializer, 2> normals{Normal{3}, XavierNormal{1000, 64}};

/// Judges of(i) for 2^20 indices; a mutant, which is so far off, by its effect and name.
void judge_each(auto& check, auto of, auto... told) {
  NormalVariance::Data all;
  for (std::uint64_t i = 0; i < 1 << 20; ++i) all.add(of(i));
  check.judge(all, told...);
}

TEST(initializer, normal_draws_have_their_variance) {
  Assertion<"initializer.normal_draws_have_their_variance", NormalVariance> variances(2);
  for (const auto& law : normals) {
    const std::string name = std::to_string(law.index());
    judge_each(
        variances,
        [&, s = variances.stream(name)](auto i) {
          return draw(law, s, i) / std::sqrt(variance(law));
        },
        name);
  }
}

/// An index that needs all of its 64 bits.
constexpr std::uint64_t far(std::uint64_t i) { return i << 40 | i; }

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
}

// In units of the deviation that is meant. Xavier's by fan-in alone is √(1/V), by both √(2/(V+d));
// of Normal{3}, the variance taken for the deviation is 9.
TEST(initializer, normals_of_another_variance_are_seen) {
  Rejection<"initializer.normal_draws_have_their_variance", NormalVariance> mutants(3, 2);
  const auto by = [&, s = mutants.stream()](const char* what, double factor) {
    judge_each(
        mutants, [&](auto i) { return factor * draw(Normal{1}, s, i); }, std::abs(factor - 1),
        what);
  };
  by("standard deviation one percent high", 1.01);
  by("Xavier normal by fan-in alone", std::sqrt((1000.0 + 64) / (2 * 1000)));
  by("variance taken for the deviation", 3);
}

}  // namespace
}  // namespace embedscale::properties::testing::initializer_test
