#pragma once
// The measure of parts_are_nearly_orthogonal: the mean square of a cosine over the symmetries that
// the law of a token row has.
#include <cstddef>
#include <vector>

#include "sums.hpp"

namespace embedscale::properties::concatenation {

/// Whether cos²(e, p) has the mean 1/d over all signs of the channels of e and all its rotations.
///
/// A law of independent channels that are alike and symmetric about 0 does not change under these
/// 2^d·d maps. If the mean over them is 1/d at every e != 0, it is 1/d under every such law.
///
/// Requires  an exact Real; e and p of one size d <= 16, neither 0.
template <Scalar Real>
bool mean_square_is_one_over_d(const Vector<Real>& e, const Vector<Real>& p,
                               const PrimitivesIn<Real>& primitives) {
  const std::size_t d = e.size(), signs = std::size_t{1} << d;
  Real sum(0);
  for (std::size_t shift = 0; shift < d; ++shift)
    for (std::size_t sign = 0; sign < signs; ++sign) {
      Vector<Real> mapped;
      for (std::size_t j = 0; j < d; ++j) {
        const Real& channel = e[(j + shift) % d];
        mapped.push_back((sign >> j) % 2 == 0 ? channel : -channel);
      }
      sum = sum + primitives.squared_cosine(mapped, p);
    }
  return sum == Real(static_cast<int>(signs));  // 2^d·d maps, times 1/d
}

/// The yardstick of "nearly": |cos| is at most this, with this probability.
inline constexpr double nearly = 0.1, nearly_always = 0.99;

}  // namespace embedscale::properties::concatenation
