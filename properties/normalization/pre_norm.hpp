#pragma once
// What a factor does to a pre-norm block and to a stack of them: the branch and the skip apart.
#include <array>
#include <cmath>
#include <vector>

#include "block.hpp"

namespace embedscale::properties::normalization {

template <AnalyticScalar Real>
std::vector<Real> branch_of(const EncoderBlock<Real>& block, const std::vector<Real>& x,
                            const BlockPrimitivesIn<Real>& primitives) {
  std::vector<Real> out(x.size(), Real(0));
  primitives.branch(block, std::span<const Real>(x), std::span<Real>(out));
  return out;
}

template <Scalar Real>
double rms(const std::vector<Real>& x) {
  double squares = 0;
  for (const Real& value : x) squares += static_cast<double>(value) * static_cast<double>(value);
  return std::sqrt(squares / static_cast<double>(x.size()));
}

/// RMS of the first branch over RMS of what passes it by.
template <AnalyticScalar Real>
double branch_to_skip(const EncoderBlock<Real>& block, const std::vector<Real>& x,
                      const BlockPrimitivesIn<Real>& primitives) {
  return rms(branch_of(block, x, primitives)) / rms(x);
}

/// The block whose norm has, for x, the ε that `block`'s has for c·x.
template <AnalyticScalar Real>
EncoderBlock<Real> with_epsilon_of(EncoderBlock<Real> block, const Real& c) {
  block.norm.epsilon = expected::rescaled_epsilon(block.norm.epsilon, c, block.norm.placement);
  return block;
}

/// Whether the branch of c·x has the bits of that of x with ε for c, what leaves the sub-layer
/// those of c·x + branch, and branch-to-skip those of 1/c times that of x.
///
/// Requires  c a power of two.
template <AnalyticScalar Real>
bool has_bits_of_branch(const BlockCase<Real>& drawn, const Real& c,
                        const BlockPrimitivesIn<Real>& primitives) {
  const auto& [block, x] = drawn;
  const auto same = with_epsilon_of(block, c);
  const auto scaled = product(c, x), branch = branch_of(same, x, primitives);
  auto sum = scaled;
  for (std::size_t i = 0; i < sum.size(); ++i) sum[i] = sum[i] + branch[i];
  std::vector<Real> out(x.size(), Real(0));
  primitives.attention_sublayer(block, std::span<const Real>(scaled), std::span<Real>(out));
  return branch_of(block, scaled, primitives) == branch && out == sum &&
         branch_to_skip(block, scaled, primitives) * static_cast<double>(c) ==
             branch_to_skip(same, x, primitives);
}

/// |A(N(c·x)) − A(N(x))| in 50 digits as a share of 2^22·u·(1 + 1/D), D the norm's divisor, with
/// ε = 0 and a block of wide_shape.
///
/// Channels off by 12u make E = 96u·(1 + 1/D) of N at most, as in share_of_bound. A query, key or
/// value (|.| <= 9) is off by 4E + 81u, a logit by 144E + 4212u, a weight by 288E + 8432u of
/// itself, the mean of the values by 9 times that and 4E + 81u, A by 4 times all: 10400E + 3.1·10^5
/// u; two sides: 2.7·10^6·u·(1 + 1/D), below 2^22.
inline double branch_share(const BlockCase<Wide>& drawn, const Wide& c,
                           const BlockPrimitives& primitives) {
  const auto p = branch_of(drawn.block, product(c, drawn.x), primitives);
  const auto q = branch_of(drawn.block, drawn.x, primitives);
  double worst = 0;
  for (std::size_t i = 0; i < p.size(); ++i)
    worst = std::max(worst, static_cast<double>(Wide(abs(Wide(p[i] - q[i])))));
  return worst / (0x1p-144 * (1 + 1 / least_divisor(drawn.block, drawn.x)));
}

/// Blocks one after another.
template <AnalyticScalar Real>
std::vector<Real> through_stack(const std::vector<EncoderBlock<Real>>& blocks, std::vector<Real> x,
                                const BlockPrimitivesIn<Real>& primitives) {
  for (const auto& block : blocks) x = through(block, x, primitives);
  return x;
}

/// A final norm, the first block's, behind a stack.
template <AnalyticScalar Real>
std::vector<Real> final_output(const std::vector<EncoderBlock<Real>>& blocks,
                               const std::vector<Real>& x,
                               const BlockPrimitivesIn<Real>& primitives) {
  auto out = through_stack(blocks, x, primitives);
  normalize<Real>(blocks[0].shape, blocks[0].norm, out, out);
  return out;
}

/// Whether a stack whose branches carry c as well gives c·x, c times, the bits that it gives x, so
/// that the final norm takes c away.
///
/// Requires  c a power of two, ε = 0.
template <AnalyticScalar Real>
bool has_bits_when_branches_carry_it(const std::vector<EncoderBlock<Real>>& blocks,
                                     const std::vector<Real>& x, const Real& c,
                                     const BlockPrimitivesIn<Real>& primitives) {
  auto scaled = blocks;
  for (auto& block : scaled)
    block.weights = primitives.with_scaled_branches(std::move(block.weights), c);
  return through_stack(scaled, product(c, x), primitives) ==
             product(c, through_stack(blocks, x, primitives)) &&
         final_output(scaled, product(c, x), primitives) == final_output(blocks, x, primitives);
}

}  // namespace embedscale::properties::normalization
