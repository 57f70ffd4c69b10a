#pragma once
// The mean of a normal law of known variance, one draw at a time.
#include "sequential.hpp"

#include <boost/math/distributions/normal.hpp>

#include <cmath>
#include <cstdint>

namespace embedscale::properties::evidence::sequential {

/// Null: the draws z = (x − μ)/σ are N(0, 1) with the stated μ and the known σ.
/// Effect: the mean is off by at least `effect` standard deviations, up or down.
///
/// With S = Σz, the likelihood ratio of mean θ to mean 0 is exp(θS − nθ²/2). Averaged over
/// θ ~ N(0, ρ²), with v = nρ²:
///
///     E_n = ∫ exp(θS − nθ²/2) φ(θ/ρ)/ρ dθ = (1+v)^−½ exp(ρ²S²/(2(1+v))),
///
/// symmetric in S, hence two-sided. ρ = effect; at α = 10^-10 a mean of 10 effects then takes
/// twice, one of 100 effects 15 times the draws that ρ tuned to it would need: few in either case.
///
/// Against the effect: under a mean >= δ the likelihood ratio of mean 0 to mean δ has the expected
/// factor E exp(−δz + δ²/2) = exp(δ(δ − mean)) <= 1, and with −z under a mean <= −δ. Under the
/// null its log grows by δ²/2 per draw, so that passing costs about 2 log(1/β)/δ² draws.
///
/// Ensures   log e-values err by less than 10^-9 of themselves + 10^-12, given an exact Σz.
/// Source    Robbins 1970; Wald 1945, "Sequential tests of statistical hypotheses".
class NormalMean : public Sequential<NormalMean> {
 public:
  /// Requires effect > 0, in standard deviations.
  explicit NormalMean(double effect) : effect_(effect) {}

  void add(double z) { add(1, z); }

  /// A batch by its sufficient statistics.
  void add(std::uint64_t draws, double sum) {
    draws_ += draws;
    sum_ += sum;
  }

  std::uint64_t draws() const { return draws_; }

  double log_e_value() const {
    const double v = count() * effect_ * effect_, s = effect_ * sum_;
    return 0.5 * (s * s / (1.0 + v) - std::log1p(v));
  }

  double log_e_value_against_effect() const {
    return effect_ * (0.5 * count() * effect_ - std::abs(sum_));
  }

  /// After so many draws a true null is accepted, or was rejected before, with probability at
  /// least 1 − alpha: with |S|/√n <= z, the quantile at α/2, and u = δ√n, u²/2 − uz >= log(1/β).
  static std::uint64_t draws_to_accept(double effect, Rates rates) {
    const boost::math::normal_distribution<> law;
    const double z = quantile(complement(law, 0.5 * rates.alpha));
    const double u = z + std::sqrt(z * z - 2.0 * std::log(rates.beta));
    return static_cast<std::uint64_t>(std::ceil(u * u / (effect * effect)));
  }

  /// At all times at once, P(the mean is ever outside) <= alpha: the means m that the same mixture
  /// about m, S − nm for S, does not reject. In standard deviations; unbounded without draws.
  Interval confidence_interval(double alpha) const {
    const double n = count(), v = n * effect_ * effect_;
    const double width =
        std::sqrt((1.0 + v) * (std::log1p(v) - 2.0 * std::log(alpha))) / (effect_ * n);
    const double mean = draws_ == 0 ? 0.0 : sum_ / n;
    return {mean - width, mean + width};
  }

 private:
  double count() const { return static_cast<double>(draws_); }

  double effect_, sum_ = 0.0;
  std::uint64_t draws_ = 0;
};

}  // namespace embedscale::properties::evidence::sequential
