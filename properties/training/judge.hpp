#pragma once
// Measures of what judges the runs: on losses that are whole numbers of 1/64, so that differences
// and means of two are exact.
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "../evidence/rounding.hpp"
#include "primitives.hpp"

namespace embedscale::properties::training {

/// The α at which the interval of n differences is that from the k-th smallest to the k-th largest:
/// 2·P(K < k), K ~ Bin(n, 1/2), and a part in 2^20 more, so that no rounding of the tail decides.
/// The next is larger by C(n, k)/Σ_{j<k} C(n, j) > 1/2^20 for n <= 20.
///
/// Requires  1 <= k <= n/2, n <= 20.
struct Level {
  std::uint64_t below = 0;  ///< Σ_{j<k} C(n, j), of 2^n
  double alpha;

  Level(std::size_t n, std::size_t k) {
    std::uint64_t binomial = 1;
    for (std::size_t j = 0; j < k; ++j) {
      below += binomial;
      binomial = binomial * (n - j) / (j + 1);
    }
    alpha = std::ldexp(static_cast<double>(below), 1 - static_cast<int>(n)) * (1 + 0x1p-20);
  }
};

/// The losses of two arms on the same seeds.
struct Pairs {
  std::vector<double> of, against;
};

/// Arms that part by these differences; what the seed does to both is in `base`.
inline Pairs pairs_of(std::span<const double> base, std::span<const double> differences) {
  Pairs pairs{{base.begin(), base.end()}, {base.begin(), base.end()}};
  for (std::size_t i = 0; i < differences.size(); ++i) pairs.of[i] += differences[i];
  return pairs;
}

/// Of all 2^n patterns of signs of these absolute differences, how many have an interval without 0.
inline std::uint64_t patterns_without_zero(std::span<const double> base,
                                           std::span<const double> sizes, double alpha,
                                           const Primitives& primitives) {
  std::uint64_t without = 0;
  std::vector<double> differences(sizes.begin(), sizes.end());
  for (std::uint64_t pattern = 0; pattern >> sizes.size() == 0; ++pattern) {
    for (std::size_t i = 0; i < sizes.size(); ++i)
      differences[i] = (pattern >> i & 1) != 0 ? -sizes[i] : sizes[i];
    const auto [of, against] = pairs_of(base, differences);
    without += !contains(primitives.paired_difference(of, against, alpha).interval, 0.0);
  }
  return without;
}

/// Whether the median and the widest interval are those of the differences seed by seed.
inline bool is_of_all_seeds(const Pairs& pairs, const Primitives& primitives) {
  const std::size_t n = pairs.of.size();
  std::vector<double> differences;
  for (std::size_t i = 0; i < n; ++i) differences.push_back(pairs.of[i] - pairs.against[i]);
  const auto found = primitives.paired_difference(pairs.of, pairs.against, Level(n, 1).alpha);
  const auto not_above = [&](double x) {
    return std::ranges::count_if(differences, [x](double y) { return y <= x; });
  };
  const auto not_below = [&](double x) {
    return std::ranges::count_if(differences, [x](double y) { return y >= x; });
  };
  return found.interval.lower == std::ranges::min(differences) &&
         found.interval.upper == std::ranges::max(differences) &&
         2 * not_above(found.median) >= static_cast<std::ptrdiff_t>(n) &&
         2 * not_below(found.median) >= static_cast<std::ptrdiff_t>(n);
}

/// −1, 0 or 1: on which side of 0 a finding has the difference, if on any.
inline int side(Finding finding) {
  return finding == Finding::lower ? -1 : finding == Finding::higher ? 1 : 0;
}

/// How many doublings an end of the range is away from the last good rate of the grid, and how many
/// it has to be: the share of the way to the first bad one at which the loss is the limit. Both as
/// a share of the bound: the rate is good·2^share with a pow, that C libraries round to within an
/// ulp, and a product, 3u in all; the quotient is one rounding and log2 within an ulp of at most 1,
/// so (4/ln 2 + 2)·u < 8u, and the shares are one quotient of exact numbers.
///
/// Requires  a grid of doublings.
inline double end_share(const Swept& good, const Swept& bad, double end, double limit) {
  const double share = (limit - mean_loss(good)) / (mean_loss(bad) - mean_loss(good));
  const double sign = bad.rate > good.rate ? 1 : -1;
  return std::abs(sign * std::log2(end / good.rate) - share) / (8 * unit_roundoff<double>);
}

/// How far off the step is at which a curve comes down to the threshold, as a share of its bound:
/// of a curve with whole distances, that is above it at k − 1 and not at k.
///
/// k − (t − c_k)/(c_{k−1} − c_k) and k − 1 + (c_{k−1} − t)/(c_{k−1} − c_k), each of one quotient of
/// exact numbers, at most 1, a sum of at most k, and a product: (1 + 2k) roundings of a distance.
inline double crossing_share(std::span<const double> curve, std::size_t k, double threshold,
                             double distance, double found) {
  const double before = curve[k - 1], after = curve[k], at = static_cast<double>(k);
  const double meant = distance * (at - 1 + (before - threshold) / (before - after));
  const double bound = 2.02 * (1 + 2 * at) * distance * unit_roundoff<double>;
  return std::abs(found - meant) / bound;
}

}  // namespace embedscale::properties::training
