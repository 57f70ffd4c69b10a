#pragma once
// Features that are divided by m ahead of a merge and multiplied by it behind: the measures.
#include <embedscale/format.hpp>

#include <array>
#include <cmath>
#include <limits>

#include "../evidence/rounding.hpp"
#include "primitives.hpp"

namespace embedscale::properties::combination {

/// fl(m·fl(q/m)).
template <Scalar Real>
Real divided_and_multiplied(const Real& q, const Real& m, const PrimitivesIn<Real>& primitives) {
  return primitives.merged_feature(q, m, MultiplierPlace::behind_merge, Features::divided);
}

/// Whether fl(m·fl(q/m)) is q for every q that keeps both operations in the normal range: if and
/// only if the significand f of m is 1, or the largest, 2 − 2u.
///
/// Let 1 <= q < 2, which scaling by a power of two allows. With f = 1 nothing is rounded. If q < f,
/// q/f is below 1 and its error at most u/2, so that f·fl(q/f) is less than u from q, half of what
/// numbers are apart there: it rounds to q, but for q = 1, below which they are u apart. With
/// f = 2 − 2u only q = f is not below f, and its quotient is 1; and of q = 1 the quotient is ½ + u,
/// whose product 1 + u − 2u² rounds to 1. At all other f telling_features has a q that fails.
template <Scalar Real>
bool keeps_every_bit(const Real& m) {
  const double f = significand(static_cast<double>(m));
  return f == 1.0 || f == 2.0 - 2.0 * unit_roundoff<Real>;
}

/// Two features, of which one at least changes wherever keeps_every_bit is false.
///
/// In units of 2u let N, Q and S = N − 1/(2u) be f, q and f − 1, and q = f + 2ut. The residual
/// q − f·fl(q/f), in units of 4u², is Q/(2u) modulo N, in [−N/2, N/2]; and that is −tS, as 1/(2u)
/// is −S. It changes q where it is more than 1/(4u) in size, half a unit of q, so where tS falls
/// into the open interval ((N − S)/2, (N + S)/2). Steps of S pass that, which is S long, with
/// t = ⌊1/(4uS)⌋ + 1, and miss it only where S is a power of two: then t and t − 1 are on its ends,
/// ties, and that of an odd Q goes to the even neighbour. As S < 1/(2u) − 1 there is room for t,
/// where there are four digits or more.
template <Scalar Real>
std::array<Real, 2> telling_features(const Real& m) {
  const double f = significand(static_cast<double>(m));
  const double t = f == 1.0 ? 0.0 : std::floor(0.5 / (f - 1.0)), step = 2.0 * unit_roundoff<Real>;
  return {static_cast<Real>(f + t * step), static_cast<Real>(f + (t + 1.0) * step)};
}

/// |fl(m·fl(q/m)) − q| over its bound.
///
/// Each operation's result is x(1 + δ) with |δ| <= v = u/(1 + u), or below the normal range x + ε
/// with |ε| <= η/2, η the smallest subnormal number. In the normal range that is (2v + v²)|q| <=
/// 2u|q|; an ε of the quotient comes to m(1 + u)η/2, one of the product to η/2. In long double,
/// whose range holds η/2 of binary64.
template <Scalar Real>
double feature_share_of_bound(const Real& q, const Real& m, const PrimitivesIn<Real>& primitives) {
  const auto wide = [](const Real& x) { return static_cast<long double>(static_cast<double>(x)); };
  const long double exact = wide(q), by = wide(m), u = unit_roundoff<Real>,
                    least = wide(std::numeric_limits<Real>::denorm_min()),
                    normal = FormatTraits<Real>::min_normal;
  long double bound = 2 * u * std::abs(exact);
  if (std::abs(exact / by) < normal) bound += std::abs(by) * (1 + u) * least / 2;
  if (std::abs(exact) < normal) bound += least / 2;
  const long double off = std::abs(wide(divided_and_multiplied(q, m, primitives)) - exact);
  return off == 0 ? 0.0 : static_cast<double>(off / bound);
}

}  // namespace embedscale::properties::combination
