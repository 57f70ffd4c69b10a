// The kinds of check: their quantiles and power functions against closed forms and published
// tables. What they promise is simulated by the report on trust, in short by trust_page_test.cpp.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <numeric>
#include <stdexcept>
#include <vector>

#include "../bounded.hpp"
#include "../median.hpp"
#include "../proportion.hpp"
#include "../whole_law.hpp"

namespace embedscale::properties::evidence {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double unit = 0x1p-53;

/// Accepted just inside, rejected just outside, on either side; 1e-7 is what Boost's tails may be
/// off by at 1e-10.
template <class Kind, class Make>
void turns_at(double boundary, double alpha, Make make) {
  for (const double side : {1.0, -1.0}) {
    EXPECT_TRUE(Kind::accepts(make(side * boundary * (1 - 1e-7)), alpha)) << side << " " << alpha;
    EXPECT_FALSE(Kind::accepts(make(side * boundary * (1 + 1e-7)), alpha)) << side << " " << alpha;
  }
}

// With two degrees of freedom: P(χ² > x) = exp(−x/2), P(T > t) = ½ − ½ t/√(2 + t²),
// so t = √2·(1 − α)/√(α(2 − α)).
TEST(checks, turn_where_closed_forms_say) {
  for (const double alpha : {0.05, 1e-3, 1e-10, 1e-12}) {
    const double most = -2 * std::log(alpha / 2), least = -2 * std::log1p(-alpha / 2);
    EXPECT_TRUE(NormalVariance::accepts({2, most * (1 - 1e-7)}, alpha)) << alpha;
    EXPECT_FALSE(NormalVariance::accepts({2, most * (1 + 1e-7)}, alpha)) << alpha;
    EXPECT_TRUE(NormalVariance::accepts({2, least * (1 + 1e-7)}, alpha)) << alpha;
    EXPECT_FALSE(NormalVariance::accepts({2, least * (1 - 1e-7)}, alpha)) << alpha;
    const double t = std::sqrt(2 / (alpha * (2 - alpha))) * (1 - alpha);
    turns_at<StudentMean>(t, alpha, [](double x) {
      return StudentMean::Data{{3, x, 6}, {0, 0}};  // s² = 3: the mean is x standard errors
    });
  }
  // Abramowitz and Stegun, table 26.5 ff.: Q(1.959964) = 0.025, Q(6.466951) = 5e-11.
  for (const auto& [alpha, z] : {std::pair{0.05, 1.959963985}, {1e-10, 6.466951347}})
    turns_at<NormalMean>(z, alpha, [](double x) { return NormalMean::Data{9, 3 * x}; });
}

// The bounds are conservative: that they alarm rarely enough does not tell where they turn.
TEST(checks, bounds_turn_where_their_theorems_say) {
  for (const double alpha : {0.05, 1e-3, 1e-10, 1e-12}) {
    // Hoeffding 1963, theorem 2, on both sides: 2 exp(−2nt²) = α.
    const double hoeffding = std::sqrt(std::log(2 / alpha) / 2);
    turns_at<SubGaussianMean>(2 * hoeffding, alpha, [](double x) {
      return SubGaussianMean::Data{4, 2 * x};
    });
    turns_at<BoundedMean>(hoeffding / 100, alpha, [](double x) {  // beyond an end of the null
      const double end = x > 0 ? 0.6 : 0.4;
      return BoundedMean::Data{{0.4, 0.6}, 10'000, 10'000 * (end + x)};
    });
  }
  // Maurer and Pontil 2009, theorem 4, is one-sided at δ, with ln(2/δ): at α/2 on each side.
  const double l = std::log(4e10), radius = std::sqrt(2 * 0.04 * l / 3000) + 7 * l / (3 * 2999);
  EXPECT_NEAR(bernstein_radius(3000, 0.2, 1e-10) / radius, 1, 16 * unit);
}

// What a bound detects: where it turns, and what chance takes away on the other side: terms of one
// sign, at most 8 roundings in each and in their sum, twice.
TEST(checks, effects_of_bounds_are_those_of_their_theorems) {
  for (const Rates rates : {Rates{0.05, 0.05}, {1e-10, 1e-7}}) {
    const double hoeffding =
        std::sqrt(std::log(2 / rates.alpha) / 1e4) + std::sqrt(std::log(1 / rates.beta) / 1e4);
    EXPECT_NEAR(BoundedMean::smallest_effect(5000, rates) / hoeffding, 1, 16 * unit);
    EXPECT_NEAR(SubGaussianMean::smallest_effect(5000, rates) / (2 * hoeffding), 1, 16 * unit);
  }
}

// n! / 2^n of a row: all of n heads are rejected where 2^−n <= α/2.
TEST(checks, proportions_turn_where_their_tails_do) {
  for (const std::uint64_t n : {5u, 6u, 34u, 35u, 36u}) {
    const double tail = std::ldexp(1.0, -static_cast<int>(n));
    for (const double alpha : {0.04, 1e-10}) {
      EXPECT_EQ(Proportion::accepts({0.5, n, n}, alpha), tail > alpha / 2) << n;
      EXPECT_EQ(Proportion::accepts({0.5, n, 0}, alpha), tail > alpha / 2) << n;
      EXPECT_EQ(ProportionAtMost::accepts({0.5, n, n}, alpha), tail > alpha) << n;
    }
    // p^n = α/2 at the lower bound of n successes: a root below 1, of two roundings on either side.
    EXPECT_NEAR(clopper_pearson(n, n, 0.04).lower, std::pow(0.02, 1.0 / double(n)), 4 * unit);
    EXPECT_EQ(clopper_pearson(n, n, 0.04).upper, 1.0);
    EXPECT_NEAR(clopper_pearson(n, 0, 0.04).upper, 1 - std::pow(0.02, 1.0 / double(n)), 4 * unit);
  }
  // In between by its tails, at 8 of 10: P(K >= 8; lower) = P(K <= 8; upper) = 0.025, of some 30
  // roundings below u/40 each; the root's own, of u, moves them by less than 4u.
  const auto some = clopper_pearson(10, 8, 0.05);
  const auto terms = [](double p, int from, int to) {
    constexpr std::array<double, 11> choose{1, 10, 45, 120, 210, 252, 210, 120, 45, 10, 1};
    double sum = 0;
    for (int k = from; k <= to; ++k)
      sum += choose[static_cast<std::size_t>(k)] * std::pow(p, k) * std::pow(1 - p, 10 - k);
    return sum;
  };
  EXPECT_NEAR(terms(some.lower, 8, 10), 0.025, 5 * unit);
  EXPECT_NEAR(terms(some.upper, 0, 8), 0.025, 5 * unit);
}

// Miller 1956, table 1 (two-sided, to five digits): one side at α/2 is the same to these digits
// where both at once are rarer than them; and P(D⁺ >= d) = 1 − d for one draw, a sum of
// exponentials whose arguments have three roundings of numbers below 2: 8u.
TEST(checks, distances_turn_where_published_tables_do) {
  struct Row {
    std::uint64_t n;
    double alpha, critical;
  };
  for (const auto& [n, alpha, critical] :
       {Row{5, 0.01, 0.66853}, {10, 0.01, 0.48893}, {20, 0.01, 0.35241}, {20, 0.05, 0.29408}}) {
    EXPECT_TRUE(WholeLaw::accepts({n, critical - 5e-5}, alpha)) << n;
    EXPECT_FALSE(WholeLaw::accepts({n, critical + 5e-5}, alpha)) << n;
  }
  EXPECT_NEAR(one_sided_distance_tail(1, 0.3), 0.7, 8 * unit);
  // Of two, D⁺ >= 1/2 where both are below 1/2; D⁺ >= 1/4 where the larger is below 3/4 (9/16), or
  // is not, and the smaller is below 1/4 (2/16).
  EXPECT_NEAR(one_sided_distance_tail(2, 0.5), 0.25, 8 * unit);
  EXPECT_NEAR(one_sided_distance_tail(2, 0.25), 0.6875, 8 * unit);
  for (const double d : {0.05, 0.1, 0.15}) {  // below Massart's bound, and near it in its digits
    const double bound = std::exp(-2000 * d * d), exact = one_sided_distance_tail(1000, d);
    EXPECT_LE(exact, bound);
    EXPECT_GE(exact, bound * (1 - 0.75 * (d + d * d * d * 1000))) << d;
  }
  // Beyond 1000 draws the bound, exp(−2nd²) = e^−10 by mpmath, its exponent of three roundings.
  EXPECT_NEAR(WholeLaw::tail(2000, 0.05) / 4.539992976248485153559e-05, 1, 32 * unit);
}

// Cohen 1988 and every power calculator: 34 draws for half a σ at 5 % and 80 %; with σ known
// ((1.959964 + 0.841621)/0.5)² = 31.4.
TEST(checks, need_as_many_draws_as_published_tables_say) {
  EXPECT_TRUE(NormalMean::miss(32, 0.5, 0.05) <= 0.2 && NormalMean::miss(31, 0.5, 0.05) > 0.2);
  EXPECT_TRUE(StudentMean::miss(34, 0.5, 0.05) <= 0.2 && StudentMean::miss(33, 0.5, 0.05) > 0.2);
}

// χ² with two degrees: P(χ² <= c/r²) = β at r² = ln(α/2)/ln(1 − β), by bisection to 1e−9.
TEST(checks, smallest_effect_of_two_draws_is_the_closed_form) {
  for (const Rates rates : {Rates{0.05, 0.05}, {1e-10, 1e-7}})
    EXPECT_NEAR(NormalVariance::smallest_effect(2, rates) + 1,
                std::sqrt(std::log(rates.alpha / 2) / std::log1p(-rates.beta)),
                1e-9 * NormalVariance::smallest_effect(2, rates));
}

// At the effect that 40 trials see at p = 1/2 exactly β is missed: the heads that are accepted, up
// to 20 + a, have P(K <= 20 + a; 1/2 + δ) = β, by Pascal's triangle; a from sums of 2^−40·C(40, k).
// The effect is found to 1e−9 of itself, which moves the sum by some 1e−8 of itself.
TEST(checks, smallest_effect_of_trials_misses_as_often_as_declared) {
  std::vector<double> choose{1};
  for (int n = 1; n <= 40; ++n) {
    choose.push_back(0);
    for (std::size_t k = choose.size() - 1; k > 0; --k) choose[k] += choose[k - 1];
  }
  const auto heads = [&](std::size_t from, std::size_t to, double p) {
    double sum = 0;
    for (std::size_t k = from; k <= to; ++k)
      sum += choose[k] * std::pow(p, double(k)) * std::pow(1 - p, 40 - double(k));
    return sum;
  };
  const auto expect = [&](double effect, double level, double beta) {
    std::size_t accepted = 20;
    while (heads(accepted + 1, 40, 0.5) > level) ++accepted;
    EXPECT_NEAR(heads(0, accepted, 0.5 + effect) / beta, 1, 1e-7) << level;
  };
  for (const Rates rates : {Rates{0.05, 0.05}, {1e-3, 1e-4}}) {
    expect(Proportion::smallest_effect(40, rates), rates.alpha / 2, rates.beta);
    expect(ProportionAtMost::smallest_effect(40, rates), rates.alpha, rates.beta);
  }
}

// A law is seen as far beyond the critical distance, Miller's of 20 draws, as chance may take away
// on one side: Massart's √(ln(1/β)/(2n)).
TEST(checks, smallest_effect_of_a_whole_law_is_its_critical_distance_and_massarts) {
  EXPECT_NEAR(WholeLaw::smallest_effect(20, {0.05, 0.05}), 0.29408 + std::sqrt(std::log(20) / 40),
              5e-5);
}

TEST(checks, say_that_too_few_draws_see_nothing) {
  constexpr Rates rates{1e-10, 1e-7};
  EXPECT_EQ(StudentMean::smallest_effect(1, rates), infinity);
  EXPECT_EQ(Proportion::smallest_effect(30, rates), infinity);
  EXPECT_EQ(WholeLaw::smallest_effect(10, rates), infinity);
  EXPECT_EQ(BoundedMean::smallest_effect(10, rates), infinity);
  EXPECT_EQ(DistinctWords::smallest_effect(1'000'000, rates), infinity);  // equal ones are likely
}

// A sum that is NaN or infinite is no evidence for the null.
TEST(checks, reject_what_is_no_number) {
  for (const double bad : {std::nan(""), infinity}) {
    EXPECT_FALSE(NormalMean::accepts({3, bad}, 1e-10));
    EXPECT_FALSE(StudentMean::accepts({{3, bad, 1}}, 1e-10));
    EXPECT_FALSE(StudentMean::accepts({{3, 1, 0}}, 1e-10)) << "constant, and not the null";
    EXPECT_FALSE(NormalVariance::accepts({3, bad}, 1e-10));
    EXPECT_FALSE(SubGaussianMean::accepts({3, bad}, 1e-10));
    EXPECT_FALSE(WholeLaw::accepts({3, bad}, 1e-10));
    EXPECT_THROW(in_unit_range(bad), std::invalid_argument);
  }
  EXPECT_FALSE(NormalVariance::accepts({3, 0}, 1e-10));
  std::array x{0.5, std::nan(""), 0.25};
  EXPECT_EQ(distance_from(x, [](double) { return 0.5; }).distance, 1.0);
  EXPECT_THROW(in_unit_range(-1e-300), std::invalid_argument);
}

// F_n jumps at a draw: too early, it is above F behind the last of them; too late, below F before
// the first.
TEST(distance, is_the_largest_on_either_side_of_a_draw) {
  const auto from_uniform = [](std::vector<double> x) {
    return distance_from(x, [](double at) { return std::clamp(at, 0.0, 1.0); }).distance;
  };
  EXPECT_EQ(from_uniform({0.375, 0.125, 0.25, 0.5}), 0.5);
  EXPECT_EQ(from_uniform({0.875, 0.625, 0.75, 0.5}), 0.5);
  EXPECT_EQ(from_uniform({0.25, 0.75}), 0.25);
}

std::vector<double> one_to(std::size_t n) {
  std::vector<double> x(n);
  std::iota(x.begin(), x.end(), 1.0);
  return x;
}

TEST(median, is_the_middle_or_the_mean_of_two) {
  EXPECT_EQ(median(one_to(5)), 3.0);
  EXPECT_EQ(median(one_to(4)), 2.5);
  EXPECT_THROW(median(one_to(0)), std::invalid_argument);
}

// P(K <= 1 of 10) = 11/1024 and P(K <= 2) = 56/1024: at α = 0.05 the second smallest and largest.
TEST(median, interval_has_the_ranks_of_the_tables) {
  const auto at = [](std::size_t n, double alpha) { return median_interval(one_to(n), alpha); };
  EXPECT_EQ(at(10, 0.05).lower, 2.0);
  EXPECT_EQ(at(10, 0.05).upper, 9.0);
  EXPECT_EQ(at(10, 0.12).lower, 3.0);
  EXPECT_EQ(at(100, 0.05).lower, 40.0);  // P(K <= 39) = 0.0176, P(K <= 40) = 0.0284
  EXPECT_EQ(at(100, 0.05).upper, 61.0);
}

TEST(median, interval_is_all_numbers_where_draws_are_too_few) {
  EXPECT_TRUE(std::isinf(median_interval(one_to(5), 0.05).lower));  // 2/32 is above 0.05
  EXPECT_EQ(median_interval(one_to(6), 0.05).upper, 6.0);           // 2/64 is not
  EXPECT_TRUE(std::isinf(median_interval(one_to(0), 0.05).upper));
}

}  // namespace
}  // namespace embedscale::properties::evidence
