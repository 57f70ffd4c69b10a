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
/// Gappa proves it for one binade (rounding_bound_by_m.g.in says why that is enough): U and Z lie
/// on one grid, of step 4u in [2, 4], 2u in [1, 2], u in [1/2, 1], which relative errors miss. It
/// is attained, but for what the grid of e and p leaves, just above e = 1 and p = m. The same in
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
