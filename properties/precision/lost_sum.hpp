#pragma once
// What is left of a position p in the rounded sum with a token t: the measures, functions of a
// sample and of the primitives under test.
#include <embedscale/combination.hpp>
#include <embedscale/format.hpp>

#include <algorithm>
#include <cstdint>
#include <numbers>
#include <type_traits>
#include <vector>

#include "../domain/encoding.hpp"
#include "../evidence/check.hpp"
#include "../evidence/rounding.hpp"
#include "../over.hpp"
#include "formats.hpp"

namespace embedscale::properties::precision::lost_sum {

template <Scalar Real>
struct Operations {
  Operation<Real(const Real& t, const Real& p)> sum = embedscale::sum<Real>;

  void list(Members& to) { EMBEDSCALE_LIST(to, sum); }
};
struct Primitives : Over<Operations, float, binary16, bfloat16, e4m3, e5m2> {};
template <Scalar Real>
using PrimitivesIn = std::type_identity_t<Operations<Real>>;

/// A token t, a position p and what the primitives make of t + p: numbers of the format, as double
/// has them exactly.
template <Scalar Real>
struct Added {
  Real token;
  double t, p, sum;
  /// fl(t + p) − (t + p), rounded once to double: t + p is taken as the two doubles that it is the
  /// exact sum of (Knuth's TwoSum), and fl(t + p) is near enough to the first to be subtracted from
  /// it exactly. As rounding is monotone it is above no double that the exact error is not above.
  ///
  /// Requires  t, p, and their sum finite.
  double error;

  Added(const Real& token, const Real& position, const PrimitivesIn<Real>& primitives)
      : token(token),
        t(static_cast<double>(token)),
        p(static_cast<double>(position)),
        sum(static_cast<double>(primitives.sum(token, position))) {
    const double s = t + p, part = s - t;
    error = (sum - s) - ((t - (s - part)) + (p - part));
  }

  /// |error| over its bound, u/(1+u)·|t + p|.
  ///
  /// The bound holds below the normal range, too: a sum of two numbers of the format that falls
  /// there is exact. It is attained at t + p = 2^k·(1 + u), where nothing here rounds; every other
  /// share is at least u below 1, double's rounding far less.
  double share_of_bound() const {
    constexpr double u = unit_roundoff<Real>;
    return error == 0.0 ? 0.0 : std::abs(error) * (1.0 + u) / (u * std::abs(t + p));
  }
  /// Whether no more than either part is lost. t itself is a number of the format, |p| away from
  /// t + p, and the nearest is no further; likewise p.
  bool is_off_by_no_more_than_a_part() const {
    return std::abs(error) <= std::abs(t) && std::abs(error) <= std::abs(p);
  }
  /// Whether −p is between t/2 and 2t: then t + p is a number of the format.
  ///
  /// Source    Sterbenz; Higham 2002, theorem 2.5.
  bool nearly_cancel() const {
    return t > 0.0 ? t / 2.0 <= -p && -p <= 2.0 * t : 2.0 * t <= -p && -p <= t / 2.0;
  }
  /// Whether the error is what p is off the nearest whole multiple of t's ulp, for t + p in t's
  /// binade: its ulp is then t's, and t a multiple of it.
  ///
  /// True as well where t + p leaves the binade: nothing is said there.
  bool is_off_by_the_distance() const {
    const double s = t + p;
    if (std::abs(t) < FormatTraits<Real>::min_normal || s == 0.0 ||
        std::ilogb(s) != std::ilogb(t) || std::signbit(s) != std::signbit(t))
      return true;
    return std::abs(error) == std::abs(std::remainder(p, 2.0 * half_ulp<Real>(t)));
  }

  /// Whether p leaves no trace: fl(t + p) = t.
  bool is_lost() const { return sum == t; }
  /// Whether rounding to nearest, ties to even, has to make t of t + p: p ends short of the
  /// midpoint between t and t's neighbour on p's side, or at it while t is the even one of the two.
  /// The neighbour is an ulp of t away; on the side of 0 half of that where t is a normal power of
  /// two, but for the smallest. Requires finite numbers.
  bool has_to_be_lost() const {
    const bool narrow = is_power_of_two(t) && std::abs(t) > FormatTraits<Real>::min_normal &&
                        (t < 0.0) != (p < 0.0);
    const double half = narrow ? half_ulp<Real>(t) / 2.0 : half_ulp<Real>(t);
    return std::abs(p) < half || (std::abs(p) == half && domain::bits_of(token) % 2 == 0);
  }
  /// Whether the ratio alone settles it, and how it then must be: with 2^k <= |t| < 2^(k+1) the
  /// midpoint is u·2^k away, or half of that below a power of two. So p is kept while |t| < |p|/u,
  /// and is lost from |t| >= 2|p|/u on; at the power of two p ends at the midpoint at most, and 2^k
  /// is even. Between the two t's digits decide.
  bool follows_the_ratio() const {
    const double size = std::abs(t) * unit_roundoff<Real>;
    if (size < std::abs(p)) return !is_lost();
    return size < 2.0 * std::abs(p) || is_lost();
  }
};

/// A channel of a sinusoid, A·sin θ, at every phase alike.
struct Sinusoid {
  double amplitude = 1.0;

  double rms() const { return amplitude / std::numbers::sqrt2; }
  /// The probability of |p| < x.
  double share_below(double x) const {
    return x < amplitude ? 2.0 / std::numbers::pi * std::asin(x / amplitude) : 1.0;
  }
  /// E max(|p| − x, 0), for 0 <= x <= A.
  double mean_beyond(double x) const {
    return 2.0 / std::numbers::pi *
           (std::sqrt((amplitude - x) * (amplitude + x)) - x * std::acos(x / amplitude));
  }
};

/// A number, and how probable it is.
template <Scalar Real>
struct Weighed {
  Real number;
  double mass;
};

/// What a sinusoid's size is rounded to. Sizes below 2^−12 A count as that: as no error is above
/// |p|, they all together have a mean square of at most 2^−12·2^−24 A², 3·10^−4 of what binary16
/// loses at ratio 1 and far less of any other loss here.
template <Scalar Real>
std::vector<Weighed<Real>> rounded_sizes(const Sinusoid& sinusoid) {
  const double least = 0x1p-12 * sinusoid.amplitude;
  std::vector<Weighed<Real>> sizes;
  double below = 0.0;
  const std::uint64_t first = static_cast<Real>(least).bits(),
                      last = static_cast<Real>(sinusoid.amplitude).bits();
  for (std::uint64_t i = first; i <= last; ++i) {
    const auto p = number<Real>(i);
    const auto size = static_cast<double>(p);
    const double above = sinusoid.share_below(size + half_ulp<Real>(size));
    sizes.push_back({p, above - below});
    below = above;
  }
  return sizes;
}

/// E (fl(t + p) − (t + p))² over positions of both signs.
template <Scalar Real>
double mean_square_error(const Real& t, const std::vector<Weighed<Real>>& positions,
                         const PrimitivesIn<Real>& primitives) {
  double sum = 0.0;
  for (const auto& [p, mass] : positions) {
    const double above = Added<Real>(t, p, primitives).error;
    const double below = Added<Real>(t, Real(-p), primitives).error;
    sum += 0.5 * mass * (above * above + below * below);
  }
  return sum;
}

/// The probability of a < |t| < b for a normal t of this deviation. Of the upper tail, so that
/// nothing cancels far out.
inline double mass_between(double a, double b, double deviation) {
  const double scale = 1.0 / (std::numbers::sqrt2 * deviation);
  return std::erfc(a * scale) - std::erfc(b * scale);
}

/// RMS of fl(t + p) − (t + p) over RMS of p, where t is a normal number of this deviation and p a
/// sinusoid's, each rounded to the format once: over every t >= 0, given what mean_square_error has
/// of each, in order, and weighed by the probability of what rounds to it.
///
/// t stands for −t as well: positions are as often −p as p, and rounding is symmetrical.
/// Requires  a format of at most 16 bits, in whose range the tokens are.
template <Scalar Real>
double expected_loss(double deviation, const std::vector<double>& of_tokens, double mean_square) {
  double sum = 0.0, below = 0.0;
  for (std::uint64_t i = 0; i < of_tokens.size(); ++i) {
    const auto t = static_cast<double>(number<Real>(i));
    const double above = t + half_ulp<Real>(t);
    sum += mass_between(below, above, deviation) * of_tokens[i];
    below = above;
  }
  return std::sqrt(sum / mean_square);
}

/// E dist(p, wℤ)². From p >= 0 to the nearest multiple the squared distance is
/// p² − 2w·Σ_m max(p − (m + ½)w, 0): it turns where p passes a midpoint. So for w >= 2A it is E p²,
/// and else a sum of few terms, unless w is small. There it is w²/12 with the Fourier series
///   dist² = w²·(1/12 + Σ_n (−1)^n cos(2πn·p/w)/(πn)²),
/// whose cosines have the mean J0(2πn·A/w), |J0(x)| <= √(2/(πx)) (Watson 1944, 13.74): together
/// within 12·ζ(5/2)/π³ = 0.5192 of √(w/A)·w²/12.
inline evidence::Interval mean_square_distance(const Sinusoid& p, double step) {
  const double all = p.rms() * p.rms();
  if (step < 0x1p-12 * p.amplitude) {
    const double fine = step * step / 12.0, off = 0.52 * std::sqrt(step / p.amplitude);
    return {fine * (1.0 - off), fine * (1.0 + off)};
  }
  double beyond = 0.0;
  for (double at = 0.5 * step; at < p.amplitude; at += step) beyond += p.mean_beyond(at);
  const double mean = all - 2.0 * step * beyond;
  // At most 2^12 sums of what is at most A each, times 2w: 2^13·u·all, with what the terms bring.
  const double rounding = beyond == 0.0 ? 0.0 : 0x1p-39 * all;
  return {mean - rounding, mean + rounding};
}

/// A loss, and where it certainly is.
struct Loss {
  double value;
  evidence::Interval within;
};

/// The loss of tokens far larger than positions, in a format of unit roundoff u and any range.
///
/// Where |t| is in [2^k, 2^(k+1)) and so is t + p, the sum is rounded to a whole multiple of
/// w = 2u·2^k. t is one itself, so the error is what p is off the nearest multiple of w, whatever
/// t's digits are:
///   loss² = Σ_k P(2^k <= |t| < 2^(k+1)) · E dist(p, wℤ)² / E p².
/// For w far below |p| that is w²/12, and loss = u·√(E 4^⌊log₂|t|⌋/3)/RMS(p): it grows with t. For
/// w > 2|p| it is p²: all of p, and no more.
///
/// What that leaves out is in the interval, each with its probability. A sum that goes up by a
/// binade is off by at most w, one that goes down by w/4, so that the square is off by w² or w²/4,
/// and never by more than A²; half of the positions point the way, and t, which was rounded itself,
/// by at most w/2, is within A of the end. Where 2^k < A, both squares are below (3uA)². p was
/// rounded by at most uA, too: that moves dist, which is at most w/2 and A, by as much, and E p² by
/// 2u + u² of it. And of a binade's t at most the share u were rounded up to the next.
inline Loss limiting_loss(double deviation, const Sinusoid& p, double u) {
  const double a = p.amplitude, all = p.rms() * p.rms();
  double low = 0.0, high = 0.0, off = 9.0 * u * u * a * a * mass_between(0.0, 2.0 * a, deviation);
  const int middle = std::ilogb(deviation);
  for (int k = middle - 60; k <= middle + 6; ++k) {
    const double from = std::ldexp(1.0, k), to = 2.0 * from, w = 2.0 * u * from;
    const double mass = mass_between(from, to, deviation), most = std::min(w, a);
    const auto distance = mean_square_distance(p, w);
    low += mass * distance.lower, high += mass * distance.upper;
    off += mass * u * (a * (2.0 * std::min(w / 2.0, a) + u * a) + most * most);
    if (from < a) continue;
    off += 0.5 * (most * most * mass_between(to - a - w / 2.0, to, deviation) +
                  std::min(w * w / 4.0, a * a) * mass_between(from, from + a + w / 2.0, deviation));
  }
  const auto loss = [&](double square, double of) { return std::sqrt(std::max(0.0, square) / of); };
  const double least = (1.0 - u) * (1.0 - u) * all, most = (1.0 + u) * (1.0 + u) * all;
  return {loss((low + high) / 2.0, all), {loss(low - off, most), loss(high + off, least)}};
}

}  // namespace embedscale::properties::precision::lost_sum
