#pragma once
// Pairs (e, p) of one token channel and one position channel, for the rounding claims.
//
// Relative rounding errors are largest just above a power of two. A pair that makes the bounds
// tight therefore has m·e, p and their sum there all at once, and plain random pairs rarely do:
// every second pair is drawn with offsets from the power of two that are uniform on a logarithmic
// scale.
#include <embedscale/format.hpp>
#include <embedscale/random.hpp>

#include <cmath>
#include <cstdint>

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

/// Whether a pair is one that `critical_pair` may return, up to the rounding of e.
template <class Real>
bool is_critical(const Pair<Real>& pair, const Real& m) {
  const double t = std::abs(static_cast<double>(m) * static_cast<double>(pair.e));
  const double p = std::abs(static_cast<double>(pair.p));
  const double slack = 1.0 + 4.0 * unit_roundoff<Real>;
  return t >= 0x1p-4 / slack && t <= 2.0 * slack && p >= 0.25 && p <= 4.0;
}

}  // namespace embedscale::properties::domain
