#pragma once
// What rows of mutants are written with, here and in rooms whose operations are more than these:
// another argument for the library's function, or something done to what it returns. Below them
// the defects of look-ups, position vectors and laws that more than one room has to reject.
#include <embedscale/format.hpp>

#include <cmath>
#include <cstdint>
#include <span>
#include <variant>
#include <vector>

#include "../evidence/rounding.hpp"
#include "../testing/subject.hpp"
#include "primitives.hpp"

namespace embedscale::properties::conventions {

using testing::replacing;

/// In the formats alone: a defect of rounding is none over the rationals.
template <class Change>
constexpr auto in_floats(testing::Replacement<Change>) {
  return replacing([]<template <class> class Operations, class Real>(Operations<Real>& to) {
    if constexpr (AnalyticScalar<Real>) Change{}(to);
  });
}

/// x high by one part in 2^`digits`.
template <int digits, Scalar Real>
Real high(const Real& x) {
  return x + x * static_cast<Real>(std::ldexp(1.0, -digits));
}

/// x as it is in a narrower format.
template <class Narrow, Scalar Real>
Real kept_in(const Real& x) {
  return static_cast<Real>(static_cast<double>(Narrow(static_cast<double>(x))));
}

/// x moved by units in its last place.
template <class Real>
Real moved_by_ulps(const Real& x, double ulps) {
  const double size = static_cast<double>(x);
  return static_cast<Real>(size + ulps * 2.0 * half_ulp<Real>(size));
}

/// x, but a part in 2^40 more where m is 29/11 of either sign: one of the 360 sizes that the
/// fractions of the domain are drawn as.
template <Scalar Real>
Real off_at_one_factor(const Real& x, const Real& m) {
  const Real one = Real(29) / Real(11);
  return m == one || m == Real(-one) ? high<40>(x) : x;
}

/// look_up(table, token, m, out) in the library's place.
template <class LookUp>
constexpr auto looks_up(LookUp) {
  return replacing([](auto& to) { to.look_up = LookUp{}; });
}

/// The library's look-up with of(m) in the place of m.
template <class Of>
constexpr auto multiplies_by(Of) {
  return looks_up(
      []<class Real>(const EmbeddingTable<Real>& table, std::size_t token, const Real& m,
                     std::span<Real> out) { table.look_up(token, Real(Of{}(m)), out); });
}

/// of(t) for each channel t that the library looks up.
template <class Of>
constexpr auto changes_tokens(Of) {
  return looks_up([](const auto& table, auto token, const auto& m, auto out) {
    table.look_up(token, m, out);
    for (auto& t : out) t = Of{}(t);
  });
}

/// Every token is brought to the mean square 1/`times`, whatever its table.
template <int times>
constexpr auto normalises_tokens() {
  return in_floats(looks_up([]<class Real>(const EmbeddingTable<Real>& table, std::size_t token,
                                           const Real&, std::span<Real> out) {
    double sum = 0;
    for (const Real& e : table.row(token)) sum += static_cast<double>(e) * static_cast<double>(e);
    const double rms = std::sqrt(times * sum / static_cast<double>(table.width()));
    table.look_up(token, static_cast<Real>(1.0 / rms), out);
  }));
}

/// input(e, p, m) in the library's place.
template <class Input>
constexpr auto adds(Input) {
  return replacing([](auto& to) { to.input = Input{}; });
}

/// encode(p, w, layout, out) in the library's place.
template <class Encode>
constexpr auto encodes(Encode) {
  return in_floats(replacing([](auto& to) { to.encode = Encode{}; }));
}

/// of(x) for each channel x of the library's position vector of size d: of(x, d).
template <class Of>
constexpr auto changes_positions(Of) {
  return encodes([](auto p, auto w, auto layout, auto out) {
    encode_position(p, w, layout, out);
    for (auto& x : out) x = Of{}(x, out.size());
  });
}

/// variance(law) in the library's place.
template <class Variance>
constexpr auto varies(Variance) {
  return [](auto& to) { to.variance = Variance{}; };
}

/// A variance high by one part in 2^`digits`: of these laws, or of all.
template <int digits, class... Laws>
constexpr auto varies_high() {
  return varies([](const Initializer& law) {
    const bool one = sizeof...(Laws) == 0 || (std::holds_alternative<Laws>(law) || ...);
    return one ? high<digits>(embedscale::variance(law)) : embedscale::variance(law);
  });
}

inline constexpr auto squares_the_multiplier = multiplies_by([](const auto& m) { return m * m; });
inline constexpr auto divides_by_the_multiplier =
    multiplies_by([]<class Real>(const Real& m) { return Real(1) / m; });
inline constexpr auto has_no_multiplier = multiplies_by([](const auto&) { return 1; });

inline constexpr auto leaves_the_last_channel =
    looks_up([](const auto& table, auto token, const auto& m, auto out) {
      table.look_up(token, m, out);
      out.back() = table.row(token).back();
    });

inline constexpr auto scales_the_sum =
    adds([](const auto& e, const auto& p, const auto& m) { return m * (e + p); });

/// Sines in the place of cosines: slices that overlap.
inline constexpr auto encodes_sines_twice = encodes([](auto p, auto w, auto layout, auto out) {
  encode_position(p, w, layout, out);
  const bool halves = layout == SinusoidalLayout::halves;
  for (std::size_t i = 0; i < w.size(); ++i)
    out[halves ? w.size() + i : 2 * i + 1] = out[halves ? i : 2 * i];
});

inline constexpr auto takes_half_ranges_for_deviations = varies([](const Initializer& law) {
  const bool uniform =
      std::holds_alternative<Uniform>(law) || std::holds_alternative<XavierUniform>(law);
  return embedscale::variance(law) * (uniform ? 3.0 : 1.0);
});

inline constexpr auto takes_vocabularies_for_fans = varies([](const Initializer& law) {
  if (const auto* l = std::get_if<XavierUniform>(&law))
    return 1.0 / static_cast<double>(l->vocabulary);
  if (const auto* l = std::get_if<XavierNormal>(&law))
    return 1.0 / static_cast<double>(l->vocabulary);
  return embedscale::variance(law);
});

}  // namespace embedscale::properties::conventions
