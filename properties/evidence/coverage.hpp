#pragma once
// How often cases fall into a class, as a part of a property: decided, with a known error rate.
#include <cstdint>
#include <string_view>

#include "check.hpp"

namespace embedscale::properties::evidence {

enum class Coverage {
  undecided,    ///< draw more cases
  sufficient,   ///< the share is above 9/10 of the required one
  insufficient  ///< the share is below the required one
};

constexpr std::string_view name_of(Coverage coverage) {
  switch (coverage) {
    case Coverage::sufficient: return "sufficient";
    case Coverage::insufficient: return "insufficient";
    case Coverage::undecided: break;
  }
  return "undecided";
}

/// What of a required share is enough: without a gap between the two answers, a class that has
/// exactly the required share is never decided. As in QuickCheck's checkCoverage.
inline constexpr double enough_of_required = 0.9;

/// The share of a class, from the cases so far: contains the true one for all numbers of cases at
/// once with probability >= 1 − alpha. lower/0.9 is the largest share whose requirement is met.
Interval share_of_class(std::uint64_t in_class, std::uint64_t cases, double alpha);

/// Whether a class has its required share: `insufficient` once share_of_class lies below it,
/// `sufficient` once it lies above 9/10 of it.
///
/// Ensures   looked at after each case, or at any of them, P(ever insufficient) <= alpha where the
///           share is at least the required one, and P(ever sufficient) <= alpha where it is at
///           most 9/10 of it: one confidence sequence covers both. For several classes give each
///           its part of alpha.
/// Requires  in_class <= cases, 0 < required <= 1, 0 < alpha < 1.
/// Source    Ville 1939. (QuickCheck's checkCoverage asks Wilson's approximate interval: promised
///           10^-9, its first look, after 100 cases, is wrong with probability 8·10^-6 where 0.99
///           is required, and 10^-3 where a share of 0.002 is called sufficient.)
Coverage coverage(std::uint64_t in_class, std::uint64_t cases, double required, double alpha);

/// After about how many cases a class that always has its expected number, share·n, is decided:
/// what to allow for. 0 if 2^50 do not decide, as where the share is 9/10 of the required one.
/// A share of 1.5 times the required one takes some 150/required cases at alpha = 10^-9, a share of
/// just the required one 30 times as many: require two thirds of what a generator means to give.
std::uint64_t cases_to_decide(double share, double required, double alpha);

}  // namespace embedscale::properties::evidence
