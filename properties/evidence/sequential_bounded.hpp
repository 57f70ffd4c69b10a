#pragma once
// The mean of a law on [0, 1] that is otherwise unknown, and the equality of two, draw by draw.
#include "sequential.hpp"
#include "sequential_bets.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>

namespace embedscale::properties::evidence::sequential {

/// Null: each draw, given those before it, has a law on [0, 1] of the given mean. Effect: that mean
/// is off by at least `effect`, up or down.
///
/// The e-process is the average of the capitals of bets above and of bets below the mean (hedged);
/// against the effect, bets below mean + effect, and bets above mean − effect. A direction in which
/// there is no mean is excluded from the start.
class BoundedMean : public Sequential<BoundedMean> {
 public:
  /// Requires 0 < mean < 1, effect > 0.
  BoundedMean(double mean, double effect)
      : above_(Side::above, mean, effect),
        below_(Side::below, mean, effect),
        below_effect_(Side::below, std::min(mean + effect, 1.0), effect),
        above_effect_(Side::above, std::max(mean - effect, 0.0), effect),
        can_be_larger_(mean + effect <= 1.0),
        can_be_smaller_(mean - effect >= 0.0) {}

  void add(double x) {
    ++draws_;
    for (auto* bets : {&above_, &below_, &below_effect_, &above_effect_}) bets->add(x);
  }

  /// A batch that was added to another process of the same parameters.
  void add(const BoundedMean& batch) {
    draws_ += batch.draws_;
    above_.add(batch.above_);
    below_.add(batch.below_);
    below_effect_.add(batch.below_effect_);
    above_effect_.add(batch.above_effect_);
  }

  std::uint64_t draws() const { return draws_; }

  double log_e_value() const {
    const double up = above_.log_capital(), down = below_.log_capital();
    const double larger = std::max(up, down), smaller = std::min(up, down);
    if (std::isinf(larger)) return larger;
    return larger + std::log(0.5 + 0.5 * std::exp(smaller - larger));
  }

  double log_e_value_against_effect() const {
    constexpr double excluded = std::numeric_limits<double>::infinity();
    return std::min(can_be_larger_ ? below_effect_.log_capital() : excluded,
                    can_be_smaller_ ? above_effect_.log_capital() : excluded);
  }

  /// After so many draws a true null is accepted, or was rejected before, with probability at
  /// least 1 − alpha: by Hoeffding's bound on their average, alpha/2 to each side. The bound is for
  /// the least certain law; a narrow one is accepted much earlier.
  static std::uint64_t draws_to_accept(double mean, double effect, Rates rates) {
    const BoundedMean fresh(mean, effect);
    return fewest([&](std::uint64_t draws) {
      const auto n = static_cast<double>(draws);
      const double off = std::sqrt(-std::log(0.5 * rates.alpha) / (2.0 * n));
      const double high = std::min(mean + off, 1.0), low = std::max(mean - off, 0.0);
      const double needed = -std::log(rates.beta);
      return (!fresh.can_be_larger_ || fresh.below_effect_.least_log_capital(n, high) >= needed) &&
             (!fresh.can_be_smaller_ || fresh.above_effect_.least_log_capital(n, low) >= needed);
    });
  }

 private:
  ConstantBets above_, below_, below_effect_, above_effect_;
  bool can_be_larger_, can_be_smaller_;
  std::uint64_t draws_ = 0;
};

/// Null: two quantities in [0, 1], drawn in pairs, have equal means. Effect: the means differ by at
/// least `effect`. The difference d is in [−1, 1], so (1 + d)/2 is in [0, 1], with mean 1/2 under
/// the null and off by effect/2. Pairs that agree make few draws enough: the bets are then large.
class EqualMeans : public Sequential<EqualMeans> {
 public:
  /// Requires 0 < effect <= 1.
  explicit EqualMeans(double effect) : halves_(0.5, 0.5 * effect) {}

  void add(double difference) { halves_.add(0.5 + 0.5 * difference); }

  /// A batch that was added to another process of the same effect.
  void add(const EqualMeans& batch) { halves_.add(batch.halves_); }

  std::uint64_t draws() const { return halves_.draws(); }
  double log_e_value() const { return halves_.log_e_value(); }
  double log_e_value_against_effect() const { return halves_.log_e_value_against_effect(); }
  static std::uint64_t draws_to_accept(double effect, Rates rates) {
    return BoundedMean::draws_to_accept(0.5, 0.5 * effect, rates);
  }

 private:
  BoundedMean halves_;
};

}  // namespace embedscale::properties::evidence::sequential
