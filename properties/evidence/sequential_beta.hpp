#pragma once
// An unknown proportion, looked at at all times: the beta-binomial mixture and what it excludes.
#include "check.hpp"
#include "sequential_gamma.hpp"

#include <cmath>
#include <cstdint>

namespace embedscale::properties::evidence::sequential {

/// The beta-binomial mixture: alternatives ~ Beta(a, b) to "the proportion is p".
///
/// The likelihood of a sequence with k successes and l = n − k failures, averaged over Beta(a, b),
/// is B(a+k, b+l)/B(a, b). Divided by the null's,
///
///     E_n(p) = B(a+k, b+l) / (B(a, b) p^k (1−p)^l).
///
/// With log B(x, y) = x log(x/(x+y)) + y log(y/(x+y)) + rem(x, y), P = (a+k)/(a+b+n), and the
/// deviances dev(x, y; p) = x log(x/m) − x + m + (the same of y), m = (x+y)p and (x+y)(1−p),
///
///     log E_n(p) = dev(k, l; p) − dev(k, l; P) − dev(a, b; P) + rem(a+k, b+l) − rem(a, b):
///
/// −k log p − l log(1−p) is dev(k, l; p) less its part without p, which log B(a+k, b+l) turns into
/// −dev(k, l; P), and −a log(a/(a+b)) − b log(b/(a+b)) into −dev(a, b; P). Nothing of the size of
/// n is left to cancel.
///
/// Ensures   log e-values err by less than 10^-9 of themselves + 10^-9 for n <= 10^9.
/// Source    Ville 1939; Robbins 1970; Howard, Ramdas, McAuliffe, Sekhon 2021 (the beta-binomial
///           mixture).
class BetaMixture {
 public:
  /// Requires a, b > 0.
  BetaMixture(double a, double b) : a_(a), b_(b), remainder_(log_beta_remainder(a, b)) {}

  /// log of the mixture over the largest likelihood, that of k/n: at most 0.  Requires k <= n.
  double log_share_of_largest(std::uint64_t successes, std::uint64_t draws) const {
    const auto k = static_cast<double>(successes), l = static_cast<double>(draws - successes);
    const double n = k + l, c = a_ + b_, p = (a_ + k) / (c + n), q = (b_ + l) / (c + n);
    return log_beta_remainder(a_ + k, b_ + l) - remainder_ - deviance(k, n * p) -
           deviance(l, n * q) - deviance(a_, c * p) - deviance(b_, c * q);
  }

  /// Requires k <= n, 0 <= p <= 1.
  double log_e_value(std::uint64_t successes, std::uint64_t draws, double p) const {
    return log_ratio_of_largest(successes, draws, p) + log_share_of_largest(successes, draws);
  }

  /// log of the likelihood of k/n over that of p.
  static double log_ratio_of_largest(std::uint64_t successes, std::uint64_t draws, double p) {
    const auto k = static_cast<double>(successes), n = static_cast<double>(draws);
    return deviance(k, n * p) + deviance(n - k, n * (1.0 - p));
  }

 private:
  double a_, b_, remainder_;
};

/// For an unknown p: Beta(½, ½), which reaches every proportion.
inline BetaMixture any_proportion() { return {0.5, 0.5}; }

/// The proportions that k of n draws do not reject, at all times at once: P(p is outside at any n)
/// <= alpha, exactly, for every p. Intersecting the intervals of one sequence keeps that.
///
/// The log-likelihood is concave, so the set is an interval about k/n; its ends are bisected to the
/// last bit and rounded outwards. 0 and 1 where k = 0 and k = n.
///
/// Requires  k <= n, 0 < alpha < 1.
inline Interval proportion_at_any_time(std::uint64_t successes, std::uint64_t draws, double alpha) {
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

}  // namespace embedscale::properties::evidence::sequential
