// Broken sequential checks, each by one mistake that has been made: what judges the right ones in
// sequential_rates_test.cpp refutes every one of them, and not the right ones.
#include "../evidence/sequential_bounded.hpp"
#include "../evidence/sequential_mean.hpp"
#include "../evidence/sequential_variance.hpp"
#include "sequential_runs.hpp"

#include <gtest/gtest.h>
#include <boost/math/distributions/normal.hpp>
#include <boost/math/quadrature/sinh_sinh.hpp>

namespace embedscale::properties::evidence::sequential {
namespace {

constexpr double effect = 0.3, pi = std::numbers::pi;

/// A mean's check with one part replaced by a function of (n, Σz).
template <class LogE, class Against>
class Mean : public Sequential<Mean<LogE, Against>> {
 public:
  Mean(LogE log_e, Against against) : log_e_(log_e), against_(against) {}
  void add(double z) { n_ += 1.0, sum_ += z; }
  double log_e_value() const { return log_e_(n_, sum_); }
  double log_e_value_against_effect() const { return against_(n_, sum_); }

 private:
  LogE log_e_;
  Against against_;
  double n_ = 0.0, sum_ = 0.0;
};

NormalMean right(double n, double sum) {
  NormalMean process(effect);
  process.add(static_cast<std::uint64_t>(n), sum);
  return process;
}
double right_log_e(double n, double sum) { return right(n, sum).log_e_value(); }
double right_against(double n, double sum) { return right(n, sum).log_e_value_against_effect(); }

/// How often N(0, 1) rejects at 0.1 within 1000 draws.
template <class LogE>
Count false_alarms(LogE log_e, std::uint64_t runs = 1000) {
  const Mean process(log_e, right_against);
  return reaching(largest_log_e_values("broken.null", process, Shifted{0.0}, runs, 1000), 0.1);
}

/// The average first e-value, by quadrature: 1 is the most that a null allows.
template <class LogE>
double first_e_value(LogE log_e) {
  boost::math::quadrature::sinh_sinh<double> integrator;
  return integrator.integrate([&](double z) {
    return std::abs(z) > 1e5 ? 0.0 : std::exp(log_e(1.0, z) - 0.5 * z * z) / std::sqrt(2.0 * pi);
  });
}

TEST(sequential_broken, the_right_one_is_not_refuted) {
  EXPECT_FALSE(false_alarms(right_log_e).refutes_at_most(0.1));
  EXPECT_FALSE(false_alarms(right_log_e).refutes_at_least(0.02));
}

TEST(sequential_broken, a_mixture_without_its_normalisation_alarms_too_often) {
  const auto log_e = [](double n, double sum) {
    return right_log_e(n, sum) + 0.5 * std::log1p(n * effect * effect);
  };
  EXPECT_TRUE(false_alarms(log_e).refutes_at_most(0.1));
}

TEST(sequential_broken, a_mixture_of_twice_the_weight_does_not_start_at_1) {
  // A thousand runs hardly tell its alarms, of a finite horizon, from the 0.1 allowed: the exact
  // average over one step does.
  const auto log_e = [](double n, double sum) { return right_log_e(n, sum) + std::log(2.0); };
  EXPECT_NEAR(first_e_value(right_log_e), 1.0, 1e-12);
  EXPECT_NEAR(first_e_value(log_e), 2.0, 1e-12);
}

TEST(sequential_broken, the_largest_likelihood_in_the_place_of_a_mixture_alarms_too_often) {
  const auto log_e = [](double n, double sum) { return n == 0.0 ? 0.0 : sum * sum / (2.0 * n); };
  EXPECT_TRUE(false_alarms(log_e).refutes_at_most(0.1));
}

TEST(sequential_broken, peeking_with_the_quantile_of_a_fixed_n_alarms_too_often) {
  const auto log_e = [](double n, double sum) {  // rejects at α exactly if the p-value is <= α
    const boost::math::normal_distribution<> law;
    return n == 0.0 ? 0.0 : -std::log(2.0 * cdf(complement(law, std::abs(sum) / std::sqrt(n))));
  };
  const Count alarms = false_alarms(log_e);
  EXPECT_TRUE(alarms.refutes_at_most(0.1));
  RecordProperty("peeking.share", std::to_string(alarms.share()));
}

TEST(sequential_broken, half_the_draws_in_the_count_alarms_too_often) {
  const auto log_e = [](double n, double sum) { return right_log_e(std::floor(n / 2), sum); };
  EXPECT_TRUE(false_alarms(log_e).refutes_at_most(0.1));
}

TEST(sequential_broken, alpha_squared_hardly_ever_alarms) {
  const auto log_e = [](double n, double sum) { return 0.5 * right_log_e(n, sum); };
  EXPECT_TRUE(false_alarms(log_e, 4000).refutes_at_least(0.02));
}

constexpr Rates rates{1e-3, 1e-2};

template <class LogE, class Against>
Endings endings_of(LogE log_e, Against against, double mean) {
  return endings("broken.effect", Mean(log_e, against), Shifted{mean}, rates, 400, 2000);
}

TEST(sequential_broken, the_right_one_decides_rightly_in_both_directions) {
  for (const double side : {effect, -effect}) {
    const auto seen = endings_of(right_log_e, right_against, side);
    EXPECT_FALSE(seen.accepted.refutes_at_most(rates.beta));
    EXPECT_EQ(seen.undecided.hits, 0u);
  }
}

TEST(sequential_broken, a_one_sided_check_does_not_see_the_other_side) {
  const auto upwards = [](double n, double sum) { return effect * (sum - 0.5 * n * effect); };
  EXPECT_EQ(endings_of(upwards, right_against, effect).undecided.hits, 0u);
  EXPECT_GT(endings_of(upwards, right_against, -effect).undecided.hits, 0u);
}

TEST(sequential_broken, excluding_one_direction_only_accepts_the_other) {
  const auto against_upwards = [](double n, double sum) {
    return effect * (0.5 * n * effect - sum);
  };
  const auto seen = endings_of(right_log_e, against_upwards, -effect);
  EXPECT_TRUE(seen.accepted.refutes_at_most(rates.beta));
}

TEST(sequential_broken, excluding_twice_the_effect_accepts_the_effect) {
  const auto against_twice = [](double n, double sum) {
    return 2.0 * effect * (n * effect - std::abs(sum));
  };
  const auto seen = endings_of(right_log_e, against_twice, effect);
  EXPECT_TRUE(seen.accepted.refutes_at_most(rates.beta));
}

TEST(sequential_broken, a_variance_of_an_estimated_mean_counted_as_of_a_known_one_is_refuted) {
  // Σ(x − x̄)² of pairs has one degree of freedom, not two.
  const auto pairs = [](const Stream& stream, std::uint64_t i) {
    const double mean = 0.5 * (stream.normal(i & ~1ull) + stream.normal(i | 1ull));
    return stream.normal(i) - mean;
  };
  const auto largest =
      largest_log_e_values("broken.pairs", NormalVariance(effect), pairs, 100, 400);
  EXPECT_TRUE(reaching(largest, 0.1).refutes_at_most(0.1));
}

TEST(sequential_broken, a_bet_beyond_the_admissible_one_is_ruined_by_a_rare_draw) {
  // 1 + λ(x − m) at x = 0 is negative for λ > 1/m: the right bets stay below.
  ConstantBets bets(Side::above, 0.4, 1e-3);
  for (int i = 0; i < 100; ++i) bets.add(0.0);
  EXPECT_GT(bets.log_capital(), -100.0);
  EXPECT_FALSE(std::isnan(bets.log_capital()));
}

}  // namespace
}  // namespace embedscale::properties::evidence::sequential
