#include "beta_mixture.hpp"

#include <boost/math/special_functions/gamma.hpp>
#include <boost/math/special_functions/log1p.hpp>

#include <cmath>
#include <limits>

namespace embedscale::properties::evidence {
namespace {

constexpr double half_log_two_pi = 0.91893853320467274178;

/// x log(x/m) − x + m >= 0: what a count (or weight) x deviates from an expected m, in nats.
///
/// Requires  x >= 0, m >= 0.  Infinite where m = 0 < x.
/// Source    Loader 2000, "Fast and accurate computation of binomial probabilities" (bd0).
double deviance(double x, double m) {
  if (x == 0.0) return m;
  if (m == 0.0) return std::numeric_limits<double>::infinity();
  return x * excess_over_log1p((m - x) / x);
}

/// log B(x, y) − x log(x/(x+y)) − y log(y/(x+y)), of the size of log(x+y) only.
///
/// Requires  x, y > 0.
/// By Binet's formula: −x, −y and x+y sum to 0, and each logarithm leaves a half.
double log_beta_remainder(double x, double y) {
  return half_log_two_pi + 0.5 * (std::log(x + y) - std::log(x) - std::log(y)) +
         stirling_remainder(x) + stirling_remainder(y) - stirling_remainder(x + y);
}

}  // namespace

double stirling_remainder(double z) {
  if (z < 10.0) return boost::math::lgamma(z) - (z - 0.5) * std::log(z) + z - half_log_two_pi;
  const double w = 1.0 / (z * z);
  return (1.0 / 12 - w * (1.0 / 360 - w * (1.0 / 1260 - w * (1.0 / 1680 - w / 1188)))) / z;
}

double excess_over_log1p(double t) {
  return std::abs(t) < 0.25 ? -boost::math::log1pmx(t) : t - std::log1p(t);
}

// With log B(x, y) = x log(x/(x+y)) + y log(y/(x+y)) + rem(x, y), P = (a+k)/(a+b+n), and the
// deviances dev(x, y; p) = x log(x/m) − x + m + (the same of y), m = (x+y)p and (x+y)(1−p),
//
//     log E_n(p) = dev(k, l; p) − dev(k, l; P) − dev(a, b; P) + rem(a+k, b+l) − rem(a, b):
//
// −k log p − l log(1−p) is dev(k, l; p) less its part without p, which log B(a+k, b+l) turns into
// −dev(k, l; P), and −a log(a/(a+b)) − b log(b/(a+b)) into −dev(a, b; P). Nothing of the size of
// n is left to cancel.
BetaMixture::BetaMixture(double a, double b) : a_(a), b_(b), remainder_(log_beta_remainder(a, b)) {}

double BetaMixture::log_share_of_largest(std::uint64_t successes, std::uint64_t draws) const {
  const auto k = static_cast<double>(successes), l = static_cast<double>(draws - successes);
  const double n = k + l, c = a_ + b_, p = (a_ + k) / (c + n), q = (b_ + l) / (c + n);
  return log_beta_remainder(a_ + k, b_ + l) - remainder_ - deviance(k, n * p) - deviance(l, n * q) -
         deviance(a_, c * p) - deviance(b_, c * q);
}

double BetaMixture::log_e_value(std::uint64_t successes, std::uint64_t draws, double p) const {
  return log_ratio_of_largest(successes, draws, p) + log_share_of_largest(successes, draws);
}

double BetaMixture::log_ratio_of_largest(std::uint64_t successes, std::uint64_t draws, double p) {
  const auto k = static_cast<double>(successes), n = static_cast<double>(draws);
  return deviance(k, n * p) + deviance(n - k, n * (1.0 - p));
}

BetaMixture any_proportion() { return {0.5, 0.5}; }

Interval proportion_at_any_time(std::uint64_t successes, std::uint64_t draws, double alpha) {
  const double threshold =
      -std::log(alpha) - any_proportion().log_share_of_largest(successes, draws);
  const double estimate =
      draws == 0 ? 0.5 : static_cast<double>(successes) / static_cast<double>(draws);
  const auto rejected = [&](double p) {
    return BetaMixture::log_ratio_of_largest(successes, draws, p) >= threshold;
  };
  // The end lies between a point inside and one outside: halve until they are neighbours.
  const auto end = [&](double outside) {
    if (!rejected(outside)) return outside;
    double inside = estimate, p = 0.5 * (inside + outside);
    for (; p != inside && p != outside; p = 0.5 * (inside + outside))
      (rejected(p) ? outside : inside) = p;
    return outside;
  };
  return {end(0.0), end(1.0)};
}

}  // namespace embedscale::properties::evidence
