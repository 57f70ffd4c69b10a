#pragma once
// The median of a law, from draws: without any assumption but that they are independent.
#include <span>

#include "check.hpp"

namespace embedscale::properties::evidence {

/// The middle of sorted draws, or the mean of the two.
///
/// Errors    std::invalid_argument without draws.
double median(std::span<const double> sorted);

/// Between two order statistics: the k-th smallest of n draws is above the median with probability
/// P(K < k) at most, K ~ Bin(n, 1/2), and so by symmetry the k-th largest. The interval of the
/// largest such k with P(K < k) <= α/2 has the median but for a share of at most α, whatever the
/// law is; it is all numbers where the draws are too few.
Interval median_interval(std::span<const double> sorted, double alpha);

}  // namespace embedscale::properties::evidence
