#pragma once
// A given proportion, one draw at a time.
#include "sequential.hpp"
#include "sequential_beta.hpp"

#include <boost/math/distributions/binomial.hpp>

#include <cmath>
#include <cstdint>
#include <limits>

namespace embedscale::properties::evidence::sequential {

/// Null: each draw succeeds with the given probability p. Effect: that probability is off by at
/// least `effect`, up or down.
///
/// The alternatives are Beta(cp, c(1−p)), of mean p and standard deviation √(p(1−p)/(c+1)), which
/// c = p(1−p)/effect² puts at the effect (c = 1/2 at least: farther effects need no sharper law).
///
/// Against the effect: the likelihood ratio of p to p' = p + δ has under a probability s the
/// expected factor s p/p' + (1−s)(1−p)/(1−p'), which is 1 for s = p' and falls with s; likewise
/// downwards with p − δ. A direction in which there is no probability is excluded from the start.
class Proportion : public Sequential<Proportion> {
 public:
  /// Requires 0 < p < 1, 0 < effect.
  Proportion(double p, double effect)
      : p_(p),
        effect_(effect),
        mixture_(concentration(p, effect) * p, concentration(p, effect) * (1.0 - p)) {}

  void add(bool success) { add(1, success ? 1 : 0); }

  /// A batch by its sufficient statistics.  Requires successes <= draws.
  void add(std::uint64_t draws, std::uint64_t successes) {
    draws_ += draws;
    successes_ += successes;
  }

  std::uint64_t draws() const { return draws_; }

  double log_e_value() const { return mixture_.log_e_value(successes_, draws_, p_); }

  double log_e_value_against_effect() const {
    return std::fmin(log_e_value_against(p_ + effect_), log_e_value_against(p_ - effect_));
  }

  /// After so many draws a true null is accepted, or was rejected before, with probability at
  /// least 1 − alpha: by the exact quantiles of the count, alpha/2 to each side.
  static std::uint64_t draws_to_accept(double p, double effect, Rates rates) {
    return fewest([&](std::uint64_t n) {
      const boost::math::binomial_distribution<> count(static_cast<double>(n), p);
      const auto accepts = [&](double successes) {
        Proportion process(p, effect);
        process.add(n, static_cast<std::uint64_t>(successes));
        return process.accepts(rates.beta);
      };
      return accepts(quantile(count, 0.5 * rates.alpha)) &&
             accepts(quantile(complement(count, 0.5 * rates.alpha)));
    });
  }

 private:
  static double concentration(double p, double effect) {
    return std::fmax(p * (1.0 - p) / (effect * effect), 0.5);
  }

  double log_e_value_against(double other) const {
    if (other < 0.0 || other > 1.0) return std::numeric_limits<double>::infinity();
    const auto term = [](std::uint64_t count, double here, double there) {
      return count == 0 ? 0.0 : static_cast<double>(count) * std::log(here / there);
    };
    return term(successes_, p_, other) + term(draws_ - successes_, 1.0 - p_, 1.0 - other);
  }

  double p_, effect_;
  BetaMixture mixture_;
  std::uint64_t draws_ = 0, successes_ = 0;
};

}  // namespace embedscale::properties::evidence::sequential
