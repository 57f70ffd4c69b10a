#pragma once
// What is provable about a rounded result, in units of its own format.
#include <embedscale/format.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>

namespace embedscale::properties {

/// Whether a finite x is ±2^k exactly, in the range of normal doubles.
inline bool is_power_of_two(double x) {
  int exponent = 0;
  return std::abs(std::frexp(x, &exponent)) == 0.5;
}

/// The significand of a finite non-zero x, in [1, 2).
inline double significand(double x) {
  int exponent = 0;
  return 2.0 * std::abs(std::frexp(x, &exponent));
}

/// Whether x is zero or a normal number of the format: |x| >= its smallest normal, and finite.
/// There, and only there, one rounding is relative: fl(x) = x(1+δ), |δ| <= u/(1+u).
template <class Real>
bool is_normal_or_zero(const Real& x) {
  const double size = std::abs(static_cast<double>(x));
  return size == 0.0 || (size >= FormatTraits<Real>::min_normal && std::isfinite(size));
}

/// γ_n = nu/(1 − nu), infinite from nu = 1 on: n factors 1 + δ, |δ| <= u, or their reciprocals make
/// at most 1 + γ_n.
///
/// Source    Higham 2002, lemma 3.1.
template <class Real>
double gamma(std::size_t n) {
  const double nu = static_cast<double>(n) * unit_roundoff<Real>;
  return nu < 1 ? nu / (1 - nu) : HUGE_VAL;
}

/// Half a unit in the last place of a value of this size, half the smallest subnormal included:
/// no rounding to nearest errs by more. Exact.
template <class Real>
double half_ulp(double x) {
  const double size = std::max(std::abs(x), FormatTraits<Real>::min_normal);
  int exponent = 0;
  std::frexp(size, &exponent);  // size = f·2^exponent with f in [1/2, 1)
  return std::ldexp(1.0, exponent - 1 - FormatTraits<Real>::digits);
}

}  // namespace embedscale::properties
