#pragma once
// The smallest defects that the properties of sinusoidal.hpp still see in their 10^4 cases, by
// powers of two, each with what is known of the next smaller one.
#include <embedscale/format.hpp>

#include <cmath>

#include "sinusoidal.hpp"

namespace embedscale::properties::mutants {

/// Every entry one ulp of its format away from 0: passes 1 where it was 1, at position 0.
struct is_one_ulp_too_large : Sinusoidal {
  template <AnalyticScalar Real>
  static void encode(std::int64_t p, std::span<const Real> w, SinusoidalLayout layout,
                     std::span<Real> out) {
    Sinusoidal::encode(p, w, layout, out);
    for (Real& x : out) x = x + x * static_cast<Real>(2.0 * unit_roundoff<Real>);
  }
};

/// Entries too large by one part in 2^digits, where Real has so many.
template <int digits>
struct grows_by : Sinusoidal {
  template <AnalyticScalar Real>
  static void encode(std::int64_t p, std::span<const Real> w, SinusoidalLayout layout,
                     std::span<Real> out) {
    Sinusoidal::encode(p, w, layout, out);
    for (Real& x : out) x = x + x * static_cast<Real>(std::ldexp(1.0, -digits));
  }
};
/// 2^−53 is not seen at odd widths, 2^−51 not by a variance, whose sum is halved.
using grows_by_52_digits = grows_by<52>;
using grows_by_50_digits = grows_by<50>;

/// A constant on the last channel.
template <int digits>
struct adds_to_the_last : Sinusoidal {
  template <AnalyticScalar Real>
  static void encode(std::int64_t p, std::span<const Real> w, SinusoidalLayout layout,
                     std::span<Real> out) {
    Sinusoidal::encode(p, w, layout, out);
    out.back() = out.back() + static_cast<Real>(std::ldexp(1.0, -digits));
  }
};
/// A mean that tends to its limit: 2^−53 is not seen; 2^−52 is at position 0, which is exact.
using adds_52_digits_to_the_last = adds_to_the_last<52>;
/// A shift: 2^−52 is not seen; with an exchange between, 2^−51 is.
using adds_51_digits_to_the_last = adds_to_the_last<51>;
/// Second moments: 2^−49 is not seen; a constant share: 2^−48 is not.
using adds_48_digits_to_the_last = adds_to_the_last<48>;
using adds_46_digits_to_the_last = adds_to_the_last<46>;

/// Frequencies too large by one part in 2^digits.
template <int digits>
struct turns_faster : Sinusoidal {
  template <AnalyticScalar Real>
  static std::vector<Real> frequencies(std::size_t d, FrequencyRule rule, const Real& base) {
    auto w = Sinusoidal::frequencies(d, rule, base);
    for (Real& x : w) x = x + x * static_cast<Real>(std::ldexp(1.0, -digits));
    return w;
  }
};
/// Products of two positions see 2^−51; the difference of the two rules does not, but 2^−50.
using turns_faster_by_51_digits = turns_faster<51>;
using turns_faster_by_50_digits = turns_faster<50>;
/// Over a table: second moments do not see 2^−48, constant shares not 2^−48, deviations not 2^−43.
using turns_faster_by_47_digits = turns_faster<47>;
using turns_faster_by_46_digits = turns_faster<46>;
using turns_faster_by_42_digits = turns_faster<42>;
using turns_faster_by_40_digits = turns_faster<40>;
/// Where a table's end stops to be quiet: 1.6 % are not seen by every seed.
using turns_faster_by_4_digits = turns_faster<4>;

/// Odd positions turned by one part in 2^digits more: no mean of a table's length is that of its
/// frequencies, and no shift by one is the rotation that the next one is.
template <int digits>
struct turns_odd_positions : Sinusoidal {
  template <AnalyticScalar Real>
  static void encode(std::int64_t p, std::span<const Real> w, SinusoidalLayout layout,
                     std::span<Real> out) {
    std::vector<Real> further(w.begin(), w.end());
    if (p % 2 != 0)
      for (Real& x : further) x = x + x * static_cast<Real>(std::ldexp(1.0, -digits));
    Sinusoidal::encode(p, std::span<const Real>(further), layout, out);
  }
};
using turns_odd_positions_by_52_digits = turns_odd_positions<52>;
/// Of 50 decimal digits: 2^−160 is not seen.
using turns_odd_positions_by_150_digits = turns_odd_positions<150>;
/// The first channels' share of the variance: 2^−42 is not seen.
using turns_odd_positions_by_40_digits = turns_odd_positions<40>;

/// The halves layout one ulp off in its last channel, at every 16th position.
struct halves_err_by_an_ulp : Sinusoidal {
  template <AnalyticScalar Real>
  static void encode(std::int64_t p, std::span<const Real> w, SinusoidalLayout layout,
                     std::span<Real> out) {
    Sinusoidal::encode(p, w, layout, out);
    if (layout == SinusoidalLayout::halves && p % 16 == 0)
      out.back() = out.back() - out.back() * static_cast<Real>(2.0 * unit_roundoff<Real>);
  }
};

/// tensor2tensor's rule as the paper's with one frequency off, the last, by one part in 2^digits.
template <int digits>
struct rules_nearly_meet : Sinusoidal {
  template <AnalyticScalar Real>
  static std::vector<Real> frequencies(std::size_t d, FrequencyRule rule, const Real& base) {
    auto w = Sinusoidal::frequencies(d, FrequencyRule::paper, base);
    if (rule == FrequencyRule::tensor2tensor)
      w.back() = w.back() + w.back() * static_cast<Real>(std::ldexp(1.0, -digits));
    return w;
  }
};
/// 2^−36 keeps them apart, as it is more than rounding.
using rules_meet_to_38_digits = rules_nearly_meet<38>;

}  // namespace embedscale::properties::mutants
