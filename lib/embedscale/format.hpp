#pragma once
// Small binary floating-point formats, in software, with one rounding per operation.
//
// A value is held as its encoding. Every operation decodes to double, computes there, and rounds
// once more. The second rounding does no harm: with t = mantissa bits + 1 digits, + - * / and sqrt
// of two t-digit numbers lie so far from every midpoint of the t-digit grid, unless they hit it
// exactly, that 2t + 2 digits decide the rounding (Figueroa 1995; subnormal results have fewer
// digits, hence midpoints that are further away still). double has 53 of them. Where a result
// overflows is such a midpoint, too, wherever the format ends: half an ulp above its largest
// number, on the grid as it would go on.
#include <bit>
#include <cmath>
#include <compare>
#include <cstdint>
#include <limits>
#include <ostream>
#include <type_traits>

namespace embedscale {

/// Which encodings are no numbers.
enum class Specials {
  infinity_and_nans,  ///< IEEE 754: those of the largest exponent: infinity, then the NaNs
  one_nan             ///< only the very last one, a NaN: numbers go on to just before it
};

/// A binary format with a sign, `ExponentBits` and `MantissaBits` (the stored ones).
///
/// Ensures   construction, + - * / and sqrt round to nearest, ties to even, with gradual underflow;
///           what rounds to more than the largest number overflows to infinity, or to NaN where
///           there is none; NaNs are quiet and compare unordered. So nothing saturates unless it is
///           said (`saturated`): a number that was clipped looks like any other, an overflow shows.
/// Source    IEEE 754-2019, sections 3.4 and 4.3.1; OCP 8-bit Floating Point Specification (OFP8)
///           1.0, of which the constructor is the conversion that does not saturate.
template <int ExponentBits, int MantissaBits, Specials Special = Specials::infinity_and_nans>
class Format {
  static_assert(ExponentBits >= 2 && MantissaBits >= 1);
  static_assert(1 + ExponentBits + MantissaBits <= 32);
  static_assert(2 * (MantissaBits + 1) + 2 <= 53, "double could not decide the rounding");
  static_assert(ExponentBits <= 8, "products must stay in the range of double");

 public:
  static constexpr int exponent_bits = ExponentBits;
  static constexpr int mantissa_bits = MantissaBits;
  static constexpr int bias = (1 << (ExponentBits - 1)) - 1;
  static constexpr int width = 1 + ExponentBits + MantissaBits;
  static constexpr bool has_infinity = Special == Specials::infinity_and_nans;
  using Bits = std::conditional_t<(width <= 8), std::uint8_t,
                                  std::conditional_t<(width <= 16), std::uint16_t, std::uint32_t>>;

  constexpr Format() = default;
  /// The nearest value of the format; one rounding.
  constexpr explicit Format(double x) : bits_(round(x)) {}
  constexpr explicit Format(int x) : Format(static_cast<double>(x)) {}
  /// The same, but what would overflow is the largest number of its sign, an infinite x included.
  static constexpr Format saturated(double x) {
    const Format f(x);
    const bool overflows = x == x && (f.bits_ & magnitude_mask) >= overflow_bits;
    return overflows ? from_bits(static_cast<Bits>((f.bits_ & sign_bit) | max().bits_)) : f;
  }

  static constexpr Format from_bits(Bits bits) {
    Format f;
    f.bits_ = bits;
    return f;
  }
  constexpr Bits bits() const { return bits_; }

  /// Exact: every value of the format is a double.
  constexpr explicit operator double() const {
    const std::uint64_t magnitude = bits_ & magnitude_mask;
    const double sign = (bits_ & sign_bit) != 0 ? -1.0 : 1.0;
    if (magnitude >= overflow_bits)
      return has_infinity && magnitude == overflow_bits
                 ? sign * std::numeric_limits<double>::infinity()
                 : std::numeric_limits<double>::quiet_NaN();
    // Put the field where double has it, then move the exponent's origin: also right for
    // subnormals.
    return sign * std::bit_cast<double>(magnitude << (52 - MantissaBits)) * power(1023 - bias);
  }

  friend constexpr Format operator+(Format a, Format b) { return Format(double(a) + double(b)); }
  friend constexpr Format operator-(Format a, Format b) { return Format(double(a) - double(b)); }
  friend constexpr Format operator*(Format a, Format b) { return Format(double(a) * double(b)); }
  friend constexpr Format operator/(Format a, Format b) { return Format(double(a) / double(b)); }
  friend constexpr Format operator-(Format a) {
    return from_bits(static_cast<Bits>(a.bits_ ^ sign_bit));
  }
  friend constexpr bool operator==(Format a, Format b) { return double(a) == double(b); }
  friend constexpr std::partial_ordering operator<=>(Format a, Format b) {
    return double(a) <=> double(b);
  }

  friend Format abs(Format a) { return from_bits(static_cast<Bits>(a.bits_ & magnitude_mask)); }
  friend Format sqrt(Format a) { return Format(std::sqrt(double(a))); }
  friend bool isfinite(Format a) { return (a.bits_ & magnitude_mask) < overflow_bits; }
  // These four round a double result: faithful, not correctly rounded, where the function is not.
  friend Format exp(Format a) { return Format(std::exp(double(a))); }
  friend Format log(Format a) { return Format(std::log(double(a))); }
  friend Format sin(Format a) { return Format(std::sin(double(a))); }
  friend Format cos(Format a) { return Format(std::cos(double(a))); }
  friend Format pow(Format a, Format b) { return Format(std::pow(double(a), double(b))); }
  friend std::ostream& operator<<(std::ostream& out, Format a) { return out << double(a); }

  static constexpr Format infinity() requires has_infinity {
    return from_bits(static_cast<Bits>(overflow_bits));
  }
  static constexpr Format quiet_nan() {
    return from_bits(static_cast<Bits>(overflow_bits | (std::uint64_t{1} << (MantissaBits - 1))));
  }
  static constexpr Format max() { return from_bits(static_cast<Bits>(overflow_bits - 1)); }
  static constexpr Format min_normal() {
    return from_bits(static_cast<Bits>(std::uint64_t{1} << MantissaBits));
  }
  static constexpr Format min_subnormal() { return from_bits(1); }

 private:
  static constexpr std::uint64_t sign_bit = std::uint64_t{1} << (width - 1);
  static constexpr std::uint64_t magnitude_mask = sign_bit - 1;
  /// The encoding after the largest number's, which rounding overflows to: infinity, or the NaN.
  static constexpr std::uint64_t overflow_bits =
      has_infinity ? ((std::uint64_t{1} << ExponentBits) - 1) << MantissaBits : magnitude_mask;

  static constexpr double power(int exponent) {  // 2^exponent, a normal double
    return std::bit_cast<double>(static_cast<std::uint64_t>(1023 + exponent) << 52);
  }

  static constexpr Bits round(double x) {
    const auto wide = std::bit_cast<std::uint64_t>(x);
    const std::uint64_t sign = (wide >> 63) << (width - 1);
    const std::uint64_t magnitude = wide & ~(std::uint64_t{1} << 63);
    const double size = std::bit_cast<double>(magnitude);
    if (x != x) return static_cast<Bits>(sign | quiet_nan().bits_);
    if (size < power(1 - bias)) {
      // Below the normal range: adding a number whose ulp is the smallest subnormal makes double
      // itself round to that grid; the difference of the encodings counts the steps.
      const double grid = power(52 + 1 - bias - MantissaBits);
      return static_cast<Bits>(
          sign | (std::bit_cast<std::uint64_t>(size + grid) - std::bit_cast<std::uint64_t>(grid)));
    }
    // Half a unit of the last kept place, less one unless that place is odd: a tie goes to even. A
    // carry runs from the mantissa into the exponent, which is what rounding up a binade means.
    constexpr int dropped = 52 - MantissaBits;
    const std::uint64_t odd = (magnitude >> dropped) & 1;
    const std::uint64_t nearest =
        (magnitude + ((std::uint64_t{1} << (dropped - 1)) - 1) + odd) >> dropped;
    const std::uint64_t rebased = nearest - (std::uint64_t(1023 - bias) << MantissaBits);
    return static_cast<Bits>(sign | (rebased < overflow_bits ? rebased : overflow_bits));
  }

  Bits bits_ = 0;
};

using binary16 = Format<5, 10>;                ///< IEEE 754 half precision.
using bfloat16 = Format<8, 7>;                 ///< binary32's range with 8 digits.
using e5m2 = Format<5, 2>;                     ///< OFP8: binary16's range with 3 digits.
using e4m3 = Format<4, 3, Specials::one_nan>;  ///< OFP8: 4 digits, up to 448; no infinity.

/// What rounding analysis asks of a format: u, the smallest normal number, a name.
template <class Real>
struct FormatTraits;

template <>
struct FormatTraits<double> {
  static constexpr const char* name = "binary64";
  static constexpr int digits = 53;
  static constexpr double min_normal = std::numeric_limits<double>::min();
};
template <>
struct FormatTraits<float> {
  static constexpr const char* name = "binary32";
  static constexpr int digits = 24;
  static constexpr double min_normal = std::numeric_limits<float>::min();
};
template <int E, int M, Specials S>
struct FormatTraits<Format<E, M, S>> {
  using Small = Format<E, M, S>;
  static constexpr const char* name = std::is_same_v<Small, binary16>   ? "binary16"
                                      : std::is_same_v<Small, bfloat16> ? "bfloat16"
                                      : std::is_same_v<Small, e5m2>     ? "e5m2"
                                      : std::is_same_v<Small, e4m3>     ? "e4m3"
                                                                        : "a small format";
  static constexpr int digits = M + 1;
  static constexpr double min_normal = double(Small::min_normal());
};

/// Unit roundoff u = 2^-digits: |fl(x) - x| <= u/(1+u) |x| where nothing under- or overflows.
template <class Real>
inline constexpr double unit_roundoff = 1.0 / static_cast<double>(std::uint64_t{1}
                                                                  << FormatTraits<Real>::digits);

}  // namespace embedscale

template <int E, int M, embedscale::Specials S>
struct std::numeric_limits<embedscale::Format<E, M, S>> {
  using Format = embedscale::Format<E, M, S>;
  static constexpr bool is_specialized = true, is_signed = true, is_integer = false;
  static constexpr bool is_exact = false, is_iec559 = Format::has_infinity, is_bounded = true;
  static constexpr bool has_infinity = Format::has_infinity, has_quiet_NaN = true;
  static constexpr int digits = M + 1, radix = 2;
  static constexpr int max_exponent = Format::bias + (has_infinity ? 1 : 2);
  static constexpr int min_exponent = 2 - Format::bias;
  static constexpr Format min() { return Format::min_normal(); }
  static constexpr Format max() { return Format::max(); }
  static constexpr Format lowest() { return -Format::max(); }
  static constexpr Format denorm_min() { return Format::min_subnormal(); }
  /// 0, as the standard has it, where there is no infinity.
  static constexpr Format infinity() {
    if constexpr (has_infinity)
      return Format::infinity();
    else
      return Format();
  }
  static constexpr Format quiet_NaN() { return Format::quiet_nan(); }
  static constexpr Format epsilon() { return Format(1.0 / (std::uint64_t{1} << M)); }
};
