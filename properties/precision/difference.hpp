#pragma once
// Up against m times down, over every pair of a format's numbers: the bound that depends on the
// significand of m, and what is found of it.
#include <embedscale/format.hpp>

#include <algorithm>
#include <cmath>

#include "../combination/rounding.hpp"
#include "../domain/encoding.hpp"

namespace embedscale::properties::precision::difference {

using combination::Division, combination::PrimitivesIn, combination::stays_in_range;

/// B(f): |U − Z| <= B(f)·u·max(|m·e|, |p|), where m = 2^E·f, 1 <= f < 2.
///
/// Requires  u <= 1/8, rounding to nearest with ties to even, stays_in_range(e, p, m, by_m).
///
/// Ensures   0 for f = 1 (combination.rounds_identically), else 8/f, with no higher-order term.
///
/// Where no product and no quotient leaves the normal range, a sum below it is exact, and both ways
/// are those of a format without limits to its exponent. There powers of two factor out: m = f and
/// M = max(|t|, |p|) is in [1, 2), where t = f·e. Write b₂(x) for 2^⌊log₂|x|⌋: one rounding of
/// x errs by at most u·b₂(x). With
///   U = fl(a), a = fl(t) + p,    Z = fl(b), b = f·D, D = fl(w), w = e + fl(p/f)
/// a − b = ε₁ − f·ε₃ − f·ε₄, the errors of t, p/f and w. What relative errors do not show: U and Z
/// lie on one grid, of step 4u in [2, 4], 2u in [1, 2], u in [1/2, 1].
///
/// 1. M < f: there |e|, |p/f| < 1 and |w| < 2, so that |a − b| <= u(1 + f/2 + f) < 4u, and (8/f)uM
///    is above 4u.
///    Both of |a|, |b| >= 2: less than one step apart, so that |U − Z| <= 4u.
///    Both in [1, 2): less than two steps, |U − Z| <= 4u. One or both below 1: then |w| < 1, as
///    else |b| >= f and |a| >= f − u(1 + f/2) > 1; |a − b| <= u(1 + f), and the last two roundings
///    add u(1/2 + 1) at most: below 4.5u on a grid of u; or both are below 1, |U − Z| <= u(2 + f).
///    One >= 2, the other below: numbers less than 4u apart round to numbers that are at most 4u
///    apart, but for 2 + 4u and 2 − 2u. These 6u are no more than (8/f)uM where M >= 3f/4. Where M
///    is less, hence below 3/2, both t and p are at least 1/2, and a is a multiple of u. As ties
///    go to 2 from either side, the greater of a, b is above 2 + 2u, the smaller below 2 − u; so
///    that a is at least 2 + 3u or at most 2 − 2u, and |a − b| > 4u after all, which cannot be.
/// 2. M >= f, where (8/f)uM is at least 8u: there |p/f| < 2 and |w| < 4, |a − b| <= u(1 + f + 2f),
///    and |U − Z| <= u(5 + 3f) < 11u. Both of |U|, |Z| >= 2: a multiple of 4u, hence at most 8u. (b
///    may reach 4, but not 4 + 4u, as |b − t − p| <= 3fu and |t + p| < 4 − 2u; then Z = 4 is on the
///    grid, and as a > 4 − 7u, U is no lower than 4 − 8u.) One below 2: then |w| < 2, as else
///    |Z| >= 2f and |a| >= 2f − u(1 + f) > 2; and |U − Z| <= u(4 + 2f) < 8u.
///
/// It is attained, but for what the grid of e and p leaves, just above e = 1 and p = m. The same in
/// other words: |U − Z| <= 8u·2^E·max(|e|, |p/m|). It does not grow with f; the larger term does.
constexpr double bound_in_u(double f) { return f == 1.0 ? 0.0 : 8.0 / f; }

/// |U − Z| in units of u·max(|m·e|, |p|); 0 where both are 0.
///
/// Requires  stays_in_range(e, p, m, by_m). Computed in binary64, in formats of at most 24 digits
///           with no other error than the last division's.
template <Scalar Real>
double error_in_u(const Real& e, const Real& p, const Real& m,
                  const PrimitivesIn<Real>& primitives) {
  const auto [u, z] = combination::two_ways(e, p, m, Division::by_m, primitives);
  const double largest = std::max(std::abs(static_cast<double>(m) * static_cast<double>(e)),
                                  std::abs(static_cast<double>(p)));
  const double apart = std::abs(static_cast<double>(u) - static_cast<double>(z));
  return apart == 0.0 ? 0.0 : apart / (unit_roundoff<Real> * largest);
}

/// The same as a share of the bound, which is 8u·2^E·max(|e|, |p/m|): the claim holds at this
/// sample while it is <= 1. To divide by a power of two is exact, and a quotient of two numbers
/// that is not above 1 does not round above it; nor does |p/m| round below a number that it is not
/// below.
template <Scalar Real>
double share_of_bound(const Real& e, const Real& p, const Real& m,
                      const PrimitivesIn<Real>& primitives) {
  const auto [u, z] = combination::two_ways(e, p, m, Division::by_m, primitives);
  const double factor = static_cast<double>(m), f = significand(factor);
  const double apart = std::abs(static_cast<double>(u) - static_cast<double>(z));
  if (apart == 0.0) return 0.0;
  if (f == 1.0) return HUGE_VAL;  // the bound is 0
  const double unit = combination::bound_in_u * unit_roundoff<Real> * (factor / f);
  return apart / unit /
         std::max(std::abs(static_cast<double>(e)), std::abs(static_cast<double>(p)) / factor);
}

}  // namespace embedscale::properties::precision::difference
