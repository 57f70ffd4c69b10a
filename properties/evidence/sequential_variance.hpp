#pragma once
// The variance of a normal law of mean 0, one draw at a time.
#include "sequential.hpp"
#include "sequential_gamma.hpp"

#include <boost/math/distributions/chi_squared.hpp>

#include <cmath>
#include <cstdint>

namespace embedscale::properties::evidence::sequential {

/// Null: the draws z = x/σ are N(0, 1) with the stated σ and mean 0.
/// Effect: the standard deviation is off by at least the factor 1 + effect, up or down. (A factor
/// 1 − effect is farther away than 1/(1 + effect).)
///
/// With W = Σz², the likelihood ratio of a precision r = (σ/actual σ)² to 1 is
/// r^(n/2) exp(−(r−1)W/2). Averaged over r ~ Gamma(a, rate a), of mean 1 and variance 1/a, with
/// A = a + n/2 and B = a + W/2:
///
///     E_n = a^a/Γ(a) · e^(W/2) ∫ r^(A−1) e^(−rB) dr = a^a/Γ(a) · e^(W/2) Γ(A)/B^A.
///
/// By log Γ(z) = (z−½) log z − z + (log 2π)/2 + µ(z), and as a + W/2 − A = B − A,
///
///     log E_n = ½ log(a/A) + [B − A − A log(B/A)] + µ(A) − µ(a),
///
/// where the bracket is A·(t − log(1+t)) >= 0 for t = B/A − 1: large for W above n and below it.
/// a puts one standard deviation of r at the effect.
///
/// Against the effect: the likelihood ratio of 1 to a standard deviation s = 1 + δ is
/// s^n exp(−(1 − s^−2)W/2); under σ its factor's expectation, s (1 + σ²(1 − s^−2))^−½, is 1 for
/// σ = s and falls with σ: a supermartingale for every σ >= s. Likewise for s = 1/(1 + δ) and
/// σ <= s: s (1 − σ²(s^−2 − 1))^−½ rises with σ up to 1.
///
/// Ensures   log e-values err by less than 10^-9 of themselves + 10^-9, given an exact Σz².
/// Source    Robbins 1970 (the method of mixtures, here with the conjugate prior); Wald 1945.
class NormalVariance : public Sequential<NormalVariance> {
 public:
  /// Requires effect > 0, relative to σ.
  explicit NormalVariance(double effect)
      : log_ratio_(std::log1p(effect)),
        shape_(0.25 / (log_ratio_ * log_ratio_)),
        remainder_(stirling_remainder(shape_)) {}

  void add(double z) { add(1, z * z); }

  /// A batch by its sufficient statistics.
  void add(std::uint64_t draws, double sum_of_squares) {
    draws_ += draws;
    sum_of_squares_ += sum_of_squares;
  }

  std::uint64_t draws() const { return draws_; }

  double log_e_value() const {
    const double a_n = shape_ + 0.5 * count();
    const double t = 0.5 * (sum_of_squares_ - count()) / a_n;
    return 0.5 * std::log(shape_ / a_n) + a_n * excess_over_log1p(t) + stirling_remainder(a_n) -
           remainder_;
  }

  double log_e_value_against_effect() const {
    // −log of the ratio of densities for s = e^±λ: ∓λn + (1 − e^∓2λ)W/2.
    const double n = count(), half = 0.5 * sum_of_squares_;
    const double against_larger = n * log_ratio_ + half * std::expm1(-2.0 * log_ratio_);
    const double against_smaller = half * std::expm1(2.0 * log_ratio_) - n * log_ratio_;
    return std::fmin(against_larger, against_smaller);
  }

  /// After so many draws a true null is accepted, or was rejected before, with probability at
  /// least 1 − alpha: by the quantiles of W ~ χ²(n), alpha/2 to each side.
  static std::uint64_t draws_to_accept(double effect, Rates rates) {
    return fewest([&](std::uint64_t n) {
      const boost::math::chi_squared_distribution<> law(static_cast<double>(n));
      const auto accepts = [&](double sum_of_squares) {
        NormalVariance process(effect);
        process.add(n, sum_of_squares);
        return process.accepts(rates.beta);
      };
      return accepts(quantile(law, 0.5 * rates.alpha)) &&
             accepts(quantile(complement(law, 0.5 * rates.alpha)));
    });
  }

 private:
  double count() const { return static_cast<double>(draws_); }

  double log_ratio_, shape_, remainder_, sum_of_squares_ = 0.0;
  std::uint64_t draws_ = 0;
};

}  // namespace embedscale::properties::evidence::sequential
