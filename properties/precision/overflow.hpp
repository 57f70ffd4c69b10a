#pragma once
// Where a token, a multiplier and a dot product leave the range of a format, up and down, and what
// scaled positions lose at its other end: the primitives under test, the derivations, the measures.
//
// Write Ω for a format's largest number, η for its smallest, u for its unit roundoff, and
//
//   T = Ω + ulp(Ω)/2
//
// Rounding to nearest is rounding on the grid as it would go on beyond Ω, where the next point is
// Ω + ulp(Ω) and stands for no number. So fl(x) is a number where |x| < T and none where |x| > T;
// at |x| = T the tie goes to the even encoding, which is Ω's in e4m3 (1.110₂·2⁸) and not in a
// format of IEEE 754 (1.1…1₂). T is 65520 in binary16, 61440 in e5m2, 464 in e4m3 and 3.4e38 in
// bfloat16.
#include <embedscale/attention.hpp>
#include <embedscale/embedding.hpp>
#include <embedscale/format.hpp>

#include <cmath>
#include <cstdint>
#include <limits>
#include <span>
#include <type_traits>
#include <vector>

#include "../combination/rounding.hpp"
#include "formats.hpp"

namespace embedscale::properties::precision::overflow {

/// One channel combined up and down, the multiplier and the product that a logit is made of.
template <Scalar Real>
struct Operations : combination::Operations<Real> {
  Operation<Real(std::uint64_t d)> multiplier = root_multiplier<Real>;
  Operation<Real(std::span<const Real> q, std::span<const Real> k)> dot = embedscale::dot<Real>;

  void list(Members& to) {
    combination::Operations<Real>::list(to);
    EMBEDSCALE_LIST(to, multiplier, dot);
  }
};
template <Scalar Real>
inline constexpr Operations<Real> library{};

struct Primitives : Over<Operations, binary16, bfloat16, e5m2, e4m3> {};
/// What a measure takes; Primitives convert.
template <Scalar Real>
using PrimitivesIn = std::type_identity_t<Operations<Real>>;

/// Calls visit.template operator()<Real>() for the formats that may overflow where binary32 does
/// not, and for bfloat16, which does not either.
template <class Visit>
void for_each_small_format(Visit visit) {
  visit.template operator()<binary16>();
  visit.template operator()<bfloat16>();
  visit.template operator()<e5m2>();
  visit.template operator()<e4m3>();
}

/// T. Exact.
template <class Real>
double overflows_from() {
  const auto largest = static_cast<double>(std::numeric_limits<Real>::max());
  return largest + half_ulp<Real>(largest);
}

/// Whether a tie at T goes to Ω.
template <class Real>
bool keeps_the_tie() {
  return Real::max().bits() % 2 == 0;
}

/// Whether fl(x) is a number of the format.
template <class Real>
bool rounds_to_a_number(double x) {
  const double size = std::abs(x), from = overflows_from<Real>();
  return size < from || (size == from && keeps_the_tie<Real>());
}

/// Whether fl(fl(m·e) + p) is a number exactly where that can be: where fl(m·e) is one and the sum
/// with it stays below T as well. With |p| <= 1 the first decides alone: |fl(m·e)| <= Ω, and half
/// an ulp of Ω is 16 at least, so that no such p carries a sum to T.
///
/// Requires  finite e, p, m. Their products and sums are exact in double where it matters: a
///           product has 22 digits; a sum that double rounds has terms 2^45 apart, and is not near
///           T.
template <Scalar Real>
bool up_is_as_stated(const Real& e, const Real& p, const Real& m,
                     const PrimitivesIn<Real>& primitives) {
  const double product = static_cast<double>(m) * static_cast<double>(e);
  bool stated = rounds_to_a_number<Real>(product);
  if (stated) {
    const auto token = static_cast<double>(static_cast<Real>(product));
    stated = rounds_to_a_number<Real>(token + static_cast<double>(p));
  }
  return isfinite(primitives.up(e, p, m)) == stated;
}

/// The largest number from 0 on that survives, where none beyond it does.
template <Scalar Real, class Survives>
Real largest_that(Survives survives) {
  std::uint64_t last = 0, beyond = Real::max().bits() + std::uint64_t{1};
  while (beyond - last > 1) {
    const std::uint64_t middle = (last + beyond) / 2;
    (survives(number<Real>(middle)) ? last : beyond) = middle;
  }
  return number<Real>(last);
}

/// The largest token that m leaves a number, by the statement: rounding is monotone, so that all
/// tokens up to it are left one, and none beyond.
///
/// Requires  1 <= m, finite.
template <Scalar Real>
Real largest_token(const Real& m) {
  return largest_that<Real>([&](const Real& e) {
    return rounds_to_a_number<Real>(static_cast<double>(m) * static_cast<double>(e));
  });
}

/// The largest d with a number for fl(√d): √d < T, so d < T², a whole number (d <= T² where the tie
/// stays). A root just below T is T − 1/(2T), which double tells from T while T² < 2^52.
///
/// Ensures   0 where every d of 64 bits has one.
template <class Real>
std::uint64_t largest_width() {
  const double square = overflows_from<Real>() * overflows_from<Real>();
  if (square >= 0x1p52) return 0;
  return static_cast<std::uint64_t>(square) - (keeps_the_tie<Real>() ? 0 : 1);
}

enum class Outcome { finite, overflows, undecided };

/// What rounding lets be said of a dot product of n terms whose products are normal numbers or 0,
/// of one sign if it is to overflow.
///
/// With A = Σ|q_i·k_i| every product and every sum before it is rounded is at most A(1 + u)^(n−1)
/// in size: each term has one rounding as a product and at most n − 1 in sums, of which the last
/// comes after. So with A(1 + u)^n < T nothing overflows. Terms of one sign only add up, to
/// A(1 − u)^n at least as long as nothing overflows; if that is T or more, something did. (1 + u)^n
/// and (1 − u)^n have room for the roundings of A itself, as n·2^-53 is far below u.
template <Scalar Real>
Outcome stated_outcome(std::span<const Real> q, std::span<const Real> k) {
  double sum = 0;  // A: in double each product is exact
  for (std::size_t i = 0; i < q.size(); ++i)
    sum += std::abs(static_cast<double>(q[i]) * static_cast<double>(k[i]));
  const double from = overflows_from<Real>();
  const auto n = static_cast<double>(q.size());
  if (sum * std::pow(1 + unit_roundoff<Real>, n) < from) return Outcome::finite;
  if (sum * std::pow(1 - unit_roundoff<Real>, n) >= from) return Outcome::overflows;
  return Outcome::undecided;
}

/// The largest x for which n products x·x, summed in the format from left to right, are a number:
/// found, not derived. A larger x makes no product and no partial sum smaller, so one search does.
template <Scalar Real>
Real largest_in_dot(std::size_t n, const PrimitivesIn<Real>& primitives) {
  return largest_that<Real>([&](const Real& each) {
    const std::vector<Real> x(n, each);
    return isfinite(primitives.dot(x, x));
  });
}

/// What n ones add up to, in the format from left to right: no more than 1/u, from where on each is
/// half an ulp, a tie that goes to the even sum that is there.
template <Scalar Real>
double sum_of_ones(std::size_t n, const PrimitivesIn<Real>& primitives) {
  const std::vector<Real> ones(n, Real(1));
  return static_cast<double>(primitives.dot(ones, ones));
}

/// Whether fl(p/m) is 0 exactly where |p/m| <= η/2, the tie included, as 0 is even; p != 0. The
/// condition is |p| <= m·η/2, which double evaluates exactly.
template <Scalar Real>
bool down_vanishes_as_stated(const Real& p, const Real& m, const PrimitivesIn<Real>& primitives) {
  const auto least = static_cast<double>(std::numeric_limits<Real>::denorm_min());
  const bool stated =
      p != Real(0) && std::abs(static_cast<double>(p)) <= static_cast<double>(m) * (least / 2);
  return combination::faint_position(p, m, primitives).vanished() == stated;
}

}  // namespace embedscale::properties::precision::overflow
