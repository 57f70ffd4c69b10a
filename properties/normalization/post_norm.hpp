#pragma once
// What a factor does to a post-norm block: to the bit where it is a power of two, and in 50 digits,
// within a derived bound, for any factor.
#include <utility>

#include "block.hpp"

namespace embedscale::properties::normalization {

/// The block for c·x in `block`'s place.
template <AnalyticScalar Real>
EncoderBlock<Real> compensated(EncoderBlock<Real> block, const Real& c, const Real& a,
                               const BlockPrimitivesIn<Real>& primitives) {
  block.weights = primitives.compensated(std::move(block.weights), c, a);
  return block;
}

/// The ε for c·x: of the first norm alone.
template <AnalyticScalar Real>
Real epsilon_for(const BlockNorm<Real>& norm, const Real& c) {
  return expected::rescaled_epsilon(norm.epsilon, Real(Real(1) / c), norm.placement);
}

/// Whether the compensated block gives c·x the bits that the block gives x. The keys' bias is made
/// c/b = a/c times as large, as the keys are: over the reals it might stay.
///
/// Requires  c and a powers of two, ε = 0.
template <AnalyticScalar Real>
bool has_bits_when_compensated(const BlockCase<Real>& drawn, const Real& c, const Real& a,
                               const BlockPrimitivesIn<Real>& primitives) {
  auto block = compensated(drawn.block, c, a, primitives);
  multiply(block.weights.key_bias, Real(a / c));
  return through(block, product(c, drawn.x), primitives) ==
         through(drawn.block, drawn.x, primitives);
}

/// Whether the block gives c·x the bits that it gives x with queries c² times as large.
///
/// Requires  c a power of two, ε = 0, no biases before the first norm.
template <AnalyticScalar Real>
bool has_bits_of_temperature(const BlockCase<Real>& drawn, const Real& c,
                             const BlockPrimitivesIn<Real>& primitives) {
  auto sharper = drawn.block;
  multiply(sharper.weights.query, Real(c * c));
  return through(drawn.block, product(c, drawn.x), primitives) ==
         through(sharper, drawn.x, primitives);
}

/// The compensated block on c·x against the block on x, with the first norm's ε for c.
///
/// Requires  1/4 <= a/c <= 4.
inline double compensated_share(const BlockCase<Wide>& drawn, const Wide& c, const Wide& a,
                                const BlockPrimitives& primitives) {
  const auto block = compensated(drawn.block, c, a, primitives);
  return share_of_bound(
      drawn, through(block, product(c, drawn.x), epsilon_for(drawn.block.norm, c), primitives),
      through(drawn.block, drawn.x, primitives), 1);
}

}  // namespace embedscale::properties::normalization
