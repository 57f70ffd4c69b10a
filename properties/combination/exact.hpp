#pragma once
// The measures of the claims over the reals: functions of a sample and of the primitives under
// test, asserted by the properties, counted by the analysis, run on wrong primitives by the
// mutants. With an exact Scalar each decides its claim at that sample, without a tolerance.
#include <embedscale/format.hpp>

#include <array>
#include <cmath>
#include <vector>

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

/// Whether up is m·e + p and both ways down are e + p/m, in exact arithmetic: what is compared is
/// then what is meant. (Two wrong ways may well agree with each other.)
template <Scalar Real>
bool are_what_they_say(const Real& e, const Real& p, const Real& m,
                       const PrimitivesIn<Real>& primitives) {
  const Real meant = m * e + p;
  return primitives.up(e, p, m) == meant && m * primitives.down(e, p, m) == meant &&
         m * primitives.down_by_reciprocal(e, p, m) == meant && primitives.sum(e, p) == e + p;
}

/// Whether dropout multiplies a kept channel by s and makes a dropped one 0.
template <Scalar Real>
bool dropout_is_what_it_says(const Real& x, const Real& s, const PrimitivesIn<Real>& primitives) {
  return primitives.dropout(x, DropoutMask::kept, s) == s * x &&
         primitives.dropout(x, DropoutMask::dropped, s) == Real(0);
}

/// Both orders of factor and dropout on one kept channel: fl(fl(m·x)·s) and fl(m·fl(x·s)).
template <Scalar Real>
TwoWays<Real> dropout_two_ways(const Real& x, const Real& m, DropoutMask mask, const Real& s,
                               const PrimitivesIn<Real>& primitives) {
  const Real scaled = m * x;
  return {primitives.dropout(scaled, mask, s), m * primitives.dropout(x, mask, s)};
}

/// x_i·y_j − x_j·y_i: zero for every pair of channels exactly when x ∥ y.
template <Scalar Real>
Real minor(const std::vector<Real>& x, const std::vector<Real>& y, std::size_t i, std::size_t j) {
  return x[i] * y[j] - x[j] * y[i];
}

/// Weights of a token and a position part: up has (m, 1), down (1, 1/m), no multiplier (1, 1).
template <Scalar Real>
struct Weights {
  Real token, position;
};

/// Whether the 2×2 minor of a·e + b·p and a′·e + b′·p is (ab′ − a′b) times that of e and p, for two
/// channels. Then all minors vanish, whatever e and p, exactly when ab′ = a′b.
template <Scalar Real>
bool minors_follow_the_ratio(const Weights<Real>& first, const Weights<Real>& second,
                             const std::vector<Real>& e, const std::vector<Real>& p,
                             const PrimitivesIn<Real>& primitives) {
  std::vector<Real> x, y;
  for (std::size_t j = 0; j < 2; ++j) {
    x.push_back(primitives.sum(Real(first.token * e[j]), Real(first.position * p[j])));
    y.push_back(primitives.sum(Real(second.token * e[j]), Real(second.position * p[j])));
  }
  const Real ratio = first.token * second.position - second.token * first.position;
  return minor(x, y, 0, 1) == ratio * minor(e, p, 0, 1);
}

/// Whether up and down make the same angle with y, for m > 0: cos² cross-multiplied, which stays
/// rational, <up,y>²·‖down‖² = <down,y>²·‖up‖², and the signs of <up,y> and <down,y>.
template <Scalar Real>
bool cosines_agree(const std::vector<Real>& e, const std::vector<Real>& p,
                   const std::vector<Real>& y, const Real& m,
                   const PrimitivesIn<Real>& primitives) {
  Real up_dot(0), down_dot(0), up_square(0), down_square(0);
  for (std::size_t j = 0; j < e.size(); ++j) {
    const Real u = primitives.up(e[j], p[j], m), v = primitives.down(e[j], p[j], m);
    up_dot = up_dot + u * y[j];
    down_dot = down_dot + v * y[j];
    up_square = up_square + u * u;
    down_square = down_square + v * v;
  }
  return up_dot * up_dot * down_square == down_dot * down_dot * up_square &&
         (up_dot > Real(0)) == (down_dot > Real(0)) && (up_dot < Real(0)) == (down_dot < Real(0));
}

/// Whether `near` is at most as far from x as `far` is.
template <Scalar Real>
bool is_nearer(const Real& x, const Real& near, const Real& far) {
  return (x - near) * (x - near) <= (x - far) * (x - far);
}

/// One channel of an input: its token and its position part.
template <Scalar Real>
struct Parts {
  Real e, p;
};

/// Whether x has the same neighbour among two candidates when all three are combined by up as when
/// all three are combined by down: their squared distances differ by m².
template <Scalar Real>
bool neighbours_agree(const Parts<Real>& x, const Parts<Real>& near, const Parts<Real>& far,
                      const Real& m, const PrimitivesIn<Real>& primitives) {
  const auto up = [&](const Parts<Real>& v) { return primitives.up(v.e, v.p, m); };
  const auto down = [&](const Parts<Real>& v) { return primitives.down(v.e, v.p, m); };
  return is_nearer(up(x), up(near), up(far)) == is_nearer(down(x), down(near), down(far));
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

/// Whether the two orders differ by exactly (m − 1)·p: by nothing only at m = 1 or p = 0.
template <Scalar Real>
bool orders_differ_as_stated(const Real& e, const Real& p, const Real& m,
                             const PrimitivesIn<Real>& primitives) {
  const auto [after, before] = scaled_after_and_before(e, p, m, primitives);
  return after - before == (m - Real(1)) * p;
}

}  // namespace embedscale::properties::combination
