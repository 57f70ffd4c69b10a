#pragma once
// What the training study's runs are judged by: differences seed by seed, the rate that an arm is
// given and how good its neighbours are, and how soon a run is as good as the threshold.
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numeric>
#include <span>
#include <stdexcept>
#include <vector>

#include "../evidence/median.hpp"
#include "design.hpp"

namespace embedscale::properties::training {

/// Of the differences between two arms, one for each seed: their median, and where that of their
/// law is, but for a share α of all such intervals.
struct Difference {
  double median;
  evidence::Interval interval;
};

/// of[i] − against[i], i the seed. Whatever the seed does to both is in neither.
///
/// Requires  finite numbers, 0 < α < 1.
/// Ensures   nothing is assumed of the law of the differences but that they are independent.
/// Errors    std::invalid_argument for different numbers of seeds, or none.
inline Difference paired_difference(std::span<const double> of, std::span<const double> against,
                                    double alpha) {
  if (of.empty() || of.size() != against.size())
    throw std::invalid_argument("paired_difference: every seed needs both arms");
  std::vector<double> differences;
  for (std::size_t seed = 0; seed < of.size(); ++seed)
    differences.push_back(of[seed] - against[seed]);
  std::ranges::sort(differences);
  return {evidence::median(differences), evidence::median_interval(differences, alpha)};
}

/// What an interval says of a difference.
enum class Finding {
  alike,   ///< smaller than counts, whether or not it is 0
  lower,   ///< below 0
  higher,  ///< above 0
  open     ///< either way, or none: the seeds do not tell
};

/// `alike` where the whole interval is strictly within ±that_counts, even if 0 is outside of it:
/// there is a difference then, but less than counts. Else the side of 0 that the interval is on;
/// and where it has 0 and reaches as far as counts, `open`: no finding that the arms are alike.
///
/// Requires  that_counts > 0.
inline Finding judged(const Difference& difference, double that_counts) {
  const auto [lower, upper] = difference.interval;
  if (-that_counts < lower && upper < that_counts) return Finding::alike;
  if (upper < 0) return Finding::lower;
  if (lower > 0) return Finding::higher;
  return Finding::open;
}

/// Half of the interval's width: a difference of this size would have been told from none.
inline double smallest_seen(const Difference& difference) {
  return (difference.interval.upper - difference.interval.lower) / 2;
}

/// One rate of an arm's sweep, with the loss of each seed at its end.
struct Swept {
  double rate;
  std::vector<double> losses;
};

/// Errors    std::invalid_argument without losses.
inline double mean_loss(const Swept& at) {
  if (at.losses.empty()) throw std::invalid_argument("mean_loss: no seed was swept");
  return std::accumulate(at.losses.begin(), at.losses.end(), 0.0) /
         static_cast<double>(at.losses.size());
}

/// The place of the least mean loss; of equal ones that of the lowest rate.
///
/// Requires  ascending rates.
/// Errors    std::invalid_argument without rates, or without losses.
inline std::size_t own_rate(std::span<const Swept> sweep) {
  if (sweep.empty()) throw std::invalid_argument("own_rate: no rate was swept");
  std::size_t own = 0;
  double least = mean_loss(sweep.front());
  for (std::size_t i = 1; i < sweep.size(); ++i)
    if (const double mean = mean_loss(sweep[i]); mean < least) own = i, least = mean;
  return own;
}

/// From lower to upper; cut where the grid ends before the loss is too high.
struct RateRange {
  double lower, upper;
  bool cut_below = false, cut_above = false;
};

/// The connected range of rates around an arm's own at which the mean loss, linear over log(rate)
/// between neighbours, is within so much of the least.
///
/// Requires  ascending rates > 0, within >= 0.
/// Errors    as own_rate.
inline RateRange good_rates(std::span<const Swept> sweep, double within) {
  const std::size_t own = own_rate(sweep);
  const double limit = mean_loss(sweep[own]) + within;
  // Between a rate that is good and its neighbour, which is not.
  const auto crossing = [&](const Swept& good, const Swept& bad) {
    const double from = mean_loss(good), share = (limit - from) / (mean_loss(bad) - from);
    return good.rate * std::pow(bad.rate / good.rate, share);
  };
  std::size_t first = own, last = own;
  while (first > 0 && mean_loss(sweep[first - 1]) <= limit) --first;
  while (last + 1 < sweep.size() && mean_loss(sweep[last + 1]) <= limit) ++last;
  const bool cut_below = first == 0, cut_above = last + 1 == sweep.size();
  return {cut_below ? sweep[first].rate : crossing(sweep[first], sweep[first - 1]),
          cut_above ? sweep[last].rate : crossing(sweep[last], sweep[last + 1]), cut_below,
          cut_above};
}

/// The first step at which a curve is at or below a threshold: it is evaluated at equal distances
/// from 0 to `steps`, and linear in between. Where it never is, one distance more than `steps`: a
/// run that does not get there counts as later than all that do.
///
/// Requires  steps > 0.
/// Errors    std::invalid_argument for a curve of fewer than two points.
inline double steps_to(std::span<const double> curve, double threshold, double steps) {
  if (curve.size() < 2) throw std::invalid_argument("steps_to: a curve has two points at least");
  const double distance = steps / static_cast<double>(curve.size() - 1);
  for (std::size_t k = 0; k < curve.size(); ++k) {
    if (!(curve[k] <= threshold)) continue;
    const double past = k == 0 ? 0.0 : (threshold - curve[k]) / (curve[k - 1] - curve[k]);
    return distance * (static_cast<double>(k) - past);
  }
  return steps + distance;
}

/// Where the parabola through (−left, before), (0, least) and (right, behind) is least: from
/// −left/2 to right/2.
///
/// Requires  least at most the other two; left, right > 0.
/// Ensures   0 where all three are equal.
inline double vertex(double before, double least, double behind, double left = 1,
                     double right = 1) {
  const double falls = (before - least) * right, rises = (behind - least) * left;
  return falls + rises > 0 ? (falls * right - rises * left) / (2 * (falls + rises)) : 0;
}

/// How often one interval may miss, so that all of the study's together miss that often: each
/// comparison has two, of the loss and of the steps (Bonferroni).
inline double per_comparison_alpha() {
  std::size_t all = 0;
  for (const auto& cell : cells()) all += comparisons(cell).size();
  return family_error / (2.0 * static_cast<double>(all));
}

}  // namespace embedscale::properties::training
