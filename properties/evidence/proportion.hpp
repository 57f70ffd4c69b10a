#pragma once
// Checks of a probability p by the number k of n independent trials that succeed: binomial,
// exactly.
#include <cstdint>
#include <string_view>

#include "power.hpp"

namespace embedscale::properties::evidence {

/// Trials and what they should show.
struct Trials {
  double p;  ///< under the null
  std::uint64_t n = 0, successes = 0;
  void add(bool success) { ++n, successes += success ? 1 : 0; }
};

/// P(K <= k) and P(K >= k) of a binomial law.
///
/// Errors   std::invalid_argument where k > n or p is outside [0, 1].
double at_most(std::uint64_t n, double p, std::uint64_t k);
double at_least(std::uint64_t n, double p, std::uint64_t k);

/// The interval of Clopper and Pearson 1934: the p whose tails P(K <= k) and P(K >= k) are both
/// above α/2. It has the true p but for a share of at most α, whatever n and p are.
Interval clopper_pearson(std::uint64_t n, std::uint64_t k, double alpha);

/// What checks of trials have in common: the effect that they see depends on p, 1/2 unless told.
template <class Kind>
struct OfTrials : ByMiss<Kind> {
  static constexpr double usual = 0.5;
  using Data = Trials;
  using ByMiss<Kind>::smallest_effect;
  static double smallest_effect(const Data& data, Rates rates) {
    return smallest_effect(data.n, rates, data.p);
  }
  static double statistic(const Data& data) { return real(data.successes); }
};

/// A proportion: the interval of Clopper and Pearson has p.
struct Proportion : OfTrials<Proportion> {
  static constexpr std::string_view name = "proportion";
  static constexpr std::string_view effect = "deviation of the probability";
  static bool accepts(const Data& data, double alpha);
  /// The larger of P(accept) at p + δ and p − δ, where these are probabilities; that few
  /// failures are rejected as many successes are, by the law of 1 − p. The other tail, which is
  /// rejected, too, is left out, below α/2.
  static double miss(std::uint64_t n, double delta, double alpha, double p = usual);
  static double largest_effect(double p = usual) { return p < 0.5 ? 1 - p : p; }
};

/// A probability of at most p: one-sided, for the false alarms of a check, which may be rarer than
/// it promises.
struct ProportionAtMost : OfTrials<ProportionAtMost> {
  static constexpr std::string_view name = "proportion of at most";
  static constexpr std::string_view effect = "excess of the probability";
  static bool accepts(const Data& data, double alpha);
  static double miss(std::uint64_t n, double delta, double alpha, double p = usual);
  static double largest_effect(double p = usual) { return 1 - p; }
};

}  // namespace embedscale::properties::evidence
