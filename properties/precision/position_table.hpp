#pragma once
// A position table whose entries are rounded once, and one that is computed in a format from the
// frequencies on: how far the entries of either are from the exact ones, and which positions get
// one row.
#include <embedscale/format.hpp>
#include <embedscale/position_table.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <type_traits>
#include <vector>

#include "../domain/formats.hpp"
#include "../evidence/rounding.hpp"
#include "../over.hpp"
#include "exact_table.hpp"

namespace embedscale::properties::precision::position_table {

/// What stands for a frequency, a position, an angle, a sine and a cosine where each of these is a
/// number of the format, and the entry that is rounded once.
template <AnalyticScalar Real>
struct Operations {
  Operation<Real(std::size_t i, std::size_t d, FrequencyRule rule)> frequency =
      [](std::size_t i, std::size_t d, FrequencyRule rule) {
        using std::pow;
        const auto steps = static_cast<int>(frequency_steps(d, rule));
        return static_cast<Real>(pow(Real(10000), -(Real(static_cast<int>(i)) / Real(steps))));
      };
  Operation<Real(std::int64_t p)> position = [](std::int64_t p) {
    return Real(static_cast<int>(p));
  };
  Operation<Real(const Real& p, const Real& w)> angle = [](const Real& p, const Real& w) {
    return p * w;
  };
  Operation<Real(const Real& angle)> sine = [](const Real& angle) {
    using std::sin;
    return sin(angle);
  };
  Operation<Real(const Real& angle)> cosine = [](const Real& angle) {
    using std::cos;
    return cos(angle);
  };
  Operation<Real(const Unrounded& entry)> rounded = embedscale::rounded<Real>;

  void list(Members& to) { EMBEDSCALE_LIST(to, frequency, position, angle, sine, cosine, rounded); }
};

struct Primitives : Over<Operations, double, float, binary16, bfloat16> {
  Operation<Turn(std::size_t i, std::size_t d, FrequencyRule rule, double base)> turn =
      frequency_in_turns;
  Operation<SineAndCosine(const Turn& angle)> sine_and_cosine = embedscale::sine_and_cosine;

  void list(Members& to) {
    Over::list(to);
    EMBEDSCALE_LIST(to, turn, sine_and_cosine);
  }
};
template <AnalyticScalar Real>
using PrimitivesIn = std::type_identity_t<Operations<Real>>;

/// Errors that are looked for: the first position past each.
inline constexpr std::array thresholds{1e-3, 1e-2, 1e-1};

/// One pair of channels of one position.
struct At {
  std::size_t d;
  std::size_t i;  ///< below d/2
  std::int64_t p;
  FrequencyRule rule = FrequencyRule::paper;
};

template <class Number>
struct Pair {
  Number sine, cosine;
};

inline Pair<Decimal50> exact_pair(const At& at) {
  const Decimal50 angle = exact_frequency(at.i, at.d, at.rule) * at.p;
  return {sin(angle), cos(angle)};
}

/// Both entries where frequency, position, their product and these are numbers of the format.
template <AnalyticScalar Real>
Pair<Real> in_format(const At& at, const PrimitivesIn<Real>& primitives) {
  const Real angle =
      primitives.angle(primitives.position(at.p), primitives.frequency(at.i, at.d, at.rule));
  return {primitives.sine(angle), primitives.cosine(angle)};
}

/// What is allowed of an entry that is rounded once: half a unit in its last place, and 2^−60 of
/// itself (encode_position_once_rounded derives it).
template <class Real>
double once_rounded_bound(double exact) {
  return half_ulp<Real>(exact) + std::abs(exact) * 0x1p-60;
}

/// The error of an entry of the format over that bound, both with a few roundings of binary64.
template <AnalyticScalar Real>
double once_rounded(const Unrounded& entry, const Decimal50& exact,
                    const PrimitivesIn<Real>& primitives) {
  const double rounded = static_cast<double>(primitives.rounded(entry));
  const auto off = static_cast<double>(abs(Decimal50(rounded) - exact));
  const double bound = once_rounded_bound<Real>(static_cast<double>(exact)) * (1.0 + 0x1p-50);
  return off == 0.0 ? 0.0 : off / bound;
}

/// The largest error of two entries that are rounded once to each of the four formats, over its
/// bound.
///
/// Requires  at.p <= 2^17.
inline double once_rounded_share(const At& at, const Primitives& primitives) {
  const auto exact = exact_pair(at);
  const auto [sine, cosine] = primitives.sine_and_cosine(
      multiple(primitives.turn(at.i, at.d, at.rule, 10000), static_cast<std::uint64_t>(at.p)));
  double worst = 0;
  domain::for_each_format([&, sine = sine, cosine = cosine]<class Real>() {
    const auto& in = primitives.of<Real>();
    worst = std::max({worst, once_rounded<Real>(sine, exact.sine, in),
                      once_rounded<Real>(cosine, exact.cosine, in)});
  });
  return worst;
}

/// Whether the format has the position at all: binary16 ends at 65504, and rounds to infinity from
/// 65520 on.
template <class Real>
bool has_position(std::int64_t p) {
  return std::isfinite(static_cast<double>(Real(static_cast<int>(p))));
}

/// Bound on an entry's error where every step is rounded to the format: (p·w·(3L + 7) + 2)·u with
/// L = −ln w.
///
/// i, d/2 and their quotient are off by u each (bfloat16 has no 257), which is 3L·u of w; the base
/// by u, which is i/(d/2)·u; pow, the position and the product by u each. (libm's pow in its own
/// format by 2u, but there base and position are exact.) These are (3L + 4)u of the angle to first
/// order; all together at most e^y − 1 with y = L·((1 + u)²/(1 − u) − 1) + 4u, which at L <= 9.3,
/// u <= 2^−8 is below (3L + 7)u, and so for every smaller L and u. Sine and cosine move by no more
/// than their angle, and are rounded: u, or 2u by libm.
template <class Real>
double in_format_bound(const At& at) {
  const auto steps = static_cast<double>(frequency_steps(at.d, at.rule));
  const double minus_log = static_cast<double>(at.i) / steps * std::log(1e4);
  return (static_cast<double>(at.p) * std::exp(-minus_log) * (3.0 * minus_log + 7.0) + 2.0) *
         unit_roundoff<Real>;
}

/// The larger error of the two entries, with every step in the format.
template <AnalyticScalar Real>
double in_format_error(const At& at, const Pair<Decimal50>& exact,
                       const PrimitivesIn<Real>& primitives) {
  const auto [sine, cosine] = in_format<Real>(at, primitives);
  const auto off = [](const Decimal50& x, const Real& entry) {
    return static_cast<double>(abs(Decimal50(static_cast<double>(entry)) - x));
  };
  const double sine_off = off(exact.sine, sine), cosine_off = off(exact.cosine, cosine);
  return std::isfinite(sine_off + cosine_off) ? std::max(sine_off, cosine_off) : HUGE_VAL;
}
/// Over its bound.
///
/// Requires  has_position<Real>(at.p).
template <AnalyticScalar Real>
double in_format_share(const At& at, const Pair<Decimal50>& exact,
                       const PrimitivesIn<Real>& primitives) {
  return in_format_error<Real>(at, exact, primitives) / in_format_bound<Real>(at);
}

}  // namespace embedscale::properties::precision::position_table
