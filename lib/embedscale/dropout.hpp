#pragma once
// Inverted dropout, the last thing that happens to the input before the first block.
#include <embedscale/random.hpp>
#include <embedscale/scalar.hpp>

#include <cstdint>

namespace embedscale {

/// What a mask does to one channel.
enum class DropoutMask { dropped, kept };

/// The factor 1/(1−rate) that keeps the mean: difference and quotient in double, then one rounding
/// to Real.  Requires 0 <= rate < 1.  Errors  std::invalid_argument.
template <Scalar Real>
Real dropout_scale(double rate) {
  if (!(rate >= 0.0 && rate < 1.0)) throw std::invalid_argument("dropout: needs 0 <= rate < 1");
  return static_cast<Real>(1.0 / (1.0 - rate));
}

/// The counter-based mask of channel `index`: dropped with probability `rate`.
inline DropoutMask dropout_mask(const Stream& stream, std::uint64_t index, double rate) {
  return stream.uniform(index) < rate ? DropoutMask::dropped : DropoutMask::kept;
}

/// One channel under inverted dropout: fl(x·s) if kept, else 0.
/// Source    Srivastava et al. 2014, in the inverted form of today's frameworks.
template <Scalar Real>
constexpr Real dropout(const Real& x, DropoutMask mask, const Real& s) {
  return mask == DropoutMask::kept ? Real(x * s) : Real(0);
}

}  // namespace embedscale
