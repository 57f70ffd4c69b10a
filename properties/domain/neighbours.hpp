#pragma once
// Numbers that are hard to tell apart, and sums that nearly cancel.
#include <embedscale/random.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "floats.hpp"

namespace embedscale::properties::domain {

/// x and the number k ulps from it.
template <class Real>
struct Neighbours {
  Real x;
  std::int64_t k;
  Real y() const { return moved(x, k); }
};

/// How far apart neighbours are at most, unless it is said.
inline constexpr std::int64_t most_ulps = 64;

/// Whether these are two finite numbers of the mixture, 1 to `most` ulps apart.
template <class Real>
bool are_neighbours(const Neighbours<Real>& pair, const Mixture& mixture,
                    std::int64_t most = most_ulps) {
  return pair.k != 0 && std::abs(pair.k) <= most && contains(mixture, pair.x) &&
         std::isfinite(static_cast<double>(pair.x)) && std::isfinite(static_cast<double>(pair.y()));
}

/// Draw `index`: x of the mixture, k of either sign and uniform on a logarithmic scale. Where y
/// would be infinite, it is on the other side.
///
/// Requires  finite members in the mixture, no others; 1 <= most <= 2^20, less than half of them.
template <class Real>
Neighbours<Real> neighbours(const Stream& stream, std::uint64_t index, const Mixture& mixture,
                            std::int64_t most = most_ulps) {
  const auto words = stream.block(index, 1);
  const auto binade = words[0] % static_cast<std::uint64_t>(std::bit_width(std::uint64_t(most)));
  const auto size = static_cast<std::int64_t>((std::uint64_t{1} << binade) +
                                              (words[1] & ((std::uint64_t{1} << binade) - 1)));
  const std::int64_t k = std::min(size, most) * ((words[2] >> 63) != 0 ? -1 : 1);
  const Neighbours<Real> pair{any_float<Real>(stream, index, mixture), k};
  return std::isfinite(static_cast<double>(pair.y())) ? pair : Neighbours<Real>{pair.x, -k};
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

template <class Real>
bool nearly_cancels(const Cancelling<Real>& pair) {
  return std::abs(pair.k) <= most_cancelling_ulps && contains(cancelling_tokens(pair.m), pair.e);
}

/// Draw `index`: k is uniform on −4 … 4.
template <class Real>
Cancelling<Real> cancelling(const Stream& stream, std::uint64_t index, const Real& m) {
  const auto steps = static_cast<std::uint64_t>(2 * most_cancelling_ulps + 1);
  const auto k = static_cast<std::int64_t>(stream.block(index, 1)[0] % steps);
  return {any_float<Real>(stream, index, cancelling_tokens(m)), m, k - most_cancelling_ulps};
}

}  // namespace embedscale::properties::domain
