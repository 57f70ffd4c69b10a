#pragma once
// Concatenation instead of addition: token and position keep channels of their own. Zero padding
// makes one a case of the other, [e; p] = [e; 0] + [0; p], so whatever holds of sums of vectors
// holds of concatenated ones; the two parts are then orthogonal by construction.
#include <embedscale/scalar.hpp>

#include <algorithm>
#include <span>

namespace embedscale {

/// out = [e; p]: d_t channels of e, then d_p channels of p.
///
/// Requires  out of size d_t + d_p, apart from e and p in memory.
/// Ensures   ‖out‖² = ‖e‖² + ‖p‖² over the reals; no rounding: every channel is a copy.
/// Errors    std::invalid_argument where the size of out is not the sum.
template <Scalar Real>
void concatenate(std::span<const Real> e, std::span<const Real> p, std::span<Real> out) {
  require_size("concatenate: output", out.size(), e.size() + p.size());
  std::ranges::copy(p, std::ranges::copy(e, out.begin()).out);
}

/// out = [e; 0], as wide as out.  Errors    std::invalid_argument where out is narrower than e.
template <Scalar Real>
void pad_right(std::span<const Real> e, std::span<Real> out) {
  if (out.size() < e.size()) require_size("pad_right: output", out.size(), e.size());
  std::ranges::fill(out, Real(0));
  std::ranges::copy(e, out.begin());
}

/// out = [0; p], as wide as out.  Errors    std::invalid_argument where out is narrower than p.
///
/// Ensures   pad_right(e) + pad_left(p) equals concatenate(e, p), in floating point too: x + 0 = x
///           (the sum has +0 where a part has −0, and these compare equal).
template <Scalar Real>
void pad_left(std::span<const Real> p, std::span<Real> out) {
  if (out.size() < p.size()) require_size("pad_left: output", out.size(), p.size());
  std::ranges::fill(out, Real(0));
  std::ranges::copy(p, out.last(p.size()).begin());
}

}  // namespace embedscale
