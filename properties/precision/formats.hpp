#pragma once
// The formats that the claims about single values are made for: those that double can judge.
#include <embedscale/format.hpp>

#include <cmath>
#include <cstdint>
#include <type_traits>

namespace embedscale::properties::precision {

/// Calls visit.template operator()<Real>() for binary32, binary16 and bfloat16, whose products and
/// squares of midpoints are exact in double.
template <class Visit>
void for_each_narrow_format(Visit visit) {
  visit.template operator()<float>();
  visit.template operator()<binary16>();
  visit.template operator()<bfloat16>();
}

/// The two of 8 bits.
template <class Visit>
void for_each_tiny_format(Visit visit) {
  visit.template operator()<e4m3>();
  visit.template operator()<e5m2>();
}

/// The number with these bits.
template <class Real>
Real number(std::uint64_t bits) {
  return Real::from_bits(static_cast<typename Real::Bits>(bits));
}

/// The next number after x, further from 0 or nearer to it: in their order that of their encodings.
template <class Real>
Real next(const Real& x, bool further) {
  if constexpr (std::is_same_v<Real, float>)
    return std::nextafter(x, further ? std::copysign(HUGE_VALF, x) : 0.0f);
  else
    return number<Real>(x.bits() + (further ? 1 : -1));
}

/// x rounded to another format first.
template <class Other, class Real>
Real by_way_of(double x) {
  return static_cast<Real>(static_cast<double>(static_cast<Other>(x)));
}

/// Whether x rounds to a number of the format.
template <class Real>
bool fits(double x) {
  return std::isfinite(static_cast<double>(static_cast<Real>(x)));
}

}  // namespace embedscale::properties::precision
