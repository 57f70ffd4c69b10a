// The attempts to refute what is stated of the comparisons, with what each has to reject: on losses
// that are whole numbers of 1/64, so that differences and means of two are exact.
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "../evidence/rounding.hpp"
#include "../testing/seed.hpp"
#include "claims.hpp"
#include "trials.hpp"

namespace embedscale::properties::training {

using namespace testing;

namespace {

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
Pairs pairs_of(std::span<const double> base, std::span<const double> differences) {
  Pairs pairs{{base.begin(), base.end()}, {base.begin(), base.end()}};
  for (std::size_t i = 0; i < differences.size(); ++i) pairs.of[i] += differences[i];
  return pairs;
}

/// Of all 2^n patterns of signs of these absolute differences, how many have an interval without 0.
std::uint64_t patterns_without_zero(std::span<const double> base, std::span<const double> sizes,
                                    double alpha, const Primitives& primitives) {
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
bool is_of_all_seeds(const Pairs& pairs, const Primitives& primitives) {
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
int side(Finding finding) {
  return finding == Finding::lower ? -1 : finding == Finding::higher ? 1 : 0;
}

/// How many doublings an end of the range is away from the last good rate of the grid, and how many
/// it has to be: the share of the way to the first bad one at which the loss is the limit. Both as
/// a share of the bound: the rate is good·2^share with a pow, that C libraries round to within an
/// ulp, and a product, 3u in all; the quotient is one rounding and log2 within an ulp of at most 1,
/// so (4/ln 2 + 2)·u < 8u, and the shares are one quotient of exact numbers.
///
/// Requires  a grid of doublings.
double end_share(const Swept& good, const Swept& bad, double end, double limit) {
  const double share = (limit - mean_loss(good)) / (mean_loss(bad) - mean_loss(good));
  const double sign = bad.rate > good.rate ? 1 : -1;
  return std::abs(sign * std::log2(end / good.rate) - share) / (8 * unit_roundoff<double>);
}

/// How far off the step is at which a curve comes down to the threshold, as a share of its bound:
/// of a curve with whole distances, that is above it at k − 1 and not at k.
///
/// k − (t − c_k)/(c_{k−1} − c_k) and k − 1 + (c_{k−1} − t)/(c_{k−1} − c_k), each of one quotient of
/// exact numbers, at most 1, a sum of at most k, and a product: (1 + 2k) roundings of a distance.
double crossing_share(std::span<const double> curve, std::size_t k, double threshold,
                      double distance, double found) {
  const double before = curve[k - 1], after = curve[k], at = static_cast<double>(k);
  const double meant = distance * (at - 1 + (before - threshold) / (before - after));
  const double bound = 2.02 * (1 + 2 * at) * distance * unit_roundoff<double>;
  return std::abs(found - meant) / bound;
}

/// Whole numbers of 1/64, from lowest/64 to (end − 1)/64.
std::vector<double> sixtyfourths(const std::string& name, std::size_t size, int lowest, int end) {
  std::vector<double> all;
  for (const int k : named(name, list_of(size, in_range(lowest, end)))) all.push_back(k / 64.0);
  return all;
}

/// 2 to 20 seeds.
std::size_t seeds() { return named("seeds", in_range<std::size_t>(2, compared_seeds + 1)); }

/// Losses from 1 to nearly 3 nats.
std::vector<double> losses(const std::string& name, std::size_t size) {
  return sixtyfourths(name, size, 64, 192);
}

/// A sweep of the study's rates, with few enough losses that some are equal.
std::vector<Swept> drawn_sweep() {
  const bool adam = named("Adam", in_range(0, 2)) != 0;
  std::vector<Swept> sweep;
  const auto add = [&](const auto& rates) {
    const auto all = sixtyfourths("losses", swept_seeds * rates.size(), 64, 76);
    for (std::size_t i = 0; i < rates.size(); ++i)
      sweep.push_back({rates[i], {all[swept_seeds * i], all[swept_seeds * i + 1]}});
  };
  adam ? add(adam_rates) : add(momentum_rates);
  return sweep;
}

/// The difference of these pairs in the widest interval.
Difference widest(const Pairs& pairs, const Primitives& subject) {
  return subject.paired_difference(pairs.of, pairs.against, Level(pairs.of.size(), 1).alpha);
}

}  // namespace

const Properties<Primitives> judge_properties{
    /// n = 2 … 12 and k = 1 … n/2: every pattern of signs of sizes that the
    /// run's seed draws for that n.
    {unscaled_is_worse,
     "interval_misses_zero_as_often_as_stated",
     [](const Primitives& subject) {
       auto point = every("n and k", 36);
       std::size_t n = 2;
       for (; point >= n / 2; ++n) point -= n / 2;
       const Level level(n, point + 1);
       const Stream stream(run_seed() + n, "sizes");
       std::vector<double> base, sizes;
       for (std::size_t i = 0; i < n; ++i) {
         base.push_back(static_cast<double>(stream.below(256, 2 * i)) / 64);
         // Distinct, and not 0.
         sizes.push_back(static_cast<double>(16 * stream.below(16, 2 * i + 1) + i + 1) / 64);
       }
       holds_exactly(patterns_without_zero(base, sizes, level.alpha, subject) == 2 * level.below);
     },
     {"compares_sorted_arms", "drops_the_last_seed", "spends_all_on_each_side"},
     Exhaustive{36}},

    {unscaled_is_worse,
     "diverged_runs_count",
     [](const Primitives& subject) {
       const std::size_t n = seeds();
       Pairs pairs{losses("of", n), losses("against", n)};
       const auto without = widest(pairs, subject);
       holds_exactly(is_of_all_seeds(pairs, subject));
       const double chance =
           loss_of_chance(named("reverse", in_range(0, 2)) != 0 ? Task::reverse : Task::text);
       const auto diverged = named("diverged", list_of(n, in_range(0, 3)));
       for (std::size_t i = 0; i < n; ++i)
         if (diverged[i] == 0) pairs.of[i] = chance;
       const auto with = widest(pairs, subject);
       covers("some diverged", pairs.of[0] == chance, 0.2);
       holds_exactly(is_of_all_seeds(pairs, subject));
       holds_exactly(with.median >= without.median &&
                     with.interval.lower >= without.interval.lower &&
                     with.interval.upper >= without.interval.upper);
     },
     {"drops_diverged_seeds", "compares_sorted_arms", "takes_the_arms_the_other_way_round",
      "drops_the_last_seed", "is_slightly_narrow"}},

    {unscaled_is_worse,
     "what_is_never_reached_is_late",
     [](const Primitives& subject) {
       const auto points = named("evaluations", in_range<std::size_t>(1, evaluations + 1)) + 1;
       const auto curve = sixtyfourths("curve", points, 64, 96);
       const double threshold = named("64 threshold", in_range(60, 96)) / 64.0, distance = 20;
       const double end = distance * static_cast<double>(points - 1);
       const double found = subject.steps_to(curve, threshold, end);
       std::size_t k = 0;
       while (k < points && curve[k] > threshold) ++k;
       covers("never", k == points, 0.1);
       covers("at an evaluation", k < points && curve[k] == threshold, 0.045);
       covers("between two", k > 0 && k < points && curve[k] < threshold, 0.1);
       if (k == points)
         holds_exactly(found == end + distance);
       else if (k == 0)
         holds_exactly(found == 0);
       else
         holds(crossing_share(curve, k, threshold, distance, found));
     },
     {"returns_the_end_where_never_reached", "waits_for_the_evaluation", "takes_the_last_time",
      "is_slightly_late"}},

    /// Differences δ + s·u, |u| <= 1: found on δ's side where it is larger than what counts and s.
    {up_equals_down,
     "judged_as_stated",
     [](const Primitives& subject) {
       const std::size_t n = seeds();
       const int shift = named("64 shift", in_range(0, 33)) - 16;
       const int spread = named("64 spread", in_range(0, 17));
       const double counts = named("64 that counts", in_range(1, 17)) / 64.0;
       const auto differences = sixtyfourths("differences", n, shift - spread, shift + spread + 1);
       const auto pairs = pairs_of(losses("against", n), differences);
       const auto finding = subject.judged(widest(pairs, subject), counts);
       const auto [least, greatest] = std::ranges::minmax(differences);
       holds_exactly(finding == (std::max(-least, greatest) < counts ? Finding::alike
                                 : greatest < 0                      ? Finding::lower
                                 : least > 0                         ? Finding::higher
                                                                     : Finding::open));
       const double off = std::abs(shift) / 64.0, wide = spread / 64.0;
       covers("a shift that counts", off > counts + wide, 0.09);
       covers("none", shift == 0, 0.01);
       if (off > counts + wide) holds_exactly(side(finding) == (shift > 0 ? 1 : -1));
       if (off + wide < counts) holds_exactly(finding == Finding::alike);
       const Pairs swapped{pairs.against, pairs.of};
       const auto back = subject.judged(widest(swapped, subject), counts);
       holds_exactly(side(back) == -side(finding) &&
                     (back == Finding::alike) == (finding == Finding::alike));
       Pairs higher = pairs;
       for (double& loss : higher.of) loss += 1.0 / 64;
       holds_exactly(side(subject.judged(widest(higher, subject), counts)) >= 0 ||
                     side(finding) < 0);
     },
     {"calls_alike_what_is_open", "judges_by_the_median", "calls_higher_what_is_lower",
      "lets_the_edge_be_alike", "compares_sorted_arms", "takes_the_arms_the_other_way_round"}},

    /// The same differences, shifted to around h a little more or less; and too few of them.
    {up_equals_down,
     "smallest_seen_is_told_from_none",
     [](const Primitives& subject) {
       const std::size_t n = seeds();
       const auto sizes = sixtyfourths("2 differences", n, -64, 65);
       const auto found = widest(pairs_of(losses("against", n), sizes), subject);
       const double h = subject.smallest_seen(found);
       const auto [least, greatest] = std::ranges::minmax(sizes);
       const double middle = (least + greatest) / 2;
       covers("they differ", least < greatest, 0.5);
       const auto shifted_to = [&](double mid) {
         Pairs pairs{std::vector<double>(n, 2.0), std::vector<double>(n, 2.0)};
         for (std::size_t i = 0; i < n; ++i) pairs.of[i] += sizes[i] - middle + mid;
         return subject.judged(widest(pairs, subject), 0x1p-30);
       };
       const double a_little = 0x1p-24;
       holds_exactly(shifted_to(h + a_little) == Finding::higher);
       holds_exactly(shifted_to(-h - a_little) == Finding::lower);
       holds_exactly(h == 0 || shifted_to(h - a_little) == Finding::open);
       const Pairs few{losses("few", n), std::vector<double>(n, 0.0)};
       const auto told = subject.paired_difference(few.of, few.against, Level(n, 1).alpha / 2);
       holds_exactly(subject.judged(told, loss_that_counts) == Finding::open);
     },
     {"gives_the_whole_width", "sees_slightly_less", "calls_alike_what_is_open"}},

    {folded_needs_its_own_rate,
     "own_rate_is_that_of_the_least_mean",
     [](const Primitives& subject) {
       const auto sweep = drawn_sweep();
       const std::size_t own = subject.own_rate(sweep);
       holds_exactly(own < sweep.size());
       bool ties = false;
       for (std::size_t i = 0; i < sweep.size(); ++i) {
         const double more = mean_loss(sweep[i]) - mean_loss(sweep[own]);
         holds_exactly(i < own ? more > 0 : more >= 0);
         ties = ties || (i != own && more == 0);
       }
       covers("equal ones", ties, 0.08);
     },
     {"picks_the_greatest_loss", "picks_the_higher_of_equal_rates"}},

    {folded_needs_its_own_rate,
     "good_rates_are_within_the_margin",
     [](const Primitives& subject) {
       const auto sweep = drawn_sweep();
       const double within = named("64 within", in_range(0, 9)) / 64.0;
       const auto [lower, upper, cut_below, cut_above] = subject.good_rates(sweep, within);
       const double limit = mean_loss(sweep[own_rate(sweep)]) + within;
       const double own = sweep[own_rate(sweep)].rate;
       holds_exactly(lower <= own && own <= upper);
       std::size_t first = 0, last = sweep.size() - 1;
       while (sweep[first].rate < lower) ++first;
       while (sweep[last].rate > upper) --last;
       for (std::size_t i = first; i <= last; ++i) holds_exactly(mean_loss(sweep[i]) <= limit);
       covers("cut", cut_below || cut_above, 0.1);
       covers("ends between two rates", !cut_below && lower < sweep[first].rate, 0.1);
       holds_exactly(cut_below == (first == 0) && cut_above == (last + 1 == sweep.size()));
       if (cut_below)
         holds_exactly(lower == sweep[first].rate);
       else
         holds(end_share(sweep[first], sweep[first - 1], lower, limit));
       if (cut_above)
         holds_exactly(upper == sweep[last].rate);
       else
         holds(end_share(sweep[last], sweep[last + 1], upper, limit));
     },
     {"stops_at_the_grid", "ends_slightly_early", "passes_over_a_bad_rate",
      "says_that_no_range_is_cut"}},
};

}  // namespace embedscale::properties::training
