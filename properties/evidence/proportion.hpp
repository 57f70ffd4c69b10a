#pragma once
// Checks of a probability p by the number k of n independent trials that succeed: binomial,
// exactly.
#include <boost/math/distributions/binomial.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <stdexcept>
#include <string_view>

#include "check.hpp"
#include "power.hpp"

namespace embedscale::properties::evidence {

/// Trials and what they should show.
struct Trials {
  double p;  ///< under the null
  std::uint64_t n = 0, successes = 0;
  void add(bool success) { ++n, successes += success ? 1 : 0; }
  Trials& operator+=(const Trials& other) {
    return n += other.n, successes += other.successes, *this;
  }
};

/// P(K <= k) and P(K >= k) of a binomial law.
///
/// Errors   std::invalid_argument where k > n or p is outside [0, 1].
inline double at_most(std::uint64_t n, double p, std::uint64_t k) {
  if (k > n || !(p >= 0 && p <= 1)) throw std::invalid_argument("evidence: no binomial law");
  return cdf(boost::math::binomial(real(n), p), real(k));
}
inline double at_least(std::uint64_t n, double p, std::uint64_t k) {
  if (k > n || !(p >= 0 && p <= 1)) throw std::invalid_argument("evidence: no binomial law");
  return k == 0 ? 1.0 : cdf(complement(boost::math::binomial(real(n), p), real(k - 1)));
}

/// The interval of Clopper and Pearson 1934: the p whose tails P(K <= k) and P(K >= k) are both
/// above α/2. It has the true p but for a share of at most α, whatever n and p are.
inline Interval clopper_pearson(std::uint64_t n, std::uint64_t k, double alpha) {
  using boost::math::binomial;
  const double trials = real(n), successes = real(k);
  return {k == 0 ? 0.0 : binomial::find_lower_bound_on_p(trials, successes, alpha / 2),
          k == n ? 1.0 : binomial::find_upper_bound_on_p(trials, successes, alpha / 2)};
}

/// The first k that is rejected as too large: P(K >= k) <= level; n + 1 where none is.
inline std::uint64_t first_too_large(std::uint64_t n, double p, double level) {
  std::uint64_t rejected = n + 1, accepted = 0;
  while (rejected - accepted > 1) {
    const std::uint64_t k = accepted + (rejected - accepted) / 2;
    (at_least(n, p, k) <= level ? rejected : accepted) = k;
  }
  return rejected;
}

/// The probability that all of k < too_large is accepted, at p.
inline double below(std::uint64_t n, double p, std::uint64_t too_large) {
  return too_large == 0 ? 0.0 : at_most(n, p, too_large - 1);
}

/// A proportion: the interval of Clopper and Pearson has p.
struct Proportion {
  static constexpr std::string_view name = "proportion";
  static constexpr std::string_view effect = "deviation of the probability";
  using Data = Trials;
  static std::uint64_t draws(const Data& data) { return data.n; }
  static double statistic(const Data& data) { return real(data.successes); }
  static bool accepts(const Data& data, double alpha) {
    return at_most(data.n, data.p, data.successes) > alpha / 2 &&
           at_least(data.n, data.p, data.successes) > alpha / 2;
  }
  /// The larger of P(accept) at p + δ and p − δ, where these are probabilities; that few
  /// failures are rejected as many successes are, by the law of 1 − p. The other tail, which is
  /// rejected, too, is left out, below α/2.
  static double miss(std::uint64_t n, double p, double delta, double alpha) {
    const auto above = [&](double q) {
      return q + delta <= 1 ? below(n, q + delta, first_too_large(n, q, alpha / 2)) : 0.0;
    };
    return delta > std::max(p, 1 - p) ? 1.0 : std::max(above(p), above(1 - p));
  }
  static double smallest_effect(std::uint64_t n, Rates rates, double p = 0.5) {
    return smallest_effect_by([&](double e) { return miss(n, p, e, rates.alpha); }, rates.beta,
                              std::max(p, 1 - p));
  }
  static double smallest_effect(const Data& data, Rates rates) {
    return smallest_effect(data.n, rates, data.p);
  }
  static std::uint64_t draws_for(double e, Rates rates, double p = 0.5) {
    return fewest_draws([&](std::uint64_t n) { return miss(n, p, e, rates.alpha) <= rates.beta; });
  }
};

/// A probability of at most p: one-sided, for the false alarms of a check, which may be rarer than
/// it promises.
struct ProportionAtMost {
  static constexpr std::string_view name = "proportion of at most";
  static constexpr std::string_view effect = "excess of the probability";
  using Data = Trials;
  static std::uint64_t draws(const Data& data) { return data.n; }
  static double statistic(const Data& data) { return real(data.successes); }
  static bool accepts(const Data& data, double alpha) {
    return at_least(data.n, data.p, data.successes) > alpha;
  }
  static double miss(std::uint64_t n, double p, double delta, double alpha) {
    return p + delta > 1 ? 1.0 : below(n, p + delta, first_too_large(n, p, alpha));
  }
  static double smallest_effect(std::uint64_t n, Rates rates, double p = 0.5) {
    return smallest_effect_by([&](double e) { return miss(n, p, e, rates.alpha); }, rates.beta,
                              1 - p);
  }
  static double smallest_effect(const Data& data, Rates rates) {
    return smallest_effect(data.n, rates, data.p);
  }
  static std::uint64_t draws_for(double e, Rates rates, double p = 0.5) {
    return fewest_draws([&](std::uint64_t n) { return miss(n, p, e, rates.alpha) <= rates.beta; });
  }
};

static_assert(StatisticalCheck<Proportion> && StatisticalCheck<ProportionAtMost>);

}  // namespace embedscale::properties::evidence
