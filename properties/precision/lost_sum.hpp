#pragma once
// What is left of a position p in the rounded sum with a token t: the measures, functions of a
// sample and of the primitives under test.
#include <embedscale/combination.hpp>
#include <embedscale/format.hpp>

#include <cmath>
#include <cstdint>
#include <limits>
#include <numbers>
#include <type_traits>
#include <vector>

#include "../domain/encoding.hpp"
#include "../evidence/rounding.hpp"
#include "../over.hpp"
#include "formats.hpp"

namespace embedscale::properties::precision::lost_sum {

template <Scalar Real>
struct Operations {
  Real (*sum)(const Real& t, const Real& p) = embedscale::sum<Real>;
};
struct Primitives : Over<Operations, float, binary16, bfloat16, e4m3, e5m2> {};
template <Scalar Real>
using PrimitivesIn = std::type_identity_t<Operations<Real>>;

/// fl(t + p) − (t + p), rounded once to double: t + p is taken as the two doubles that it is the
/// exact sum of (Knuth's TwoSum), and fl(t + p) is near enough to the first to be subtracted from
/// it exactly. As rounding is monotone it is above no double that the exact error is not above.
///
/// Requires  t, p, and their sum finite.
template <Scalar Real>
double error_of_sum(const Real& t, const Real& p, const PrimitivesIn<Real>& primitives) {
  const auto a = static_cast<double>(t), b = static_cast<double>(p);
  const double s = a + b, part = s - a;
  const double rest = (a - (s - part)) + (b - part);
  return (static_cast<double>(primitives.sum(t, p)) - s) - rest;
}

/// |fl(t + p) − (t + p)| over its bound, u/(1+u)·|t + p|.
///
/// The bound holds below the normal range, too: a sum of two numbers of the format that falls there
/// is exact. It is attained at t + p = 2^k·(1 + u), where nothing here rounds; every other share is
/// at least u below 1, double's rounding far less.
template <Scalar Real>
double share_of_sum_bound(const Real& t, const Real& p, const PrimitivesIn<Real>& primitives) {
  constexpr double u = unit_roundoff<Real>;
  const double error = std::abs(error_of_sum(t, p, primitives));
  const double size = std::abs(static_cast<double>(t) + static_cast<double>(p));
  return error == 0.0 ? 0.0 : error * (1.0 + u) / (u * size);
}

/// Whether no more than either part is lost. t itself is a number of the format, |p| away from
/// t + p, and the nearest is no further; likewise p.
template <Scalar Real>
bool is_off_by_no_more_than_a_part(const Real& t, const Real& p,
                                   const PrimitivesIn<Real>& primitives) {
  const double error = std::abs(error_of_sum(t, p, primitives));
  return error <= std::abs(static_cast<double>(t)) && error <= std::abs(static_cast<double>(p));
}

/// Whether −p is between t/2 and 2t: then t + p is a number of the format.
///
/// Source    Sterbenz; Higham 2002, theorem 2.5.
template <Scalar Real>
bool nearly_cancel(const Real& t, const Real& p) {
  const auto a = static_cast<double>(t), b = -static_cast<double>(p);
  return a > 0.0 ? a / 2.0 <= b && b <= 2.0 * a : 2.0 * a <= b && b <= a / 2.0;
}

/// Whether p leaves no trace: fl(t + p) = t.
template <Scalar Real>
bool is_lost(const Real& t, const Real& p, const PrimitivesIn<Real>& primitives) {
  return primitives.sum(t, p) == t;
}

/// How p stands to the midpoint between t and t's neighbour on p's side.
enum class Reach { short_of_midpoint, at_midpoint, beyond_midpoint };

/// The neighbour is an ulp of t away; on the side of 0 half of that where t is a normal power of
/// two, but for the smallest.  Requires finite numbers.
template <Scalar Real>
Reach reach_of(const Real& t, const Real& p) {
  const auto a = static_cast<double>(t), b = static_cast<double>(p);
  const bool narrow =
      is_power_of_two(a) && std::abs(a) > FormatTraits<Real>::min_normal && (a < 0.0) != (b < 0.0);
  const double half = narrow ? half_ulp<Real>(a) / 2.0 : half_ulp<Real>(a);
  if (std::abs(b) == half) return Reach::at_midpoint;
  return std::abs(b) < half ? Reach::short_of_midpoint : Reach::beyond_midpoint;
}

/// Whether rounding to nearest, ties to even, has to make t of t + p: p ends short of the midpoint,
/// or at it while t is the even one of the two.
template <Scalar Real>
bool has_to_be_lost(const Real& t, const Real& p) {
  const auto reach = reach_of(t, p);
  return reach == Reach::short_of_midpoint ||
         (reach == Reach::at_midpoint && domain::bits_of(t) % 2 == 0);
}

/// Whether the error is what p is off the nearest whole multiple of t's ulp, for t + p in t's
/// binade: its ulp is then t's, and t a multiple of it.
///
/// True as well where t + p leaves the binade: nothing is said there.
template <Scalar Real>
bool is_off_by_the_distance(const Real& t, const Real& p, const PrimitivesIn<Real>& primitives) {
  const auto a = static_cast<double>(t), b = static_cast<double>(p);
  if (!is_normal_or_zero(t) || a == 0.0 || a + b == 0.0 || std::ilogb(a + b) != std::ilogb(a) ||
      std::signbit(a + b) != std::signbit(a))
    return true;
  const double ulp = 2.0 * half_ulp<Real>(a);
  return std::abs(error_of_sum(t, p, primitives)) == std::abs(std::remainder(b, ulp));
}

/// Whether the ratio alone settles it, and how it then must be: with 2^k <= |t| < 2^(k+1) the
/// midpoint is u·2^k away, or half of that below a power of two. So p is kept while |t| < |p|/u,
/// and is lost from |t| >= 2|p|/u on; at the power of two p ends at the midpoint at most, and 2^k
/// is even. Between the two t's digits decide.
template <Scalar Real>
bool follows_the_ratio(const Real& t, const Real& p, const PrimitivesIn<Real>& primitives) {
  const double token = std::abs(static_cast<double>(t)) * unit_roundoff<Real>;
  const double position = std::abs(static_cast<double>(p));
  const bool lost = is_lost(t, p, primitives);
  if (token < position) return !lost;
  return token < 2.0 * position || lost;
}

/// A position's values, equally likely, as real numbers. As many are positive as negative.
struct Positions {
  std::vector<double> values;

  double mean_square() const {
    double sum = 0.0;
    for (const double p : values) sum += p * p;
    return sum / static_cast<double>(values.size());
  }
};

/// A sinusoid's channel over whole periods, at so many phases: RMS 1/√2.
inline Positions sinusoid(std::size_t phases) {
  Positions made;
  for (std::size_t i = 0; i < phases; ++i)
    made.values.push_back(std::sin(2.0 * std::numbers::pi * (static_cast<double>(i) + 0.5) /
                                   static_cast<double>(phases)));
  return made;
}

/// The probability of a < |t| < b for a normal t of this deviation. Of the upper tail, so that
/// nothing cancels far out.
inline double mass_between(double a, double b, double deviation) {
  const double scale = 1.0 / (std::numbers::sqrt2 * deviation);
  return std::erfc(a * scale) - std::erfc(b * scale);
}

/// RMS of fl(t + p) − (t + p) over RMS of p, where t is a normal number of this deviation rounded
/// to the format once, and p one of these positions rounded to it once: every finite t of the
/// format, weighed by the probability of what rounds to it. Left out are those too rare and too
/// small to matter: no error is above |t|, so that all of them together, 2^15 at most, have a mean
/// square below 2^15·10^−24, less than 10^−11 of the rest where the loss is above 10^−4.
///
/// t >= 0 stands for −t as well: positions are as often −p as p, and rounding is symmetrical.
/// Requires  a format of at most 16 bits, in whose range the tokens are.
template <Scalar Real>
double expected_loss(double deviation, const Positions& positions,
                     const PrimitivesIn<Real>& primitives) {
  std::vector<Real> rounded;
  double square = 0.0;
  for (const double p : positions.values) {
    rounded.push_back(static_cast<Real>(p));
    square += std::pow(static_cast<double>(rounded.back()), 2);
  }
  double sum = 0.0, below = 0.0;
  for (std::uint64_t i = 0; i <= Real::max().bits(); ++i) {
    const auto t = Real::from_bits(static_cast<typename Real::Bits>(i));
    const double above = static_cast<double>(t) + half_ulp<Real>(static_cast<double>(t));
    const double mass = mass_between(below, above, deviation);
    below = above;
    if (mass * static_cast<double>(t) * static_cast<double>(t) < 1e-24) continue;
    double of_token = 0.0;
    for (const Real& p : rounded) of_token += std::pow(error_of_sum(t, p, primitives), 2);
    sum += mass * of_token;
  }
  return std::sqrt(sum / square);
}

/// The same for tokens far larger than positions, in a format of unit roundoff u and any range.
///
/// Where |t| is in [2^k, 2^(k+1)) and so is t + p, the sum is rounded to a whole multiple of
/// w = 2u·2^k. t is one itself, so the error is what p is off the nearest multiple of w, whatever
/// t's digits are:
///   loss² = Σ_k P(2^k <= |t| < 2^(k+1)) · E dist(p, wℤ)² / E p².
/// For w far below |p| that is w²/12, and loss = u·√(E 4^⌊log₂|t|⌋/3)/RMS(p): it grows with t. For
/// w > 2|p| it is p²: all of p, and no more.
inline double limiting_loss(double deviation, const Positions& positions, double u) {
  double sum = 0.0;
  const int middle = std::ilogb(deviation);
  for (int k = middle - 60; k <= middle + 6; ++k) {
    const double low = std::ldexp(1.0, k), step = 2.0 * u * low;
    const double mass = mass_between(low, 2.0 * low, deviation);
    double off = 0.0;
    for (const double p : positions.values) off += std::pow(std::remainder(p, step), 2);
    sum += mass * off / static_cast<double>(positions.values.size());
  }
  return std::sqrt(sum / positions.mean_square());
}

}  // namespace embedscale::properties::precision::lost_sum
