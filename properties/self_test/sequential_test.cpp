// The e-processes are what they are derived to be: supermartingales by exact sums and quadrature
// over one step, mixtures by quadrature over the alternatives, and the same at 10^9 draws.
#include <embedscale/random.hpp>
#include "../evidence/sequential_bounded.hpp"
#include "../evidence/sequential_mean.hpp"
#include "../evidence/sequential_proportion.hpp"
#include "../evidence/sequential_variance.hpp"

#include <gtest/gtest.h>
#include <boost/math/distributions/beta.hpp>
#include <boost/math/distributions/gamma.hpp>
#include <boost/math/quadrature/exp_sinh.hpp>
#include <boost/math/quadrature/sinh_sinh.hpp>
#include <boost/math/quadrature/tanh_sinh.hpp>

#include <limits>
#include <numbers>

#include "properties/exact/decimal50.hpp"

namespace embedscale::properties::evidence::sequential {
namespace {

using Wide = exact::Decimal50;
constexpr double infinity = std::numeric_limits<double>::infinity();

/// Quadratures below converge to 10^-12 of their value; the integrands err by 10^-13 of theirs.
constexpr double quadrature_error = 1e-11;

/// The mean of e^f(x) over x ~ N(0, σ²); f may grow as x²/2, less a logarithm.
template <class F>
double mean_exp(F f, double sigma = 1.0) {
  boost::math::quadrature::sinh_sinh<double> integrator;
  return integrator.integrate([&](double x) {
    if (std::abs(x) > 1e5) return 0.0;  // the tail that a logarithm leaves is x^−2a, a > 3
    return std::exp(f(sigma * x) - 0.5 * x * x) / std::sqrt(2.0 * std::numbers::pi);
  });
}

template <class Process>
Process with(Process process, double x) {
  process.add(x);
  return process;
}

/// The expected factor of the next draw z ~ N(0, σ²).
template <class Process>
double next_factor(const Process& now, double sigma = 1.0) {
  return mean_exp([&](double z) { return with(now, z).log_e_value() - now.log_e_value(); }, sigma);
}

struct Past {
  std::uint64_t draws;
  double statistic;
};

TEST(sequential_mean, the_next_e_value_is_on_average_the_last) {
  for (const auto& past : {Past{0, 0.0}, Past{1, 2.5}, Past{40, -11.0}, Past{1000, 90.0}}) {
    NormalMean process(0.3);
    process.add(past.draws, past.statistic);
    EXPECT_NEAR(next_factor(process), 1.0, quadrature_error) << past.draws;
  }
  EXPECT_EQ(NormalMean(0.3).log_e_value(), 0.0);
}

TEST(sequential_mean, it_is_the_mixture_of_likelihood_ratios) {
  const double rho = 0.4, n = 12, sum = 7.5;
  const double mixture =
      mean_exp([&](double theta) { return theta * sum - 0.5 * n * theta * theta; }, rho);
  NormalMean process(rho);
  process.add(12, sum);
  EXPECT_NEAR(std::exp(process.log_e_value()) / mixture, 1.0, quadrature_error);
  NormalMean mirrored(rho);
  mirrored.add(12, -sum);
  EXPECT_EQ(mirrored.log_e_value(), process.log_e_value());
}

/// The same of the e-process against the effect, on the side that is the smaller one now and after
/// any next draw; z ~ N(mean, σ²).
template <class Process>
double next_factor_against_effect(const Process& now, double mean, double sigma) {
  const auto log_factor = [&](double z) {
    return with(now, mean + z).log_e_value_against_effect() - now.log_e_value_against_effect();
  };
  return mean_exp(log_factor, sigma);
}

TEST(sequential_mean, against_the_effect_it_falls_under_every_larger_one) {
  for (const double side : {1.0, -1.0}) {
    NormalMean now(0.5);
    now.add(1000, side * 5000.0);
    for (const double mean : {0.5, 0.6, 1.0, 3.0})
      EXPECT_NEAR(next_factor_against_effect(now, side * mean, 1.0), std::exp(0.5 * (0.5 - mean)),
                  quadrature_error)
          << side * mean;
  }
}

TEST(sequential_variance, the_next_e_value_is_on_average_the_last) {
  for (const auto& past : {Past{0, 0.0}, Past{3, 8.0}, Past{40, 15.0}, Past{1000, 1200.0}}) {
    NormalVariance process(0.3);
    process.add(past.draws, past.statistic);
    EXPECT_NEAR(next_factor(process), 1.0, quadrature_error) << past.draws;
  }
  EXPECT_EQ(NormalVariance(0.3).log_e_value(), 0.0);
}

TEST(sequential_variance, it_is_the_mixture_over_precisions) {
  const double effect = 0.4, n = 12, squares = 25.0;
  const double a = 0.25 / (std::log1p(effect) * std::log1p(effect));
  const boost::math::gamma_distribution<> precision(a, 1.0 / a);
  boost::math::quadrature::exp_sinh<double> integrator;
  const double mixture = integrator.integrate([&](double r) {
    const double weight = r > 1e6 ? 0.0 : pdf(precision, r);
    return weight == 0.0 ? 0.0 : weight * std::pow(r, 0.5 * n) * std::exp(0.5 * (1 - r) * squares);
  });
  NormalVariance process(effect);
  process.add(12, squares);
  EXPECT_NEAR(std::exp(process.log_e_value()) / mixture, 1.0, quadrature_error);
}

TEST(sequential_variance, against_the_effect_it_falls_under_every_larger_one) {
  const double s = 1.5;
  NormalVariance large(s - 1.0), small(s - 1.0);
  large.add(1000, 5000.0);
  small.add(1000, 10.0);
  for (const double more : {1.0, 1.1, 1.3}) {
    const double t = 1.0 - 1.0 / (s * s), u = s * s - 1.0, v = s * s * more * more;
    const double above = next_factor_against_effect(large, 0.0, s * more);
    const double below = next_factor_against_effect(small, 0.0, 1.0 / (s * more));
    EXPECT_NEAR(above, s / std::sqrt(1 + v * t), quadrature_error);
    EXPECT_NEAR(below, 1 / (s * std::sqrt(1 - u / v)), quadrature_error);
    EXPECT_LE(std::max(above, below), 1.0 + quadrature_error);
  }
}

TEST(sequential_proportion, the_next_e_value_is_on_average_the_last) {
  for (const double p : {0.001, 0.3, 0.9})
    for (const auto& past : {Past{0, 0.0}, Past{5, 5.0}, Past{40, 0.0}, Past{1000, 300.0}}) {
      Proportion now(p, 0.05);
      now.add(past.draws, static_cast<std::uint64_t>(past.statistic));
      auto success = now, failure = now;
      success.add(true), failure.add(false);
      const double next = p * std::exp(success.log_e_value() - now.log_e_value()) +
                          (1 - p) * std::exp(failure.log_e_value() - now.log_e_value());
      EXPECT_NEAR(next, 1.0, 1e-11) << p << " " << past.draws;
    }
  EXPECT_NEAR(Proportion(0.3, 0.05).log_e_value(), 0.0, 1e-14);
}

TEST(sequential_proportion, it_is_the_mixture_over_proportions) {
  const double a = 2.5, b = 4.0, p = 0.3;
  const boost::math::beta_distribution<> prior(a, b);
  boost::math::quadrature::tanh_sinh<double> integrator;
  const double mixture = integrator.integrate(
      [&](double q) { return pdf(prior, q) * std::pow(q / p, 9) * std::pow((1 - q) / (1 - p), 6); },
      0.0, 1.0);
  EXPECT_NEAR(std::exp(BetaMixture(a, b).log_e_value(9, 15, p)) / mixture, 1.0, quadrature_error);
}

TEST(sequential_proportion, against_the_effect_it_falls_under_every_larger_one) {
  const double p = 0.3;
  Proportion up(p, 0.2), down(p, 0.2);
  up.add(1000, 990), down.add(1000, 10);
  const auto factor = [](const Proportion& now, double s) {
    auto success = now, failure = now;
    success.add(true), failure.add(false);
    const double last = now.log_e_value_against_effect();
    return s * std::exp(success.log_e_value_against_effect() - last) +
           (1 - s) * std::exp(failure.log_e_value_against_effect() - last);
  };
  EXPECT_NEAR(factor(up, 0.5), 1.0, 1e-11);
  EXPECT_NEAR(factor(down, 0.1), 1.0, 1e-11);
  for (const double more : {0.01, 0.05, 0.1}) {
    EXPECT_LT(factor(up, 0.5 + more), 1.0);
    EXPECT_LT(factor(down, 0.1 - more), 1.0);
  }
}

TEST(sequential_proportion, a_direction_without_a_probability_is_excluded_from_the_start) {
  Proportion rare(0.01, 0.05);
  rare.add(500, 0);
  EXPECT_NEAR(rare.log_e_value_against_effect(), 500 * std::log(0.99 / 0.94), 1e-9);
  Proportion surely(0.9, 0.1);  // an alternative of exactly 1 is excluded by one failure
  surely.add(true);
  EXPECT_NEAR(surely.log_e_value_against_effect(), std::log(0.9), 1e-14);
}

TEST(constant_bets, the_next_capital_is_on_average_the_last_under_every_law_of_the_mean) {
  const double mean = 0.3, low = 0.1, high = 0.9;
  for (const Side side : {Side::above, Side::below}) {
    ConstantBets now(side, mean, 0.01);
    for (const double x : {0.0, 0.2, 1.0, 0.5, 0.7, 0.7}) now.add(x);
    const auto average = [&](double p, double a, double b) {
      return p * std::exp(with(now, a).log_capital() - now.log_capital()) +
             (1 - p) * std::exp(with(now, b).log_capital() - now.log_capital());
    };
    EXPECT_NEAR(average(mean, 1.0, 0.0), 1.0, 1e-13);
    EXPECT_NEAR(average((mean - low) / (high - low), high, low), 1.0, 1e-13);
    const double away = side == Side::above ? 0.25 : 0.35;  // on the side that is not bet on
    EXPECT_LT(average(away, 1.0, 0.0), 1.0);
  }
}

TEST(constant_bets, they_start_at_1) {
  EXPECT_EQ(ConstantBets(Side::above, 0.4, 0.01).log_capital(), 0.0);
  EXPECT_EQ(BoundedMean(0.4, 0.01).log_e_value(), 0.0);
  EXPECT_EQ(BoundedMean(0.4, 0.01).log_e_value_against_effect(), 0.0);
}

TEST(constant_bets, capitals_beyond_the_range_of_doubles_are_kept) {
  // 1000 times 0, where the largest stake, 1.8, leaves a tenth; then 20000 times 1.
  constexpr double mean = 0.5, effect = 0.02, zeros = 1000, ones = 20000;
  ConstantBets bets(Side::above, mean, effect), first = bets, later = bets;
  for (int i = 0; i < 21000; ++i) {
    bets.add(i < 1000 ? 0.0 : 1.0);
    (i < 900 ? first : later).add(i < 1000 ? 0.0 : 1.0);
  }
  double largest = -infinity, count = 0;
  for (double stake = 1.8; stake > 2.0 * effect; stake *= 0.5, ++count)
    largest = std::max(largest, zeros * std::log(1 - stake / 2) + ones * std::log(1 + stake / 2));
  ASSERT_GT(largest, 10'000.0);  // the others are e^-3000 of it; the largest double is e^709
  // n factors and as many logarithms' worth of rounding, relative to the capital.
  EXPECT_NEAR(bets.log_capital(), largest - std::log(count), 21000 * 0x1p-51);
  first.add(later);
  EXPECT_NEAR(first.log_capital(), bets.log_capital(), 21000 * 0x1p-51);
}

TEST(constant_bets, a_draw_outside_the_range_is_worth_everything) {
  for (const double x : {std::numeric_limits<double>::quiet_NaN(), -1e-9, 1.0 + 1e-9}) {
    ConstantBets bets(Side::below, 0.5, 0.01), unaware = bets;
    bets.add(x);
    EXPECT_EQ(bets.log_capital(), infinity);
    unaware.add(bets);
    EXPECT_EQ(unaware.log_capital(), infinity);
  }
}

TEST(sequential_bounded, a_direction_without_a_mean_is_excluded_from_the_start) {
  const auto high = with(BoundedMean(0.95, 0.1), 1.0), low = with(BoundedMean(0.05, 0.1), 0.0);
  const auto above = with(ConstantBets(Side::above, 0.95 - 0.1, 0.1), 1.0);
  const auto below = with(ConstantBets(Side::below, 0.05 + 0.1, 0.1), 0.0);
  EXPECT_EQ(high.log_e_value_against_effect(), above.log_capital());
  EXPECT_EQ(low.log_e_value_against_effect(), below.log_capital());
}

TEST(sequential_gamma, remainders_agree_with_50_digits) {
  using std::log;
  for (const double z : {0.01, 0.5, 1.0, 3.7, 9.999, 10.0, 12.5, 1e3, 1e9}) {
    const Wide w = z, half_log = log(2 * Wide::pi()) / 2;
    const Wide exact = lgamma(w) - (w - 0.5) * log(w) + w - half_log;
    EXPECT_NEAR(stirling_remainder(z), static_cast<double>(exact), 1e-13) << z;
  }
  for (const double t : {-0.99, -0.2, -1e-9, 1e-12, 3e-5, 0.24, 0.26, 1e6}) {
    const auto exact = static_cast<double>(Wide(t) - log(1 + Wide(t)));
    EXPECT_NEAR(excess_over_log1p(t), exact, 0x1p-48 * exact) << t;
  }
}

TEST(sequential, e_values_of_a_billion_draws_agree_with_50_digits) {
  const std::uint64_t n = 1'000'000'000;
  const Wide w = n, half = 0.5;
  const auto log_beta = [](const Wide& x, const Wide& y) {
    return Wide(lgamma(x) + lgamma(y) - lgamma(Wide(x + y)));
  };
  for (const double scores : {0.0, -1.0, 7.0, 300.0}) {
    const double squares = std::round(1e9 + scores * std::sqrt(2e9)), effect = 1e-4;
    NormalVariance variance(effect);
    variance.add(n, squares);
    const double log_ratio = std::log1p(effect);
    const Wide a = 0.25 / (log_ratio * log_ratio), shape = a + w * half, rate = a + squares * half;
    const Wide exact = a * log(a) - lgamma(a) + squares * half + lgamma(shape) - shape * log(rate);
    EXPECT_NEAR(variance.log_e_value(), static_cast<double>(exact),
                1e-9 * std::abs(static_cast<double>(exact)) + 1e-9);

    const double p = 0.25;
    const auto k = static_cast<std::uint64_t>(std::round(p * 1e9 + scores * std::sqrt(1e9 / 5)));
    const Wide successes = k, failures = n - k;
    const Wide log_e = log_beta(successes + half, failures + half) - log_beta(half, half) -
                       successes * log(Wide(p)) - failures * log(Wide(1 - p));
    EXPECT_NEAR(any_proportion().log_e_value(k, n, p), static_cast<double>(log_e),
                1e-9 * std::abs(static_cast<double>(log_e)) + 1e-9);
  }
}

}  // namespace
}  // namespace embedscale::properties::evidence::sequential
