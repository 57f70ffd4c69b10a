#pragma once
// A table of sines and cosines whose entries are the exact values, rounded once.
#include <embedscale/turn.hpp>

#include <array>
#include <bit>
#include <concepts>
#include <cstdint>
#include <span>
#include <vector>

namespace embedscale {

/// A sine or cosine before its rounding: ±significand·2^exponent.
struct Unrounded {
  std::uint64_t significand;
  int exponent;
  bool negative;
};

namespace detail {

/// 1/(2j + first)!, times 2^64 and rounded.
template <int first>
constexpr std::array<std::uint64_t, 9> reciprocal_factorials() {
  std::array<std::uint64_t, 9> out{};
  std::uint64_t factorial = 1;
  for (std::uint64_t n = 2, j = 0; j < 9; ++n) {
    factorial *= n;
    if (n == 2 * j + first) out[j++] = (~std::uint64_t{0} - factorial / 2 + 1) / factorial + 1;
  }
  return out;
}

/// z·(1/first! − z·(1/(first + 2)! − …)), z and the sum in units of 2^−64.
template <int first>
constexpr std::uint64_t alternating_series(std::uint64_t z) {
  constexpr auto coefficients = reciprocal_factorials<first>();
  std::uint64_t sum = coefficients[8];
  for (std::size_t j = 8; j-- > 0;) sum = coefficients[j] - high_product(z, sum);
  return high_product(z, sum);
}

}  // namespace detail

/// The sine and the cosine of an angle.
struct SineAndCosine {
  Unrounded sine, cosine;
};

/// Sine and cosine of an angle, each within 0.85·2^−60 of itself where the angle is 0 or at least
/// 2^−64 of an eighth of a turn away from every multiple of a quarter.
///
/// With r the distance to the nearest multiple of a quarter, in eighths, x = πr/4 is the reduced
/// angle, sin x = x − x·q and cos x = 1 − v with
///   q = x²(1/3! − x²(1/5! − …)),   v = x²(1/2! − x²(1/4! − …)),   x² < 0.617.
/// In units of 2^−64: the 64 digits X of x lack 0.79 from those of r, 0.5 from π/4 and 1 from their
/// product, together 2.3; x² lacks 2·0.79·2.3 + 1 = 4.6. A step of either series adds 1.5, less by
/// 0.617 at each further one: 1.5/(1 − 0.617) = 3.9; times x² and with the last product, q is off
/// by 0.617·3.9 + 1 + 4.6/6 = 4.2 and v by 0.617·3.9 + 1 + 4.6/2 = 5.7; what the series leave out
/// is below 2^−67. Of itself then, as X >= 2^62.65, 1 − q >= 0.9 and 1 − v >= 0.7: sine
/// 2.3·2^1.35 + 4.2/0.9 + 2^1.35/0.9 = 13.5 < 0.85·2^4, cosine 5.7/0.7 = 8.1.
constexpr SineAndCosine sine_and_cosine(const Turn& angle) {
  const auto octant = static_cast<unsigned>(angle.high >> 61);
  std::uint64_t high = angle.high << 3 | angle.low >> 61, low = angle.low << 3;
  if (octant % 2 != 0) high = ~high, low = ~low;  // 1 − r, less 2^−128
  const int zeros = high != 0 ? std::countl_zero(high) : 64 + std::countl_zero(low);
  const std::uint64_t r = zeros == 0    ? high
                          : zeros < 64  ? high << zeros | low >> (64 - zeros)
                          : zeros < 128 ? low << (zeros - 64)
                                        : 0;
  const std::uint64_t x = detail::high_product(r, 0xc90fdaa22168c235);  // π/4
  const std::uint64_t absolute = zeros < 64 ? x >> zeros : 0;
  const std::uint64_t square = detail::high_product(absolute, absolute);
  const std::uint64_t q = detail::alternating_series<3>(square);
  const std::uint64_t v = detail::alternating_series<2>(square);
  const Unrounded near{x - detail::high_product(x, q), -64 - zeros, false};
  const Unrounded far = v == 0 ? Unrounded{1, 0, false} : Unrounded{0 - v, -64, false};
  const bool swapped = (octant + 1) % 4 >= 2;
  SineAndCosine out{swapped ? far : near, swapped ? near : far};
  out.sine.negative = octant >= 4;
  out.cosine.negative = octant >= 2 && octant < 6;
  return out;
}

/// The nearest value of the format, ties to even.
template <class Real>
Real rounded(const Unrounded& x) {
  if (x.significand == 0) return Real(0.0);
  const int zeros = std::countl_zero(x.significand);
  std::uint64_t significand = x.significand << zeros;
  int exponent = x.exponent - zeros;
  if constexpr (!std::same_as<Real, double>) {
    // To the 53 digits of a double, rounded to odd: what follows is then the only rounding.
    significand = significand >> 11 | static_cast<std::uint64_t>((significand & 0x7ff) != 0);
    exponent += 11;
  }
  const double scale = std::bit_cast<double>(static_cast<std::uint64_t>(1023 + exponent) << 52);
  const double size = static_cast<double>(significand) * scale;
  return static_cast<Real>(x.negative ? -size : size);
}

/// Encodes position `p` into `out` (d = 2·turns.size() channels), each entry within half a unit in
/// its last place and 2^−60 of itself: 0.508 units in binary64, 0.5 and 2^−36 in binary32, and
/// less in narrower formats.
///
/// The turns are off by 2^−129 and 2^−180, position p makes p times that of it, and the complement
/// of an odd octant adds 2^−128·π/4: below 2^−109 radians, which is less than 2^−63 of a reduced
/// angle from 2^−46 on. 0.85·2^−60 of sine_and_cosine and that are less than 2^−60.
///
/// Requires  |p| <= 2^17 and an angle that is 0 or at least 2^−46 away from every multiple of π/2:
///           at d = 64, 512 and 1024 by the paper's rule all are farther than 2^−26 (every one has
///           been looked at), and chance would bring n angles as near as 2^−46 with n·2^−46;
///           out of size d.
/// Ensures   the same bits on every machine [precision.positions_in_low_precision].
/// Errors    std::invalid_argument where the size is not 2·turns.size().
/// Source    Vaswani et al. 2017, section 3.5.
template <class Real>
void encode_position_once_rounded(std::int64_t p, std::span<const Turn> turns,
                                  SinusoidalLayout layout, std::span<Real> out) {
  require_size("encode_position_once_rounded: output", out.size(), 2 * turns.size());
  const bool interleaved = layout == SinusoidalLayout::interleaved;
  const auto size = static_cast<std::uint64_t>(p < 0 ? -p : p);
  for (std::size_t i = 0; i < turns.size(); ++i) {
    auto [sine, cosine] = sine_and_cosine(multiple(turns[i], size));
    sine.negative = sine.negative != (p < 0);
    out[interleaved ? 2 * i : i] = rounded<Real>(sine);
    out[interleaved ? 2 * i + 1 : turns.size() + i] = rounded<Real>(cosine);
  }
}

/// The table of positions 0 … length − 1, row after row.
///
/// Requires  length <= 2^17, and what frequencies_in_turns and encode_position_once_rounded do.
template <class Real>
std::vector<Real> position_table(std::size_t d, std::size_t length,
                                 FrequencyRule rule = FrequencyRule::paper,
                                 SinusoidalLayout layout = SinusoidalLayout::interleaved,
                                 double base = 10000) {
  const auto turns = frequencies_in_turns(d, rule, base);
  std::vector<Real> out(d * length);
  for (std::size_t p = 0; p < length; ++p)
    encode_position_once_rounded<Real>(static_cast<std::int64_t>(p), turns, layout,
                                       std::span<Real>(out).subspan(p * d, d));
  return out;
}

}  // namespace embedscale
