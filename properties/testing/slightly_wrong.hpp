#pragma once
// What defects make of a right number.
#include <cmath>

#include "../evidence/rounding.hpp"

namespace embedscale::properties::testing {

/// x high by one part in 2^`digits`: a defect in number types that have so many digits.
template <int digits, class Real>
Real high(const Real& x) {
  return x + x * static_cast<Real>(std::ldexp(1.0, -digits));
}

/// x as a narrower format has it.
template <class Narrow, class Real>
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
template <class Real>
Real off_at_one_factor(const Real& x, const Real& m) {
  const Real one = Real(29) / Real(11);
  return m == one || m == Real(-one) ? high<40>(x) : x;
}

}  // namespace embedscale::properties::testing
