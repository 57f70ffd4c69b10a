#pragma once
// Angles as fractions of a turn, in whole numbers: what a position does to a frequency is then
// exact, and the same bits on every machine.
#include <embedscale/sinusoidal.hpp>

#include <array>
#include <cmath>
#include <cstdint>
#include <vector>

namespace embedscale {

/// An angle modulo a turn: (high·2^64 + low)/2^128 turns.
struct Turn {
  std::uint64_t high = 0, low = 0;
  friend bool operator==(const Turn&, const Turn&) = default;
};

namespace detail {

/// The high half of the product of two 64-bit numbers.
constexpr std::uint64_t high_product(std::uint64_t a, std::uint64_t b) {
  constexpr std::uint64_t mask = 0xffffffff;
  const std::uint64_t lower = (a >> 32) * (b & mask) + ((a & mask) * (b & mask) >> 32);
  const std::uint64_t upper = (a & mask) * (b >> 32) + (lower & mask);
  return (a >> 32) * (b >> 32) + (lower >> 32) + (upper >> 32);
}

/// A number in [0, 1) with 192 binary places, the highest 32 first. Every operation truncates.
using Fraction = std::array<std::uint32_t, 6>;
inline constexpr Fraction ln_2{0xb17217f7, 0xd1cf79ab, 0xc9e3b398,
                               0x03f2f6af, 0x40f34326, 0x7298b62d};
inline constexpr Fraction turns_in_a_radian{0x28be60db, 0x9391054a, 0x7f09d5f4,
                                            0x7d4d3770, 0x36d8a566, 0x4f10e410};

struct Mixed {
  std::uint64_t whole;
  Fraction fraction;
};

constexpr Fraction product(const Fraction& a, const Fraction& b) {
  std::array<std::uint32_t, 12> all{};
  for (std::size_t i = 6; i-- > 0;) {
    std::uint64_t carry = 0;
    for (std::size_t j = 6; j-- > 0; carry >>= 32) {
      carry += all[i + j + 1] + std::uint64_t{a[i]} * b[j];
      all[i + j + 1] = static_cast<std::uint32_t>(carry);
    }
    all[i] = static_cast<std::uint32_t>(carry);
  }
  return {all[0], all[1], all[2], all[3], all[4], all[5]};
}

/// Requires  a >= b.
constexpr Fraction difference(const Fraction& a, const Fraction& b) {
  Fraction out{};
  std::uint64_t borrow = 0;
  for (std::size_t i = 6; i-- > 0;) {
    const std::uint64_t x = std::uint64_t{a[i]} - b[i] - borrow;
    out[i] = static_cast<std::uint32_t>(x);
    borrow = x >> 63;
  }
  return out;
}

constexpr Mixed multiple(const Mixed& a, std::uint32_t n) {
  Mixed out{0, {}};
  std::uint64_t carry = 0;
  for (std::size_t i = 6; i-- > 0; carry >>= 32) {
    carry += std::uint64_t{a.fraction[i]} * n;
    out.fraction[i] = static_cast<std::uint32_t>(carry);
  }
  out.whole = a.whole * n + carry;
  return out;
}

constexpr Mixed quotient(const Mixed& a, std::uint32_t n) {
  Mixed out{a.whole / n, {}};
  std::uint64_t rest = a.whole % n;
  for (std::size_t i = 0; i < 6; ++i, rest %= n) {
    rest = rest << 32 | a.fraction[i];
    out.fraction[i] = static_cast<std::uint32_t>(rest / n);
  }
  return out;
}

/// log₂ x, at most 2^−189 too small: the bits appear as x is squared again and again and halved
/// where it passes 2. Held as x/2, in [1/2, 1), a square is truncated by 2^−190 of itself; after j
/// bits this is worth 2^−190·log₂e·2^−j, in all less than 2^−189.4; what follows the last bit adds
/// less than 2^−192.
///
/// Requires  x >= 1.
inline Mixed log_2(double x) {
  int exponent = 0;
  const auto bits = static_cast<std::uint64_t>(std::ldexp(std::frexp(x, &exponent), 64));
  Mixed out{static_cast<std::uint64_t>(exponent - 1), {}};
  Fraction y{static_cast<std::uint32_t>(bits >> 32), static_cast<std::uint32_t>(bits)};
  for (std::size_t bit = 0; bit < 192; ++bit) {
    y = product(y, y);
    if (y[0] >> 31 != 0)
      out.fraction[bit / 32] |= std::uint32_t{1} << (31 - bit % 32);
    else
      y = multiple({0, y}, 2).fraction;
  }
  return out;
}

/// c·2^−x as a turn, within 2^−129 + 2^−180 of it: 2^−f = 1 − E with z = f·ln 2 and
/// E = z − z/2·(z − z/3·(…)) for the fraction f of x. z < 0.7, so that each of the 48 steps adds at
/// most three truncations, those before it times less than 0.7: 2^−188 in all; what is left out is
/// below z^49/49! < 2^−220. Last, one rounding to 128 places.
///
/// Requires  c < 1/2.
inline Turn scaled_power(const Fraction& c, const Mixed& x) {
  const Fraction z = product(x.fraction, ln_2);
  Fraction e{};
  for (std::uint32_t j = 48; j > 0; --j) {
    const Fraction step = quotient({0, z}, j).fraction;
    e = difference(step, product(step, e));
  }
  Fraction out = difference(c, product(c, e));
  for (std::uint64_t halvings = x.whole; halvings > 0; --halvings)
    out = quotient({0, out}, 2).fraction;
  const std::uint64_t carry = out[4] >> 31;
  const std::uint64_t low = std::uint64_t{out[2]} << 32 | out[3];
  return {(std::uint64_t{out[0]} << 32 | out[1]) + (low + carry < low ? 1 : 0), low + carry};
}

}  // namespace detail

/// Frequency i of a width-d encoding as the fraction of a turn, w_i/2π, that one position adds.
///
/// Requires  a width that frequency_steps takes, below 2^32; i < d/2; 1 <= base <= 2^40.
/// Ensures   within 2^−129 + 2^−180 turns; the same bits on every machine.
/// Errors    std::invalid_argument.
inline Turn frequency_in_turns(std::size_t i, std::size_t d, FrequencyRule rule,
                               double base = 10000) {
  if (!(base >= 1) || base > 0x1p40)
    throw std::invalid_argument("frequency_in_turns: needs a base from 1 to 2^40");
  const auto steps = static_cast<std::uint32_t>(frequency_steps(d, rule));
  const auto power = detail::multiple(detail::log_2(base), static_cast<std::uint32_t>(i));
  return detail::scaled_power(detail::turns_in_a_radian, detail::quotient(power, steps));
}

/// All of them, largest first; size d/2.
inline std::vector<Turn> frequencies_in_turns(std::size_t d, FrequencyRule rule,
                                              double base = 10000) {
  std::vector<Turn> out;
  for (std::size_t i = 0; i < d / 2; ++i) out.push_back(frequency_in_turns(i, d, rule, base));
  return out;
}

/// n times an angle, modulo a turn: exact.
constexpr Turn multiple(const Turn& angle, std::uint64_t n) {
  return {n * angle.high + detail::high_product(n, angle.low), n * angle.low};
}

}  // namespace embedscale
