#pragma once
// Inverted dropout, the last thing that happens to the input before the first block.
#include <embedscale/random.hpp>
#include <embedscale/scalar.hpp>

#include <cstdint>

namespace embedscale {

/// What the mask does to a channel.
enum class Fate { dropped, kept };

/// The factor 1/(1−rate) that keeps the mean: difference and quotient in double, then one rounding
/// to Real.  Requires 0 <= rate < 1.  Errors  std::invalid_argument.
template <Scalar Real>
Real dropout_scale(double rate) {
  if (!(rate >= 0.0 && rate < 1.0)) throw std::invalid_argument("dropout: needs 0 <= rate < 1");
  return static_cast<Real>(1.0 / (1.0 - rate));
}

/// What a counter-based mask does to channel `index`: dropped with probability `rate`.
inline Fate dropout_fate(const Stream& mask, std::uint64_t index, double rate) {
  return mask.uniform(index) < rate ? Fate::dropped : Fate::kept;
}

/// One channel under inverted dropout: fl(x·s) if kept, else 0.
/// Source    Srivastava et al. 2014, in the inverted form of today's frameworks.
template <Scalar Real>
constexpr Real dropout(const Real& x, Fate fate, const Real& s) {
  return fate == Fate::kept ? Real(x * s) : Real(0);
}

}  // namespace embedscale
