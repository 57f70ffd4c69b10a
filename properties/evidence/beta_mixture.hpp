#pragma once
// An unknown proportion, looked at after every draw: the beta-binomial mixture and what it
// excludes.
//
// An e-process of a null is a process E_0 = 1, E_n >= 0 that is a supermartingale under each of its
// laws: the expectation of E_{n+1}, given the past, is at most E_n. Ville's inequality bounds how
// often it is ever large, and "ever" is what allows to look at it at every step:
//
//     P(E_n >= 1/α for some n) <= α.
//
// A likelihood ratio is one (its expectation, given the past, is the last), and so is an average of
// several with weights that sum to 1: a mixture. It grows under every law that the weights reach.
//
// Source    Ville 1939, "Étude critique de la notion de collectif"; Robbins 1970, "Statistical
//           methods related to the law of the iterated logarithm"; Howard, Ramdas, McAuliffe and
//           Sekhon 2021, "Time-uniform, nonparametric, nonasymptotic confidence sequences".
#include <cstdint>

#include "check.hpp"

namespace embedscale::properties::evidence {

// The parts of log Γ that cancel in a log e-value are left out before they are computed, as
// lgamma(10^9) ≈ 2·10^10 has an ulp of 4·10^-6.

/// Binet's µ(z) = log Γ(z) − (z − 1/2) log z + z − (log 2π)/2, which is below 1/(12z).
///
/// Requires  z > 0.
/// Ensures   an absolute error below 10^-13 for z >= 1/100: from 10 on the series errs by less than
///           the first term left out, 691/(360360·10^11) < 2·10^-14; below, |log Γ| < 13.
/// Source    NIST Digital Library of Mathematical Functions, 5.11.1.
double stirling_remainder(double z);

/// t − log(1+t) >= 0, to a few ulps also where the two are close. Requires t >= −1.
double excess_over_log1p(double t);

/// The beta-binomial mixture: alternatives ~ Beta(a, b) to "the proportion is p".
///
/// The likelihood of a sequence with k successes and l = n − k failures, averaged over Beta(a, b),
/// is B(a+k, b+l)/B(a, b). Divided by the null's,
///
///     E_n(p) = B(a+k, b+l) / (B(a, b) p^k (1−p)^l).
///
/// Ensures   log e-values err by less than 10^-9 of themselves + 10^-9 for n <= 10^9.
class BetaMixture {
 public:
  /// Requires a, b > 0.
  BetaMixture(double a, double b);

  /// log of the mixture over the largest likelihood, that of k/n: at most 0.  Requires k <= n.
  double log_share_of_largest(std::uint64_t successes, std::uint64_t draws) const;

  /// Requires k <= n, 0 <= p <= 1.
  double log_e_value(std::uint64_t successes, std::uint64_t draws, double p) const;

  /// log of the likelihood of k/n over that of p.
  static double log_ratio_of_largest(std::uint64_t successes, std::uint64_t draws, double p);

 private:
  double a_, b_, remainder_;
};

/// For an unknown p: Beta(½, ½), which reaches every proportion.
BetaMixture any_proportion();

/// The proportions that k of n draws do not reject, at all times at once: P(p is outside at any n)
/// <= alpha, exactly, for every p. Intersecting the intervals of one sequence keeps that.
///
/// The log-likelihood is concave, so the set is an interval about k/n; its ends are bisected to the
/// last bit and rounded outwards. 0 and 1 where k = 0 and k = n.
///
/// Requires  k <= n, 0 < alpha < 1.
Interval proportion_at_any_time(std::uint64_t successes, std::uint64_t draws, double alpha);

}  // namespace embedscale::properties::evidence
