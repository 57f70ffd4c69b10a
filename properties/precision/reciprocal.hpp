#pragma once
// Up against m times down where p is multiplied by fl(1/m): the bound that depends on m.
#include <embedscale/format.hpp>

#include <algorithm>
#include <cmath>

#include "../evidence/rounding.hpp"

namespace embedscale::properties::precision {

/// |m·fl(1/m) − 1| in units of u: at most f/2, where f is the significand of m.
///
/// Requires  m and 1/m normal. Computed in binary64, exact but for its last rounding in formats of
///           at most 24 digits.
template <Scalar Real>
double reciprocal_error_in_u(const Real& m) {
  const Real reciprocal = Real(1) / m;
  return std::abs(std::fma(static_cast<double>(m), static_cast<double>(reciprocal), -1.0)) /
         unit_roundoff<Real>;
}

/// The bound on |U − Z| in units of u·max(|m·e|, |p|), where Z divides by way of fl(1/m): of the
/// significand f of m and of r = |m·fl(1/m) − 1|/u.
///
/// Requires  u <= 1/64, stays_in_range(e, p, m, by_reciprocal).
///
/// Ensures   max(8/f, min(8, 16r/(6 − 3f))), so 8 at most; 0 for f = 1. No higher-order term.
///
/// Powers of two factor out as in difference::bound_in_u: m = f, M = max(|f·e|, |p|) in [1, 2).
/// Write b(x) for 2^⌊log₂|x|⌋, R = fl(1/f), Q = fl(p·R), D = fl(e + Q). As f·p·R = p(1 ± r·u),
///   |U − Z|/u <= b(fe) + b(fl(fe) + p) + f·b(pR) + r·|p| + f·b(e + Q) + b(fD),
/// one term more than without the reciprocal, at most rM. U and Z are on a grid of 4u from 2 to 4,
/// 2u from 1 to 2, u from 1/2 to 1. Call steep what has rM >= 3 − 3f/2: there 8/M <= 16r/(6 − 3f),
/// and the bound allows 8u.
///
/// 1. M < f. Then |e| and |pR| are below 1, |e + Q| below 2.
///    Both of |U|, |Z| >= 2: 5 + 3f/2 + rM < 10, in steps of 4: 4 <= (8/f)M, or 8, if steep.
///    One of them: 4 + 3f/2 + rM < 9, in steps of 2: 4, or 8, if steep, or 6. The latter exceeds
///    (8/f)M only where M < 3f/4 < 3/2, so that both parts are above 1/2 − u. Then the sum is a
///    multiple of u, or, a part being below 1/2, of u/2, while that part's own terms halve. Ties go
///    to 2, not to 2 − 2u or 2 + 4u; with that, errors that make up 6 are steep.
///    Both below 2: 3 + 3f/2 + rM < 8, in steps of 2 from 1 on: 4, or 6, if steep. With one below
///    1, |e + Q| < 1 or f < 1 + 6u; so 5/2 + f + rM in steps of 1: 4, or more, if steep; or below
///    5, which f so near 1 allows. With both below 1, 2 + f + rM < 5 − f/2 < 8/f, unless steep.
/// 2. M >= f: 5 + 3f + rM < 13. Both >= 2, in steps of 4: 8 <= (8/f)M, or 12 where rM >= 7 − 3f:
///    12/M < 16r/(6 − 3f), and 12/M < 7, as r <= f/2 and M < 2 make f > 7/4. (fD may exceed 4 + 4u
///    and Z be 4 + 8u, if rM > 6 − 3f; then U >= 4 − 4u, M > 3/2 and 12 <= 8M.) One: 4 + 3f + rM <
///    12, in steps of 2: 8, or 10 where rM >= 6 − 3f: 10/M < 16r/(6 − 3f), and f > 3/2 makes it
///    less than 7. Both below 2: |e + Q| < 2, 3 + 2f + rM is at most 8, or steep and below 9 <= 8M.
constexpr double bound_in_u_by_reciprocal(double f, double r) {
  if (f == 1.0) return 0.0;
  return std::max(8.0 / f, std::min(8.0, 16.0 * r / (6.0 - 3.0 * f)));
}

}  // namespace embedscale::properties::precision
