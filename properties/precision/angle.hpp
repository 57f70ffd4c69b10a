#pragma once
// The angle p·w in a format, with three ways to its frequency: how far each is from the exact one.
#include <embedscale/format.hpp>
#include <embedscale/scalar.hpp>

#include <cmath>
#include <type_traits>

#include "../over.hpp"
#include "exact_table.hpp"

namespace embedscale::properties::precision::angle {

/// Ways to w_i of the paper's rule, and the angle.
template <AnalyticScalar Real>
struct Operations {
  using Frequency = Operation<Real(std::size_t i, std::size_t d)>;

  /// base^(−i/(d/2)).
  Frequency by_pow = [](std::size_t i, std::size_t d) {
    using std::pow;
    return static_cast<Real>(
        pow(Real(10000), -(Real(static_cast<int>(i)) / Real(static_cast<int>(d / 2)))));
  };
  /// exp(2i·(−ln base/d)), as in PyTorch's tutorials.
  Frequency by_exp = [](std::size_t i, std::size_t d) {
    using std::exp, std::log;
    const Real step = -log(Real(10000)) / Real(static_cast<int>(d));
    return static_cast<Real>(exp(Real(static_cast<int>(2 * i)) * step));
  };
  /// w_(i−1) times base^(−1/(d/2)).
  Frequency by_recurrence = [](std::size_t i, std::size_t d) {
    using std::pow;
    const Real factor = pow(Real(10000), -(Real(1) / Real(static_cast<int>(d / 2))));
    Real w(1);
    for (std::size_t j = 0; j < i; ++j) w = w * factor;
    return w;
  };
  Operation<Real(std::int64_t p, const Real& w)> angle = [](std::int64_t p, const Real& w) {
    return Real(static_cast<int>(p)) * w;
  };

  void list(Members& to) { EMBEDSCALE_LIST(to, by_pow, by_exp, by_recurrence, angle); }
};

struct Primitives : Over<Operations, double, float> {};
template <AnalyticScalar Real>
using PrimitivesIn = std::type_identity_t<Operations<Real>>;

enum class FrequencyBy { pow, exp, recurrence };

template <AnalyticScalar Real>
Real frequency(FrequencyBy way, std::size_t i, std::size_t d,
               const PrimitivesIn<Real>& primitives) {
  if (way == FrequencyBy::pow) return primitives.by_pow(i, d);
  return way == FrequencyBy::exp ? primitives.by_exp(i, d) : primitives.by_recurrence(i, d);
}

/// The angle's bound over p·w·u, to first order, and one part in 2^8 for the higher ones. With
/// L = −ln w; libm's functions are taken to be within one ulp, at most 2u (glibc documents it):
///   pow         its exponent is off by u, which is L·u of w, and pow 2u; the product with p, u;
///   exp         log 2u, quotient and product u each, on an exponent of size L: 4L·u; exp 2u; u;
///   recurrence  the factor is off by (L₁ + 2)u, L₁ = 2·ln base/d, and i of them, with a rounding
///               of each product but the first, by (L + 2i + i)u; u.
/// At i = 0 all three are 1, and the angle is p.
inline double bound_over_pwu(FrequencyBy way, std::size_t i, std::size_t d) {
  if (i == 0) return 0.0;
  const double log = 2.0 * static_cast<double>(i) / static_cast<double>(d) * std::log(1e4);
  const double units = way == FrequencyBy::pow   ? log + 3.0
                       : way == FrequencyBy::exp ? 4.0 * log + 3.0
                                                 : log + 3.0 * static_cast<double>(i) + 1.0;
  return units * (1.0 + 0x1p-8);
}

/// How far the angle is off, in radians; w is exact.
///
/// Requires  p <= 2^24, that binary32 has it.
template <AnalyticScalar Real>
double angle_error(FrequencyBy way, std::size_t i, std::size_t d, std::int64_t p,
                   const Decimal50& w, const PrimitivesIn<Real>& primitives) {
  const Real angle = primitives.angle(p, frequency<Real>(way, i, d, primitives));
  return std::abs(static_cast<double>(Decimal50(static_cast<double>(angle)) - w * p));
}

/// The same over its bound.
template <AnalyticScalar Real>
double angle_share(FrequencyBy way, std::size_t i, std::size_t d, std::int64_t p,
                   const Decimal50& w, const PrimitivesIn<Real>& primitives) {
  const double error = angle_error<Real>(way, i, d, p, w, primitives);
  const double bound = static_cast<double>(p) * static_cast<double>(w) * unit_roundoff<Real> *
                       bound_over_pwu(way, i, d);
  return error == 0.0 ? 0.0 : error / bound;
}

}  // namespace embedscale::properties::precision::angle
