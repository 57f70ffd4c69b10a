#pragma once
// The median of a law, from draws: without any assumption but that they are independent.
#include <cmath>
#include <cstddef>
#include <limits>
#include <span>
#include <stdexcept>

#include "check.hpp"
#include "proportion.hpp"

namespace embedscale::properties::evidence {

/// The middle of sorted draws, or the mean of the two.
///
/// Errors    std::invalid_argument without draws.
inline double median(std::span<const double> sorted) {
  if (sorted.empty()) throw std::invalid_argument("evidence: the median of no draws");
  const std::size_t half = sorted.size() / 2;
  return sorted.size() % 2 == 1 ? sorted[half] : (sorted[half - 1] + sorted[half]) / 2;
}

/// Between two order statistics: the k-th smallest of n draws is above the median with probability
/// P(K < k) at most, K ~ Bin(n, 1/2), and so by symmetry the k-th largest. The interval of the
/// largest such k with P(K < k) <= α/2 has the median but for a share of at most α, whatever the
/// law is; it is all numbers where the draws are too few.
inline Interval median_interval(std::span<const double> sorted, double alpha) {
  std::size_t accepted = 0, refused = sorted.size() / 2 + 1;  // k
  while (refused - accepted > 1) {
    const std::size_t k = accepted + (refused - accepted) / 2;
    (at_most(sorted.size(), 0.5, k - 1) <= alpha / 2 ? accepted : refused) = k;
  }
  constexpr double infinity = std::numeric_limits<double>::infinity();
  if (accepted == 0) return {-infinity, infinity};
  return {sorted[accepted - 1], sorted[sorted.size() - accepted]};
}

}  // namespace embedscale::properties::evidence
