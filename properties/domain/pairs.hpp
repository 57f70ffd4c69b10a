#pragma once
// Pairs (e, p) of one token channel and one position channel, for the rounding claims: critical
// ones around 1, where the bounds are tight; those of every size that a format has, zeros and both
// signs included; and those whose sum nearly cancels.
//
// Relative rounding errors are largest just above a power of two. A pair that makes the bounds
// tight therefore has m·e, p and their sum there all at once, and plain random pairs rarely do:
// every second critical pair is drawn with offsets from the power of two that are uniform on a
// logarithmic scale.
#include <embedscale/format.hpp>
#include <embedscale/random.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "floats.hpp"

namespace embedscale::properties::domain {

template <class Real>
struct Pair {
  Real e, p;
};

/// Offsets from a power of two go down to 2^−12 of it.
inline constexpr std::uint64_t smallest_offset = 12;

/// Pair `index` of a stream: m·e within [2^−4, 2), |p| within [1/4, 4], either sign.
///
/// Ensures   no operation of up or down under- or overflows for 1 <= m <= 2^7 in any format with
///           at least five exponent bits.
template <class Real>
Pair<Real> critical_pair(const Stream& stream, std::uint64_t index, const Real& m) {
  const Stream::Block words = stream.block(index);
  // Only correctly rounded operations from here on: the pairs are the same bits on every machine.
  const auto unit = [](std::uint64_t word) { return static_cast<double>(word >> 11) * 0x1p-53; };
  const bool near_a_power = index % 2 == 0;
  const auto significand = [&](std::uint64_t word) {
    const auto binade = static_cast<int>(word % smallest_offset);
    return 1.0 + (near_a_power ? std::ldexp(0.5 + 0.5 * unit(word), -binade) : unit(word));
  };
  const int token_exponent = near_a_power ? 0 : static_cast<int>(words[2] % 5);
  const int position_exponent = near_a_power ? static_cast<int>((words[2] >> 32) % 3) - 1
                                             : static_cast<int>((words[2] >> 32) % 4) - 2;
  const double sign = (words[3] >> 63) != 0 ? -1.0 : 1.0;
  const double t = std::ldexp(significand(words[0]), -token_exponent);
  return {static_cast<Real>(t / static_cast<double>(m)),
          static_cast<Real>(sign * std::ldexp(significand(words[1]), position_exponent))};
}

/// A pair beside another one: e and p moved by a random share of at most 2^−1 … 2^−digits of
/// themselves, for a search that climbs from a bad pair to a worse one. No pair leaves the range
/// that critical_pair allows by more than a factor 2.
template <class Real>
Pair<Real> nearby_pair(const Stream& stream, std::uint64_t index, const Pair<Real>& from,
                       const Pair<Real>& origin) {
  const Stream::Block words = stream.block(index, 1);
  const auto moved = [&](const Real& x, const Real& start, std::uint64_t word) {
    const auto digits = static_cast<std::uint64_t>(FormatTraits<Real>::digits);
    const int size = -1 - static_cast<int>(word % digits);
    const double share = std::ldexp(static_cast<double>(word >> 11) * 0x1p-52 - 1.0, size);
    const auto y = static_cast<Real>(static_cast<double>(x) * (1.0 + share));
    const double ratio = static_cast<double>(y) / static_cast<double>(start);
    return ratio >= 0.5 && ratio <= 2.0 ? y : x;
  };
  return {moved(from.e, origin.e, words[0]), moved(from.p, origin.p, words[1])};
}

/// The finite numbers whose rounding errors can be measured in binary64: u·x has to be normal
/// there. In the smaller formats these are all of them.
template <class Real>
constexpr Mixture measurable_floats() {
  constexpr int digits = FormatTraits<Real>::digits;
  constexpr int lowest = Encoding<double>::least + digits + 8;
  Mixture mixture = finite_floats;
  mixture.lowest = std::max(Encoding<Real>::least, lowest);
  if (mixture.lowest > Encoding<Real>::least)
    mixture.weights[static_cast<std::size_t>(FloatKind::subnormal)] = 0;
  return mixture;
}

/// Pair `index`: e of the mixture; p of it in a quarter of the draws, else within digits + 2
/// binades of m·e as far as the mixture goes, so that the sum does not just repeat the larger one.
///
/// Requires  finite members in the mixture, no others.
template <class Real>
Pair<Real> sized_pair(const Stream& stream, std::uint64_t index, const Real& m,
                      const Mixture& mixture) {
  const auto words = stream.block(index, 1);
  const Real e = any_float<Real>(stream, index, mixture);
  const Real p = any_float<Real>(stream, words[0], mixture);
  if (words[1] % 4 == 0 || e == Real(0) || p == Real(0)) return {e, p};
  constexpr int most = FormatTraits<Real>::digits + 2;
  const auto offset = static_cast<int>((words[2] >> 8) % (2 * most + 1)) - most;
  const int exponent = std::ilogb(static_cast<double>(e)) + std::ilogb(static_cast<double>(m));
  const auto wide = static_cast<double>(p);
  const auto near = static_cast<Real>(std::ldexp(wide, exponent + offset - std::ilogb(wide)));
  return {e, contains(mixture, near) ? near : p};
}

/// A token e, a multiplier m and a position p = −(fl(m·e) moved by k ulps): of the sum m·e + p all
/// leading digits cancel, and what is left is k ulps and the rounding of the product.
template <class Real>
struct Cancelling {
  Real e, m;
  std::int64_t k;
  Real p() const { return -moved(Real(m * e), k); }
};

inline constexpr std::int64_t most_cancelling_ulps = 4;

/// The tokens whose sums nearly cancel without leaving the normal range, on either way: m·e and p
/// lie a binade below the largest number; and e above the smallest normal one by all digits and a
/// bit, so that p/m, the smallest difference and its product with m do as well.
///
/// Requires  a finite m >= 1 with room between the two: m <= 2^7 in any format of 5 exponent bits.
template <class Real>
Mixture cancelling_tokens(const Real& m) {
  Mixture tokens = normal_floats;
  tokens.lowest = Encoding<Real>::least + FormatTraits<Real>::digits + 2;
  tokens.highest = Encoding<Real>::greatest - std::ilogb(static_cast<double>(m)) - 2;
  return tokens;
}

/// Draw `index`: k is uniform on −4 … 4.
template <class Real>
Cancelling<Real> cancelling(const Stream& stream, std::uint64_t index, const Real& m) {
  const auto steps = static_cast<std::uint64_t>(2 * most_cancelling_ulps + 1);
  const auto k = static_cast<std::int64_t>(stream.block(index, 1)[0] % steps);
  return {any_float<Real>(stream, index, cancelling_tokens(m)), m, k - most_cancelling_ulps};
}

}  // namespace embedscale::properties::domain
