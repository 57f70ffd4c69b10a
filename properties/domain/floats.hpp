#pragma once
// Floating-point numbers by class, on the logarithmic scale of their exponents: the sets that
// rounding properties draw from.
//
// Uniform draws would never be subnormal, zero or special, and would hardly leave one binade; here
// each class has a fixed share of the draws, and each exponent the same share of its class.
#include <embedscale/random.hpp>

#include <algorithm>
#include <array>
#include <cstdint>
#include <numeric>

#include "encoding.hpp"

namespace embedscale::properties::domain {

/// Shares of the kinds in a mixture, as weights; each sign has half of every kind. Exponents of
/// normal numbers stay within [lowest, highest] where the format has these.
struct Mixture {
  std::array<std::uint64_t, 5> weights;
  int lowest = -(1 << 14), highest = 1 << 14;
  bool negatives = true;  ///< whether there are negative members

  constexpr std::uint64_t weight(FloatKind kind) const {
    return weights[static_cast<std::size_t>(kind)];
  }
  constexpr std::uint64_t total() const {
    return std::accumulate(weights.begin(), weights.end(), std::uint64_t{0});
  }
  constexpr double share(FloatKind kind) const {
    return static_cast<double>(weight(kind)) / static_cast<double>(total());
  }
};

/// 3/4 normal, 1/8 subnormal, 1/16 zero, 1/32 infinite, 1/32 NaN.
inline constexpr Mixture every_float{{24, 4, 2, 1, 1}};
/// 4/5 normal, 2/15 subnormal, 1/15 zero.
inline constexpr Mixture finite_floats{{24, 4, 2, 0, 0}};
/// Normal numbers alone.
inline constexpr Mixture normal_floats{{1, 0, 0, 0, 0}};
/// Positive normal numbers of these exponents: 2^lowest <= x < 2^(highest+1).
constexpr Mixture positive_floats(int lowest, int highest) {
  return {{1, 0, 0, 0, 0}, lowest, highest, false};
}

/// The exponents of a mixture's normal members in a format.
template <class Real>
constexpr std::array<int, 2> exponents(const Mixture& mixture) {
  return {std::max(mixture.lowest, Encoding<Real>::least),
          std::min(mixture.highest, Encoding<Real>::greatest)};
}

template <class Real>
constexpr bool contains(const Mixture& mixture, Real x) {
  const FloatClass c = class_of(x);
  if (mixture.weight(c.kind) == 0 || (c.negative && !mixture.negatives)) return false;
  if (c.kind != FloatKind::normal) return true;
  const int exponent =
      static_cast<int>((bits_of(x) & (Encoding<Real>::sign - 1)) >> Encoding<Real>::mantissa_bits) -
      1 + Encoding<Real>::least;
  const auto [lowest, highest] = exponents<Real>(mixture);
  return lowest <= exponent && exponent <= highest;
}

/// `bits` bits to stand behind a leading one, from a uniform word: all of them uniform in a quarter
/// of the draws; in a quarter none, the last one, or all set, which puts the number on a power of
/// two or an ulp beside it, where relative errors are largest; else a uniform number of the first
/// ones, so that half of the draws are short.
constexpr std::uint64_t mantissa(std::uint64_t word, std::uint64_t shape, int bits) {
  if (bits == 0) return 0;
  const std::uint64_t all = word >> (64 - bits), last = std::uint64_t{1} << bits;
  switch (shape % 8) {
    case 0:
    case 1: return all;
    case 2: return (shape >> 3) % 2;
    case 3: return last - 1;
    default: break;
  }
  const auto dropped = static_cast<int>((shape >> 8) % static_cast<std::uint64_t>(bits + 1));
  return all >> dropped << dropped;
}

/// Draw `index` of a mixture. Exponents are uniform: of normal numbers over their range, of
/// subnormal ones (the place of the leading bit) over the mantissa.
template <class Real>
Real any_float(const Stream& stream, std::uint64_t index, const Mixture& mixture) {
  using Of = Encoding<Real>;
  const auto words = stream.block(index);
  const std::uint64_t negative = mixture.negatives ? words[0] >> 63 : 0;
  std::uint64_t place = (words[0] >> 8) % mixture.total();
  std::size_t kind = 0;
  while (place >= mixture.weights[kind]) place -= mixture.weights[kind++];
  switch (float_kinds[kind]) {
    case FloatKind::zero: return encoded<Real>(0, negative);
    case FloatKind::infinity: return encoded<Real>(Of::infinity, negative);
    case FloatKind::nan: return encoded<Real>(Of::quiet_nan, negative);
    case FloatKind::subnormal: {
      const auto bits = static_cast<int>(words[1] % static_cast<std::uint64_t>(Of::mantissa_bits));
      return encoded<Real>(std::uint64_t{1} << bits | mantissa(words[2], words[3], bits), negative);
    }
    case FloatKind::normal: break;
  }
  const auto [lowest, highest] = exponents<Real>(mixture);
  const std::uint64_t field = static_cast<std::uint64_t>(lowest - Of::least + 1) +
                              words[1] % static_cast<std::uint64_t>(highest - lowest + 1);
  return encoded<Real>(field << Of::mantissa_bits | mantissa(words[2], words[3], Of::mantissa_bits),
                       negative);
}

}  // namespace embedscale::properties::domain
