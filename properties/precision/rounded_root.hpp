#pragma once
// What a format makes of √d_model: the measures, functions of a width and of the primitives under
// test. Whether a root is the nearest number, and whether it is a power of two, is decided without
// rounding, by squares.
#include <embedscale/embedding.hpp>
#include <embedscale/format.hpp>

#include <cstdint>
#include <type_traits>

#include "../domain/encoding.hpp"
#include "../evidence/rounding.hpp"
#include "../over.hpp"
#include "formats.hpp"

namespace embedscale::properties::precision::rounded_root {

/// fl(fl₃₂(√d)): what code does that takes the root in binary32 and casts it.
template <Scalar Real>
Real root_through_binary32(std::uint64_t d) {
  return static_cast<Real>(static_cast<double>(root_multiplier<float>(d)));
}

/// fl(√fl(d)): what code does that casts d_model and takes the root then.
template <AnalyticScalar Real>
Real root_of_rounded_width(std::uint64_t d) {
  using std::sqrt;
  return sqrt(static_cast<Real>(static_cast<double>(d)));
}

template <AnalyticScalar Real>
struct Operations {
  using Root = Operation<Real(std::uint64_t d)>;
  Root root = root_multiplier<Real>;
  Root through_binary32 = root_through_binary32<Real>;
  Root of_rounded_width = root_of_rounded_width<Real>;

  void list(Members& to) { EMBEDSCALE_LIST(to, root, through_binary32, of_rounded_width); }
};
struct Primitives : Over<Operations, float, binary16, bfloat16, e4m3, e5m2> {};
template <AnalyticScalar Real>
using PrimitivesIn = std::type_identity_t<Operations<Real>>;

/// u/(1+u): one rounding in the normal range is fl(x) = x(1+δ) with |δ| at most this.
template <class Real>
inline constexpr double largest_delta = unit_roundoff<Real> / (1.0 + unit_roundoff<Real>);

/// m/√d − 1, as (m² − d)/(√d·(m + √d)): nothing cancels but m² − d, which fma rounds once.
template <class Real>
double error_of_root(const Real& root, std::uint64_t width) {
  const auto m = static_cast<double>(root), d = static_cast<double>(width);
  const double exact = std::sqrt(d);
  return std::fma(m, m, -d) / (exact * (m + exact));
}

/// |m − √d| over its bound, u/(1+u)·√d. In double it is off by five roundings, 2^−50 of itself.
template <class Real>
double share_of_root_bound(const Real& root, std::uint64_t d) {
  return std::abs(error_of_root(root, d)) / largest_delta<Real>;
}

/// Whether m is the nearest number of the format to √d, at a tie the even one.
///
/// The midpoints between m and its neighbours have one digit more than the format, 25 at most, so
/// that their squares are exact in double, and d lies between these.  Requires d < 2^48.
template <class Real>
bool is_nearest_root(const Real& root, std::uint64_t width) {
  const auto m = static_cast<double>(root), d = static_cast<double>(width);
  const double half = half_ulp<Real>(m);
  const double above = m + half, below = m - (is_power_of_two(m) ? half / 2.0 : half);
  if (m > 0.0 && below * below < d && d < above * above) return true;
  const bool is_even = domain::bits_of(root) % 2 == 0;
  return is_even && (d == below * below || d == above * above);
}

/// Whether √d is a number of the format: d = k², and k without its factors 2 has no more digits.
template <class Real>
bool has_root_in_format(std::uint64_t d) {
  const auto k = static_cast<std::uint64_t>(std::sqrt(static_cast<double>(d)));
  if (k * k != d) return false;
  std::uint64_t digits = k;
  while (digits % 2 == 0) digits /= 2;
  return digits >> FormatTraits<Real>::digits == 0;
}

/// Whether the nearest number to √d is a power of two: 4^k·(1 − u/2)² <= d <= 4^k·(1 + u)² for a
/// k >= 0. The neighbours of 2^k are u·2^k below and 2u·2^k above, and of two as near the even one
/// is taken, which is 2^k. Both squares have 50 digits at most: nothing rounds.
template <class Real>
bool has_power_of_two_root(std::uint64_t width) {
  const auto d = static_cast<double>(width);
  constexpr double low = 1.0 - unit_roundoff<Real> / 2.0, high = 1.0 + unit_roundoff<Real>;
  for (double power = 1.0; power * low * low <= d; power *= 4.0)
    if (d <= power * high * high) return true;
  return false;
}

/// Of widths up to this, a root that was rounded to binary32 first loses nothing, in a format of
/// t <= 11 digits.
///
/// The second rounding could go wrong only if fl₃₂(√d) is a midpoint M of the format and √d is not.
/// Let 2^E <= M < 2^(E+1). M has t + 1 <= 12 digits: it is a whole multiple of 2^(E−11), and M² of
/// 2^(2E−22), as d is where E <= 11. So d ≠ M² is at least 2^(2E−22) away from it, at least 1 where
/// E = 11, and with √d + M < 2^(E+2), |√d − M| > 2^(E−24): more than half an ulp of binary32, which
/// cannot become M. E <= 11 is d < 2^24. Beyond it some do: d = M² + 1 with M = 2^12 + 2 in
/// binary16, 2^12 + 2^4 in bfloat16.
inline constexpr std::uint64_t double_rounding_is_harmless = std::uint64_t{1} << 24;

/// |fl(√fl(d)) − √d| over its bound, 1.5u·√d.
///
/// With v = u/(1+u): √(1+δ) is between 1 − v/2 − v²/2 and 1 + v/2 for |δ| <= v, so that
///   √(1+v)·(1+v) − 1 <= 3v/2 + v²/2 <= 1.5u,  as u = v + v² + …,
///   1 − √(1−v)·(1−v) <= 3v/2 − v³/2 <= 1.5u.
/// Requires  fl(d) finite: above 464 it is none in e4m3.
template <class Real>
double share_of_rounded_width_bound(const Real& root, std::uint64_t d) {
  return std::abs(error_of_root(root, d)) / (1.5 * unit_roundoff<Real>);
}

/// How many of a format's significands of e in [1, 2) have another product fl(m·e) than fl(√d·e):
/// which activations notice that m is rounded. Exponents change nothing in the normal range.
///
/// √d·e is taken in double. It is no midpoint where √d is irrational; where √d is whole the product
/// is exact, and the same.  Requires a format of few digits: all significands are tried.
template <class Real>
bool moves_product(std::uint64_t significand, const Real& m, std::uint64_t d) {
  const double e =
      1.0 + std::ldexp(static_cast<double>(significand), 1 - FormatTraits<Real>::digits);
  const Real own = m * static_cast<Real>(e);
  return !(own == static_cast<Real>(std::sqrt(static_cast<double>(d)) * e));
}

}  // namespace embedscale::properties::precision::rounded_root
