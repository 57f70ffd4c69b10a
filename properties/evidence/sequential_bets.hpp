#pragma once
// Betting against the mean of a law on [0, 1] that is otherwise unknown.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <limits>

namespace embedscale::properties::evidence::sequential {

enum class Side { above, below };

/// What bets on "the mean lies above m" (or below) have made of a capital of 1.
///
/// A gambler who stakes a share λ of the capital at fair odds under mean m multiplies it by
/// 1 + λ(x − m) per draw. For 0 <= λ <= 1/m that is never negative, and under any law on [0, 1]
/// of mean <= m, given the past, its expectation is at most 1: an e-process of "the mean is at most
/// m", and a martingale where it is m. So is an average of several: constant bets λ_j, a factor 2
/// apart, each with an equal share of the capital. One within √2 of the best bet grows at 4/5 of
/// its rate at least (2t − t² for t = √½, √2, to second order), and the average costs log(bets).
///
/// The best bet on an excess δ at variance v is about δ/(v + δ²): 4δ for the largest v = 1/4, more
/// for smaller ones, so the bets begin at most there and end at 9/10 of the largest admissible.
///
/// The capitals are products, scaled by powers of 2 that are kept apart: n draws err by n·2^-52.
/// A draw outside [0, 1], or a NaN, refutes the law: infinite capital.
///
/// Source    Waudby-Smith and Ramdas 2024, "Estimating means of bounded random variables by
///           betting" (capital processes, hedged and diversified over a grid of bets).
class ConstantBets {
 public:
  /// Requires 0 <= mean <= 1, effect > 0.
  ConstantBets(Side side, double mean, double effect)
      : sign_(side == Side::above ? 1.0 : -1.0), mean_(mean) {
    // The most that one draw can lose per unit staked; kept off 0, where any stake is admissible.
    const double loss = std::max(side == Side::above ? mean : 1.0 - mean, 0x1p-10);
    double stake = 0.9 / loss;
    capital_.fill(1.0);
    for (count_ = 0; count_ < stakes_.size(); stake *= 0.5) {
      stakes_[count_++] = stake;
      if (stake <= 4.0 * effect) break;
    }
  }

  void add(double x) {
    if (!(x >= 0.0 && x <= 1.0)) outside_ = true;
    const double gain = sign_ * (x - mean_);
    for (std::size_t j = 0; j < count_; ++j) multiply(j, 1.0 + stakes_[j] * gain);
  }

  /// What another gambler with the same bets has made of later, or other, draws.
  void add(const ConstantBets& later) {
    outside_ = outside_ || later.outside_;
    for (std::size_t j = 0; j < count_; ++j) {
      exponent_[j] += later.exponent_[j];
      multiply(j, later.capital_[j]);
    }
  }

  double log_capital() const {
    if (outside_) return std::numeric_limits<double>::infinity();
    const auto largest = *std::max_element(exponent_.begin(), exponent_.begin() + count());
    double sum = 0.0;
    for (std::size_t j = 0; j < count_; ++j)
      sum += std::ldexp(capital_[j], static_cast<int>(std::max(exponent_[j] - largest, -4096L)));
    return std::log(sum / static_cast<double>(count_)) +
           static_cast<double>(largest) * 0.69314718055994530942;
  }

  /// Below the log capital after n draws of this average, whatever they are: 1 + λ(x − m) has a
  /// concave logarithm, which on [0, 1] is above its chord, and the chord only needs the average.
  double least_log_capital(double n, double average) const {
    double best = -std::numeric_limits<double>::infinity();
    for (std::size_t j = 0; j < count_; ++j) {
      const double at_0 = std::log1p(-sign_ * stakes_[j] * mean_);
      const double at_1 = std::log1p(sign_ * stakes_[j] * (1.0 - mean_));
      best = std::max(best, n * ((1.0 - average) * at_0 + average * at_1));
    }
    return best - std::log(static_cast<double>(count_));
  }

 private:
  std::ptrdiff_t count() const { return static_cast<std::ptrdiff_t>(count_); }

  void multiply(std::size_t j, double factor) {
    constexpr int step = 256;
    capital_[j] *= factor;
    if (capital_[j] > 0x1p256) capital_[j] *= 0x1p-256, exponent_[j] += step;
    if (capital_[j] < 0x1p-256) capital_[j] *= 0x1p256, exponent_[j] -= step;
  }

  double sign_, mean_;
  std::size_t count_ = 0;
  std::array<double, 40> stakes_{}, capital_{};
  std::array<long, 40> exponent_{};
  bool outside_ = false;
};

}  // namespace embedscale::properties::evidence::sequential
