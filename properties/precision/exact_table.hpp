#pragma once
// The sines and cosines of a position table in 50 digits: directly at anchors, by rotation between
// them. (A direct sine costs 2 µs, a rotation a tenth of that.)
#include <embedscale/format.hpp>
#include <embedscale/sinusoidal.hpp>

#include <cstdint>

#include "../exact/decimal50.hpp"

namespace embedscale::properties::precision {

using exact::Decimal50;

/// What rounding costs a sine or cosine at most: half an ulp of the numbers below 1.
template <class Real>
inline constexpr double rounding_of_an_entry = unit_roundoff<Real> / 2.0;

/// How many positions stand between two anchors.
inline constexpr std::int64_t anchor_distance = 1024;

/// w_i of a width, as exactly as 50 digits have it: its exponent is off by v = 2^−168 of itself,
/// which moves w by 9.3·v, and pow adds v.
inline Decimal50 exact_frequency(std::size_t i, std::size_t d,
                                 FrequencyRule rule = FrequencyRule::paper) {
  const Decimal50 steps(frequency_steps(d, rule));
  return pow(Decimal50(10000), -(Decimal50(i) / steps));
}

/// One pair of channels at consecutive positions.
///
/// Ensures   before `anchor_distance` steps, below position 2^17: each within 2^−146 (10^−43.9).
///           The angle of the anchor is off by p·w·(10.3 + 1)v and, after k steps, the product of k
///           turns by k·w·10.3·v more: 1.5·10^6 v at 2^17. Sine and cosine of anchor and turn are
///           rounded by v each, and a complex product by √5·v (Brent, Percival and Zimmermann
///           2007): 1024·3.3 v. Together below 2^21 v < 2^−146.
class ExactPair {
 public:
  ExactPair(const Decimal50& w, std::int64_t first)
      : turn_sine_(sin(w)), turn_cosine_(cos(w)), sine_(sin(w * first)), cosine_(cos(w * first)) {}

  void step() {
    const Decimal50 sine = sine_ * turn_cosine_ + cosine_ * turn_sine_;
    cosine_ = cosine_ * turn_cosine_ - sine_ * turn_sine_;
    sine_ = sine;
  }
  const Decimal50& sine() const { return sine_; }
  const Decimal50& cosine() const { return cosine_; }

 private:
  Decimal50 turn_sine_, turn_cosine_, sine_, cosine_;
};

}  // namespace embedscale::properties::precision
