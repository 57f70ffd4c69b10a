// The checks are checked: their quantiles and power functions against closed forms and published
// tables. What they promise is simulated in simulation_test.cpp.
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <limits>
#include <string>

#include "simulated.hpp"

namespace embedscale::properties::self_test {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

/// Accepted just inside, rejected just outside; 1e-7 is what Boost's tails may be off by at 1e-10.
template <class Kind, class Make>
void turns_at(double boundary, double alpha, Make make) {
  EXPECT_TRUE(Kind::accepts(make(boundary * (1 - 1e-7)), alpha)) << Kind::name << " " << alpha;
  EXPECT_FALSE(Kind::accepts(make(boundary * (1 + 1e-7)), alpha)) << Kind::name << " " << alpha;
}

// With two degrees of freedom: P(χ² > x) = exp(−x/2), P(F > f) = 1/(1 + f),
// P(T > t) = ½ − ½ t/√(2 + t²), so t = √2·(1 − α)/√(α(2 − α)).
TEST(checks, turn_where_closed_forms_say) {
  for (const double alpha : {0.05, 1e-3, 1e-10, 1e-12}) {
    turns_at<NormalVariance>(-2 * std::log(alpha / 2), alpha, [](double x) {
      return NormalVariance::Data{2, x};
    });
    turns_at<DeviationRatio>(2 / alpha - 1, alpha, [](double f) {
      return DeviationRatio::Data{2, f, 1};
    });
    turns_at<DeviationRatio>(2 / alpha - 1, alpha, [](double f) {
      return DeviationRatio::Data{2, 1, f};
    });
    const double t = std::sqrt(2 / (alpha * (2 - alpha))) * (1 - alpha);
    turns_at<StudentMean>(t, alpha, [](double x) {
      return StudentMean::Data{{3, -x, 6}, {0, 0}};  // s² = 3: the mean is x standard errors
    });
    turns_at<EqualMeans>(t, alpha, [](double x) {
      return EqualMeans::Data{{2, x, 1}, {2, 0, 1}};  // pooled s² = 1, of the difference too
    });
    turns_at<SubGaussianMean>(std::sqrt(2 * std::log(2 / alpha)), alpha, [](double x) {
      return SubGaussianMean::Data{4, -2 * x};
    });
  }
  // Abramowitz and Stegun, table 26.5 ff.: Q(1.959964) = 0.025, Q(6.466951) = 5e-11.
  for (const auto& [alpha, z] : {std::pair{0.05, 1.959963985}, {1e-10, 6.466951347}})
    turns_at<NormalMean>(z, alpha, [](double x) { return NormalMean::Data{9, -3 * x}; });
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
    // p^n = α/2 at the lower bound of n successes.
    EXPECT_NEAR(clopper_pearson(n, n, 0.04).lower, std::pow(0.02, 1.0 / double(n)), 1e-12);
    EXPECT_EQ(clopper_pearson(n, n, 0.04).upper, 1.0);
    EXPECT_NEAR(clopper_pearson(n, 0, 0.04).upper, 1 - std::pow(0.02, 1.0 / double(n)), 1e-12);
  }
  // In between by its tails, at 8 of 10: P(K >= 8; lower) = P(K <= 8; upper) = 0.025.
  const auto some = clopper_pearson(10, 8, 0.05);
  const auto terms = [](double p, int from, int to) {
    constexpr std::array<double, 11> choose{1, 10, 45, 120, 210, 252, 210, 120, 45, 10, 1};
    double sum = 0;
    for (int k = from; k <= to; ++k)
      sum += choose[static_cast<std::size_t>(k)] * std::pow(p, k) * std::pow(1 - p, 10 - k);
    return sum;
  };
  EXPECT_NEAR(terms(some.lower, 8, 10), 0.025, 1e-9);
  EXPECT_NEAR(terms(some.upper, 0, 8), 0.025, 1e-9);
}

// Miller 1956, table 1 (two-sided, to five digits): one side at α/2 is the same to these digits
// where both at once are rarer than them; and P(D⁺ >= d) = 1 − d for one draw.
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
  EXPECT_NEAR(one_sided_distance_tail(1, 0.3), 0.7, 1e-15);
  // Of two, D⁺ >= 1/2 where both are below 1/2; D⁺ >= 1/4 where the larger is below 3/4 (9/16), or
  // is not, and the smaller is below 1/4 (2/16).
  EXPECT_NEAR(one_sided_distance_tail(2, 0.5), 0.25, 1e-15);
  EXPECT_NEAR(one_sided_distance_tail(2, 0.25), 0.6875, 1e-15);
  for (const double d : {0.05, 0.1, 0.15}) {  // below Massart's bound, and near it in its digits
    const double bound = std::exp(-2000 * d * d), exact = one_sided_distance_tail(1000, d);
    EXPECT_LE(exact, bound);
    EXPECT_GE(exact, bound * (1 - 0.75 * (d + d * d * d * 1000))) << d;
  }
}

// Cohen 1988 and every power calculator: 34 draws for half a σ, 64 in each of two samples, at 5 %
// and 80 %; with σ known ((1.959964 + 0.841621)/0.5)² = 31.4.
TEST(checks, need_as_many_draws_as_published_tables_say) {
  constexpr Rates usual{0.05, 0.2};
  EXPECT_EQ(NormalMean::draws_for(0.5, usual), 32u);
  EXPECT_EQ(StudentMean::draws_for(0.5, usual), 34u);
  EXPECT_EQ(EqualMeans::draws_for(0.5, usual), 64u);
  EXPECT_NEAR(1 - StudentMean::miss(34, 0.5, 0.05), 0.8077775, 1e-6);
  EXPECT_NEAR(1 - EqualMeans::miss(64, 0.5, 0.05), 0.8014596, 1e-6);
}

// χ² with two degrees: P(χ² <= c/r²) = β at r² = ln(α/2)/ln(1 − β).
TEST(checks, smallest_effect_of_two_draws_is_the_closed_form) {
  for (const Rates rates : {Rates{0.05, 0.05}, {1e-10, 1e-7}})
    EXPECT_NEAR(NormalVariance::smallest_effect(2, rates) + 1,
                std::sqrt(std::log(rates.alpha / 2) / std::log1p(-rates.beta)),
                1e-6 * NormalVariance::smallest_effect(2, rates));
}

template <class Kind>
void draws_and_effects_are_inverse(std::initializer_list<double> effects) {
  for (const Rates rates : {Rates{0.05, 0.05}, {1e-10, 1e-7}})
    for (const double effect : effects) {
      const std::uint64_t n = Kind::draws_for(effect, rates);
      // One more in 1e9 for the bisection; a boundary of exact and bound may be crossed.
      EXPECT_LE(Kind::smallest_effect(n, rates), effect * (1 + 2e-9)) << Kind::name << " " << n;
      EXPECT_GT(Kind::smallest_effect(n - 1, rates), effect) << Kind::name << " " << n;
    }
}
TEST(checks, draws_for_is_the_inverse_of_smallest_effect) {
  draws_and_effects_are_inverse<NormalMean>({0.01, 0.3, 3});
  draws_and_effects_are_inverse<StudentMean>({0.01, 0.3, 3});
  draws_and_effects_are_inverse<BatchMean>({0.3, 3});
  draws_and_effects_are_inverse<NormalVariance>({0.01, 0.3, 3});
  draws_and_effects_are_inverse<DeviationRatio>({0.01, 0.3, 3});
  draws_and_effects_are_inverse<EqualMeans>({0.01, 0.3, 3});
  draws_and_effects_are_inverse<SubGaussianMean>({0.01, 0.3, 3});
  draws_and_effects_are_inverse<BoundedMean>({0.01, 0.3});
  draws_and_effects_are_inverse<BernsteinMean>({0.01, 0.3});
  draws_and_effects_are_inverse<EqualBoundedMeans>({0.01, 0.3});
  draws_and_effects_are_inverse<Proportion>({0.01, 0.3});
  draws_and_effects_are_inverse<ProportionAtMost>({0.01, 0.3});
  draws_and_effects_are_inverse<WholeLaw>({0.01, 0.3});
  draws_and_effects_are_inverse<Exponent>({0.01, 0.3});
  draws_and_effects_are_inverse<DistinctWords>({38, 45});
}

TEST(checks, say_that_too_few_draws_see_nothing) {
  constexpr Rates rates{1e-10, 1e-7};
  EXPECT_EQ(StudentMean::smallest_effect(1, rates), infinity);
  EXPECT_EQ(EqualMeans::smallest_effect(1, rates), infinity);
  EXPECT_EQ(Proportion::smallest_effect(30, rates), infinity);
  EXPECT_EQ(WholeLaw::smallest_effect(10, rates), infinity);
  EXPECT_EQ(BoundedMean::smallest_effect(10, rates), infinity);
  EXPECT_EQ(BernsteinMean::smallest_effect(10, rates), infinity);
  EXPECT_EQ(DistinctWords::smallest_effect(1'000'000, rates), infinity);  // equal ones are likely
}

// A sum that is NaN or infinite is no evidence for the null.
TEST(checks, reject_what_is_no_number) {
  for (const double bad : {std::nan(""), infinity}) {
    EXPECT_FALSE(NormalMean::accepts({3, bad}, 1e-10));
    EXPECT_FALSE(StudentMean::accepts({{3, bad, 1}}, 1e-10));
    EXPECT_FALSE(StudentMean::accepts({{3, 1, 0}}, 1e-10)) << "constant, and not the null";
    EXPECT_FALSE(NormalVariance::accepts({3, bad}, 1e-10));
    EXPECT_FALSE(DeviationRatio::accepts({3, bad, 1}, 1e-10));
    EXPECT_FALSE(DeviationRatio::accepts({3, 1, bad}, 1e-10));
    EXPECT_FALSE(EqualMeans::accepts({{3, bad, 1}, {3, 0, 1}}, 1e-10));
    EXPECT_FALSE(SubGaussianMean::accepts({3, bad}, 1e-10));
    EXPECT_FALSE(WholeLaw::accepts({3, bad}, 1e-10));
    EXPECT_FALSE(Exponent::accepts({0.5, 3, {1, bad, 1}}, 1e-10));
    EXPECT_THROW(in_unit_range(bad), std::invalid_argument);
  }
  EXPECT_FALSE(NormalVariance::accepts({3, 0}, 1e-10));
  EXPECT_FALSE(Exponent::accepts({0.5, 3, {1, 0, 1}}, 1e-10));
  std::array x{0.5, std::nan(""), 0.25};
  EXPECT_EQ(distance_from(x, [](double) { return 0.5; }).distance, 1.0);
  EXPECT_THROW(in_unit_range(-1e-300), std::invalid_argument);
}

}  // namespace
}  // namespace embedscale::properties::self_test
