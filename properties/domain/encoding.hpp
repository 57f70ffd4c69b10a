#pragma once
// The bits of a floating-point number of any binary format: its class, and its place among its
// neighbours.
#include <embedscale/format.hpp>

#include <array>
#include <bit>
#include <cstdint>
#include <limits>
#include <string_view>
#include <type_traits>

namespace embedscale::properties::domain {

/// The encoding of x, as a pattern of its own width.
constexpr std::uint64_t bits_of(double x) { return std::bit_cast<std::uint64_t>(x); }
constexpr std::uint64_t bits_of(float x) { return std::bit_cast<std::uint32_t>(x); }
template <int E, int M, Specials S>
constexpr std::uint64_t bits_of(Format<E, M, S> x) {
  return x.bits();
}

/// What the encoding of a format with an infinity looks like.
template <class Real>
struct Encoding {
  static_assert(std::numeric_limits<Real>::has_infinity);
  static constexpr int mantissa_bits = FormatTraits<Real>::digits - 1;
  /// Normal numbers have exponents from least to greatest: 2^k <= |x| < 2^(k+1).
  static constexpr int least = std::numeric_limits<Real>::min_exponent - 1;
  static constexpr int greatest = std::numeric_limits<Real>::max_exponent - 1;
  static constexpr std::uint64_t infinity = static_cast<std::uint64_t>(greatest - least + 2)
                                            << mantissa_bits;
  static constexpr std::uint64_t quiet_nan = infinity | (std::uint64_t{1} << (mantissa_bits - 1));
  /// The sign bit: all below it is exponent and mantissa, of which infinity has the exponent.
  static constexpr std::uint64_t sign = std::bit_floor(infinity) << 1;
};

/// The number of this magnitude and sign.  Requires magnitude < Encoding<Real>::sign.
template <class Real>
constexpr Real encoded(std::uint64_t magnitude, std::uint64_t negative) {
  const std::uint64_t bits = magnitude | (negative != 0 ? Encoding<Real>::sign : 0);
  if constexpr (std::is_same_v<Real, double>)
    return std::bit_cast<double>(bits);
  else if constexpr (std::is_same_v<Real, float>)
    return std::bit_cast<float>(static_cast<std::uint32_t>(bits));
  else
    return Real::from_bits(static_cast<typename Real::Bits>(bits));
}

/// What kind of number it is, without its sign: in the order of the mixtures' weights.
enum class FloatKind { normal, subnormal, zero, infinity, nan };
inline constexpr std::array float_kinds{FloatKind::normal, FloatKind::subnormal, FloatKind::zero,
                                        FloatKind::infinity, FloatKind::nan};

/// The class of a number: its kind and its sign bit, which zeros and NaNs have, too.
struct FloatClass {
  FloatKind kind;
  bool negative;
  friend bool operator==(const FloatClass&, const FloatClass&) = default;
};

template <class Real>
constexpr FloatClass class_of(Real x) {
  using Of = Encoding<Real>;
  const std::uint64_t magnitude = bits_of(x) & (Of::sign - 1);
  const bool negative = (bits_of(x) & Of::sign) != 0;
  if (magnitude > Of::infinity) return {FloatKind::nan, negative};
  if (magnitude == Of::infinity) return {FloatKind::infinity, negative};
  if (magnitude == 0) return {FloatKind::zero, negative};
  return {magnitude >> Of::mantissa_bits == 0 ? FloatKind::subnormal : FloatKind::normal, negative};
}

/// "normal", "-subnormal".
constexpr std::string_view name_of(FloatClass c) {
  constexpr std::array<std::string_view, 10> names{
      "normal",  "subnormal",  "zero",  "infinity",  "nan",
      "-normal", "-subnormal", "-zero", "-infinity", "-nan"};
  return names[static_cast<std::size_t>(c.kind) + (c.negative ? float_kinds.size() : 0)];
}

/// x moved by k ulps, counted in numbers of the format: k < 0 towards −∞. What would be beyond
/// infinity is infinity: a number's place is how many stand between 0 and it, negative below 0.
///
/// Requires  x is no NaN.
template <class Real>
constexpr Real moved(Real x, std::int64_t k) {
  using Of = Encoding<Real>;
  constexpr auto last = static_cast<std::int64_t>(Of::infinity);
  const auto magnitude = static_cast<std::int64_t>(bits_of(x) & (Of::sign - 1));
  const std::int64_t from = (bits_of(x) & Of::sign) != 0 ? -magnitude : magnitude;
  const std::int64_t to =
      k > 0 ? (from > last - k ? last : from + k) : (from < -last - k ? -last : from + k);
  return encoded<Real>(static_cast<std::uint64_t>(to < 0 ? -to : to), to < 0 ? 1 : 0);
}

}  // namespace embedscale::properties::domain
