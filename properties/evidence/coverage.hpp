#pragma once
// How often cases fall into a class, as a part of a property: decided, with a known error rate, at
// whatever number of cases one looks.
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
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace embedscale::properties::evidence {

/// log E_n of "the share is p" against all others, mixed by Beta(½, ½), which reaches every one:
/// the likelihood of a sequence with k of n cases in the class, averaged over it, over the null's,
///
///     E_n(p) = B(k + ½, n − k + ½) / (B(½, ½) p^k (1−p)^(n−k)).
///
/// Requires  k <= n, 0 <= p <= 1.
/// Ensures   an error below e_value_error(n) for n <= 10^9, p and 1 − p from 10^-100 on or 0: what
///           cancels is below 20(n + 1) from ln Γ and 230n from n·ln p, each off by 4u of itself.
double log_e_value(std::uint64_t in_class, std::uint64_t cases, double p);
constexpr double e_value_error(std::uint64_t cases) {
  return (static_cast<double>(cases) + 1) * 0x1p-40;
}

enum class Coverage {
  undecided,    ///< draw more cases
  sufficient,   ///< the share is above 9/10 of the required one
  insufficient  ///< the share is below the required one
};

constexpr std::string_view name_of(Coverage coverage) {
  constexpr std::string_view names[] = {"undecided", "sufficient", "insufficient"};
  return names[static_cast<std::size_t>(coverage)];
}

/// What of a required share is enough: without a gap between the two answers, a class that has
/// exactly the required share is never decided. As in QuickCheck's checkCoverage.
inline constexpr double enough_of_required = 0.9;

/// Whether a class has its required share: `insufficient` once that is rejected and fewer cases
/// than it says were seen, `sufficient` once 9/10 of it is rejected.
///
/// A share of 1.5 times the required one takes some 150/required cases at alpha = 10^-9, a share of
/// just the required one 35 times as many: require two thirds of what a generator means to give.
///
/// Ensures   looked at after each case, or at any of them, P(ever insufficient) <= alpha where the
///           share is at least the required one, and P(ever sufficient) <= alpha where it is at
///           most 9/10 of it. For several classes give each its part of alpha.
/// Requires  in_class <= cases, 0 < required <= 1, 0 < alpha < 1.
/// Source    Ville 1939. (QuickCheck's checkCoverage asks Wilson's approximate interval, which
///           does not keep what it promises.)
Coverage coverage(std::uint64_t in_class, std::uint64_t cases, double required, double alpha);

}  // namespace embedscale::properties::evidence
