#include "coverage.hpp"

#include <boost/math/special_functions/gamma.hpp>

#include <cmath>
#include <limits>

namespace embedscale::properties::evidence {
namespace {

// The parts of log Γ that cancel in a log e-value are left out before they are computed, as
// lgamma(10^9) ≈ 2·10^10 has an ulp of 4·10^-6.

constexpr double half_log_two_pi = 0.91893853320467274178;

/// Binet's µ(z) = log Γ(z) − (z − 1/2) log z + z − (log 2π)/2, which is below 1/(12z).
///
/// Requires  z >= 1/2.
/// Ensures   an absolute error below 2.5·10^-14: from 10 on the series errs by less than the first
///           term left out, 691/(360360·10^11) < 2·10^-14; below, log Γ < 13 is off by 4u of
///           itself, (z − 1/2) log z < 22 by 3u, and the sums, below 22 each, by u: 220u in all.
/// Source    NIST Digital Library of Mathematical Functions, 5.11.1.
double stirling_remainder(double z) {
  if (z < 10.0) return boost::math::lgamma(z) - (z - 0.5) * std::log(z) + z - half_log_two_pi;
  const double w = 1.0 / (z * z);
  return (1.0 / 12 - w * (1.0 / 360 - w * (1.0 / 1260 - w * (1.0 / 1680 - w / 1188)))) / z;
}

/// x log(x/m) − x + m >= 0: what a count (or weight) x deviates from an expected m, in nats.
///
/// Requires  x >= 0, m >= 0.  Infinite where m = 0 < x.
/// Ensures   an error of at most 4u|m − x| + 2u(m − x)²/m + 4u of itself, u = 2^-53, where m has
///           two roundings: they move it by 2u|m − x|; the two of the quotient t by 2u of
///           t²/(1 + t), times x; that of log(1 + t), at most 2u of |t| + itself/x, by
///           2u(|m − x| + itself).
/// Source    Loader 2000, "Fast and accurate computation of binomial probabilities" (bd0).
double deviance(double x, double m) {
  if (x == 0.0) return m;
  if (m == 0.0) return std::numeric_limits<double>::infinity();
  const double t = (m - x) / x;
  return x * (t - std::log1p(t));
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

// With a = 1/2, log B(x, y) = x log(x/(x+y)) + y log(y/(x+y)) + rem(x, y), P = (a+k)/(2a+n), and
// the deviances dev(x, y; p) = x log(x/m) − x + m + (the same of y), m = (x+y)p and (x+y)(1−p),
//
//     log E_n(p) = dev(k, l; p) + rem(a+k, a+l) − rem(a, a) − dev(k, l; P) − dev(a, a; P):
//
// −k log p − l log(1−p) is dev(k, l; p) less its part without p, which log B(a+k, a+l) turns into
// −dev(k, l; P), and −a log(1/2) − a log(1/2) into −dev(a, a; P). Nothing of the size of n is left
// to cancel.
double log_e_value(std::uint64_t in_class, std::uint64_t cases, double p) {
  constexpr double a = 0.5;
  static const double none = log_beta_remainder(a, a);
  const auto k = static_cast<double>(in_class), l = static_cast<double>(cases - in_class);
  const double n = k + l, mean_p = (a + k) / (2 * a + n), mean_q = (a + l) / (2 * a + n);
  const double over_likeliest = log_beta_remainder(a + k, a + l) - none - deviance(k, n * mean_p) -
                                deviance(l, n * mean_q) - deviance(a, mean_p) - deviance(a, mean_q);
  return deviance(k, n * p) + deviance(l, n * (1.0 - p)) + over_likeliest;
}

Coverage coverage(std::uint64_t in_class, std::uint64_t cases, double required, double alpha) {
  const double seen = static_cast<double>(in_class), n = static_cast<double>(cases);
  const auto rejects = [&](double share) {
    return log_e_value(in_class, cases, share) >= -std::log(alpha);
  };
  if (seen < n * required && rejects(required)) return Coverage::insufficient;
  // From below: too few cases to have 9/10 would have been too few for the whole before.
  return rejects(enough_of_required * required) ? Coverage::sufficient : Coverage::undecided;
}

}  // namespace embedscale::properties::evidence
