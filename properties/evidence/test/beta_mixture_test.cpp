// The e-process of a proportion is what it is derived to be: a supermartingale by exact sums over
// one step and over all paths, the mixture by quadrature over the alternatives, also at 10^9 draws.
#include "../beta_mixture.hpp"

#include <gtest/gtest.h>
#include <boost/math/distributions/beta.hpp>
#include <boost/math/quadrature/tanh_sinh.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "binomial_walk.hpp"
#include "properties/exact/decimal50.hpp"

namespace embedscale::properties::evidence {
namespace {

using Wide = exact::Decimal50;

/// Alternatives about p whose deviation from it is `effect`.
BetaMixture about(double p, double effect) {
  const double c = std::max(p * (1 - p) / (effect * effect), 0.5);
  return {c * p, c * (1 - p)};
}

struct Past {
  std::uint64_t draws, successes;
};

TEST(beta_mixture, the_next_e_value_is_on_average_the_last) {
  for (const double p : {0.001, 0.3, 0.9})
    for (const auto& [n, k] : {Past{0, 0}, Past{5, 5}, Past{40, 0}, Past{1000, 300}})
      for (const BetaMixture& mixture : {about(p, 0.05), any_proportion()}) {
        const double now = mixture.log_e_value(k, n, p);
        const double next = p * std::exp(mixture.log_e_value(k + 1, n + 1, p) - now) +
                            (1 - p) * std::exp(mixture.log_e_value(k, n + 1, p) - now);
        EXPECT_NEAR(next, 1.0, 1e-11) << p << " " << n;
      }
  EXPECT_NEAR(about(0.3, 0.05).log_e_value(0, 0, 0.3), 0.0, 1e-14);
}

// tanh_sinh converges to 10^-12 of its value; the integrand errs by 10^-13 of its own.
TEST(beta_mixture, is_the_mixture_over_proportions) {
  const double a = 2.5, b = 4.0, p = 0.3;
  const boost::math::beta_distribution<> prior(a, b);
  boost::math::quadrature::tanh_sinh<double> integrator;
  const double mixture = integrator.integrate(
      [&](double q) { return pdf(prior, q) * std::pow(q / p, 9) * std::pow((1 - q) / (1 - p), 6); },
      0.0, 1.0);
  EXPECT_NEAR(std::exp(BetaMixture(a, b).log_e_value(9, 15, p)) / mixture, 1.0, 1e-11);
}

TEST(beta_mixture, rejects_as_rarely_as_promised_over_all_sequences) {
  for (const double p : {0.02, 0.3, 0.9})
    for (const double alpha : {1e-2, 1e-6, 1e-10}) {
      const auto mixture = about(p, 0.1);
      const double wrong = probability_of_leaving(p, 2000, [&](std::uint64_t k, std::uint64_t n) {
        return mixture.log_e_value(k, n, p) >= -std::log(alpha);
      });
      EXPECT_LE(wrong, alpha) << p;
      EXPECT_GE(wrong, alpha / 100) << p;
    }
}

TEST(beta_mixture, remainders_agree_with_50_digits) {
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

TEST(beta_mixture, e_values_of_a_billion_draws_agree_with_50_digits) {
  const std::uint64_t n = 1'000'000'000;
  const Wide half = 0.5;
  const auto log_beta = [](const Wide& x, const Wide& y) {
    return Wide(lgamma(x) + lgamma(y) - lgamma(Wide(x + y)));
  };
  const double p = 0.25;
  for (const double scores : {0.0, -1.0, 7.0, 300.0}) {
    const auto k = static_cast<std::uint64_t>(std::round(p * 1e9 + scores * std::sqrt(1e9 / 5)));
    const Wide successes = k, failures = n - k;
    const Wide log_e = log_beta(successes + half, failures + half) - log_beta(half, half) -
                       successes * log(Wide(p)) - failures * log(Wide(1 - p));
    EXPECT_NEAR(any_proportion().log_e_value(k, n, p), static_cast<double>(log_e),
                1e-9 * std::abs(static_cast<double>(log_e)) + 1e-9);
  }
}

}  // namespace
}  // namespace embedscale::properties::evidence
