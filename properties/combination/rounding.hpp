#pragma once
// The two ways to an input, and the measures of what is claimed of them: functions of a sample and
// of the primitives under test. Over the rationals they are exact; of rounding and range each is
// the share of a derived bound, and a claim holds at a sample while the share is <= 1.
#include <embedscale/format.hpp>
#include <embedscale/random.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>

#include "../evidence/rounding.hpp"
#include "primitives.hpp"

namespace embedscale::properties::combination {

/// Both ways to one channel of the input: U = up and Z = fl(m·down).
template <Scalar Real>
struct TwoWays {
  Real u, z;
  /// The same value; and where zeros have signs, the same sign: the same bits.
  bool agree() const {
    if constexpr (requires { FormatTraits<Real>::digits; })
      return u == z && std::signbit(static_cast<double>(u)) == std::signbit(static_cast<double>(z));
    else
      return u == z;
  }
};

/// How down divides.
enum class Division { by_m, by_reciprocal };
inline constexpr std::array divisions{Division::by_m, Division::by_reciprocal};

template <Scalar Real>
TwoWays<Real> two_ways(const Real& e, const Real& p, const Real& m, Division division,
                       const PrimitivesIn<Real>& primitives) {
  const Real below = division == Division::by_m ? primitives.down(e, p, m)
                                                : primitives.down_by_reciprocal(e, p, m);
  return {primitives.up(e, p, m), m * below};
}

/// Both orders of factor and dropout on one kept channel: fl(fl(m·x)·s) and fl(m·fl(x·s)).
template <Scalar Real>
TwoWays<Real> dropout_two_ways(const Real& x, const Real& m, DropoutMask mask, const Real& s,
                               const PrimitivesIn<Real>& primitives) {
  const Real scaled = m * x;
  return {primitives.dropout(scaled, mask, s), m * primitives.dropout(x, mask, s)};
}

/// Whether `near` is at most as far from x as `far` is.
template <Scalar Real>
bool is_nearer(const Real& x, const Real& near, const Real& far) {
  return (x - near) * (x - near) <= (x - far) * (x - far);
}

/// The position's share beside the token's, (position part)/(token part), under up and under down.
///
/// Requires  e != 0, m != 0.
template <Scalar Real>
TwoWays<Real> position_to_token(const Real& e, const Real& p, const Real& m,
                                const PrimitivesIn<Real>& primitives) {
  const Real none(0);
  return {primitives.up(none, p, m) / primitives.up(e, none, m),
          primitives.down(none, p, m) / primitives.down(e, none, m)};
}

/// m·(e + p), scaled after the sum, and m·e + p, scaled before it.
template <Scalar Real>
TwoWays<Real> scaled_after_and_before(const Real& e, const Real& p, const Real& m,
                                      const PrimitivesIn<Real>& primitives) {
  return {m * primitives.sum(e, p), primitives.up(e, p, m)};
}

/// The bound of rounds_identically in units of u·max(|m·e|, |p|), by either division.
///
/// Gappa proves it (precision/rounding_bound_test.cpp): relative errors alone count 8 by m and 9 by
/// the reciprocal; absolute ones, and the grid that U and Z share, give 8 by either, and by m 8/f,
/// f the significand of m (precision/difference.hpp). A sum of two floating-point numbers that
/// falls below the normal range is exact, so only the products and the quotients must stay normal
/// or be zero: stays_in_range.
inline constexpr double bound_in_u = 8.0;

/// Whether no operation of either way under- or overflows: the requirement of the bound, and of
/// equal bits at powers of two. A result that is above the smallest normal number after rounding is
/// not below it before.
template <Scalar Real>
bool stays_in_range(const Real& e, const Real& p, const Real& m, Division division) {
  const auto finite = [](const Real& x) { return std::isfinite(static_cast<double>(x)); };
  const auto normal = [&](const Real& product, const Real& factor) {
    const double size = std::abs(static_cast<double>(product));
    return factor == Real(0) || (size > FormatTraits<Real>::min_normal && finite(product));
  };
  const Real t = m * e, reciprocal = Real(1) / m;
  const Real faint = division == Division::by_m ? p / m : p * reciprocal;
  const Real below = e + faint;
  return normal(t, e) && normal(faint, p) && finite(t + p) && finite(below) &&
         normal(m * below, below) && (division == Division::by_m || normal(reciprocal, Real(1)));
}

/// A pair that tells the two ways apart whenever m is no power of two: e = 1, p = −(next number
/// above m).
///
/// Let m = 2^E·f with 1 < f < 2; numbers there are 2u·2^E apart, so U = m − (m + 2u·2^E) = −2u·2^E,
/// exactly. On the other side p/m = −(1 + 2u/f), and as u < 2u/f < 2u it rounds to −(1 + 2u); then
/// e + fl(p/m) = −2u exactly and Z = −2u·m ≠ U. With the reciprocal, fl(p·fl(1/m)) is a multiple of
/// u near −1, so that e + … = −k·u exactly for a whole k, and Z = U needs fl(f·k) = 2: but
/// f·1 = f < 2, f·2 > 2, and rounding is monotone. Hence *exactly when*.
template <Scalar Real>
Real telling_position(const Real& m) {
  return Real(-(static_cast<double>(m) + 2.0 * half_ulp<Real>(static_cast<double>(m))));
}

/// |U − Z| as a share of its bound: the claim holds at this sample while it is <= 1.
///
/// Requires  stays_in_range(e, p, m, division). The share itself is computed in double, whose own
///           error of a few 2^−53 is far below the distance that the worst case keeps from 1.
template <Scalar Real>
double share_of_bound(const Real& e, const Real& p, const Real& m, Division division,
                      const PrimitivesIn<Real>& primitives) {
  const auto [u, z] = two_ways(e, p, m, division, primitives);
  const double largest = std::max(std::abs(static_cast<double>(m) * static_cast<double>(e)),
                                  std::abs(static_cast<double>(p)));
  if (largest == 0.0) return u == z ? 0.0 : HUGE_VAL;
  return std::abs(static_cast<double>(u) - static_cast<double>(z)) /
         (bound_in_u * unit_roundoff<Real> * largest);
}

/// What is lost when p/m is rounded in a format of narrow range, in absolute terms.
template <Scalar Real>
struct FaintPosition {
  double exact;    ///< p/m, with p and m as they are in the format
  double rounded;  ///< fl(p/m)

  bool below_normal() const {
    return exact != 0.0 && std::abs(exact) < FormatTraits<Real>::min_normal;
  }
  bool vanished() const { return exact != 0.0 && rounded == 0.0; }
  double loss_alone() const { return exact == 0.0 ? 0.0 : std::abs(rounded / exact - 1.0); }
};

template <Scalar Real>
FaintPosition<Real> faint_position(const Real& p, const Real& m,
                                   const PrimitivesIn<Real>& primitives) {
  return {static_cast<double>(p) / static_cast<double>(m),
          static_cast<double>(primitives.down(Real(0), p, m))};
}

/// The loss of a p/m below the normal range, over half an ulp of the sum e + p/m that it enters.
///
/// Below the normal range the format is a grid of step η, its smallest subnormal, so the loss is at
/// most η/2; and η/2 is half an ulp of the smallest values, hence at most half an ulp of any. The
/// claim holds while the ratio is <= 1: underflow can at most double the bound on the sum's error.
template <Scalar Real>
double underflow_over_half_ulp(const Real& e, const Real& p, const Real& m,
                               const PrimitivesIn<Real>& primitives) {
  const auto faint = faint_position(p, m, primitives);
  if (!faint.below_normal()) return 0.0;
  return std::abs(faint.rounded - faint.exact) /
         half_ulp<Real>(static_cast<double>(primitives.down(e, p, m)));
}

/// Whether dropout's scale and the multiplier commute bit for bit in the normal range: a product
/// with a power of two is exact, and two equal significands make the two orders one computation.
inline bool scales_commute(double m, double s) {
  return is_power_of_two(m) || is_power_of_two(s) || significand(m) == significand(s);
}

/// The rates that dropout is looked at with.
inline constexpr std::array dropout_rates{0.1, 0.2, 0.3, 0.5, 0.75};

/// Significands of [1, 2): all of a small format, so many draws of a large one.
template <class Real>
constexpr bool has_few_significands = FormatTraits<Real>::digits <= 12;
template <class Real>
constexpr std::uint64_t significands(std::uint64_t drawn) {
  return has_few_significands<Real> ? std::uint64_t{1} << (FormatTraits<Real>::digits - 1) : drawn;
}
/// Number i of them: exact, so the same bits on every machine.
template <class Real>
Real significand_at(std::uint64_t i, const Stream& stream) {
  const std::uint64_t steps = std::uint64_t{1} << (FormatTraits<Real>::digits - 1);
  const std::uint64_t step = has_few_significands<Real> ? i : stream.bits(i) & (steps - 1);
  return static_cast<Real>(1.0 + static_cast<double>(step) / static_cast<double>(steps));
}

/// |difference| of the two orders over 4u·|m·s·x|. Each order is msx(1+δ)(1+δ′) with |δ|, |δ′| <= v
/// = u/(1+u), so they differ by at most 2(2v + v²)|msx| <= 4u|msx|, in the normal range.
template <Scalar Real>
double dropout_share_of_bound(const Real& x, const Real& m, const Real& s,
                              const PrimitivesIn<Real>& primitives) {
  const auto [u, z] = dropout_two_ways(x, m, DropoutMask::kept, s, primitives);
  const double size =
      std::abs(static_cast<double>(m) * static_cast<double>(s) * static_cast<double>(x));
  if (size == 0.0) return u == z ? 0.0 : HUGE_VAL;
  return std::abs(static_cast<double>(u) - static_cast<double>(z)) /
         (4.0 * unit_roundoff<Real> * size);
}

}  // namespace embedscale::properties::combination
