#pragma once
// Blocks that the claims are tried on, each drawn from one index, so that a case is one integer;
// what goes through them, and how far 50 digits let two of them differ. What a factor does to a
// post-norm block, and to a pre-norm block and a stack of them, branch and skip apart: to the bit
// where it is a power of two, and in 50 digits, within a derived bound, for any factor.
#include <embedscale/random.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <utility>
#include <vector>

#include "../conventions/scale.hpp"
#include "exact.hpp"

namespace embedscale::properties::normalization {

/// A block and its n tokens.
template <AnalyticScalar Real>
struct BlockCase {
  EncoderBlock<Real> block;
  std::vector<Real> x;
};

enum class Biases { none, all };

/// Entries of either sign and 1/8 to 1 in size, all from one index.
template <AnalyticScalar Real>
BlockCase<Real> drawn_block(const Stream& stream, std::uint64_t index, const BlockShape& shape,
                            std::size_t n, NormPlacement norms, Biases biases) {
  std::uint64_t next = 0;
  const auto entries = [&](std::size_t size) {
    std::vector<Real> out;
    while (out.size() < size)
      for (const auto word : stream.block(index, next++))
        if (const double entry = size_of_entry(word); out.size() < size)
          out.push_back(static_cast<Real>(word % 2 == 0 ? entry : -entry));
    return out;
  };
  const std::size_t d = shape.d_model;
  BlockCase<Real> drawn{{shape, norms, {}, {}}, entries(n * d)};
  drawn.block.norm.kind =
      stream.block(index, 1 << 20)[0] % 2 == 0 ? NormKind::layer_norm : NormKind::rms_norm;
  auto& w = drawn.block.weights;
  for (auto* matrix : {&w.query, &w.key, &w.value, &w.output}) *matrix = entries(d * d);
  for (auto* matrix : {&w.inner, &w.outer}) *matrix = entries(d * shape.d_ff);
  if (biases == Biases::none) return drawn;
  for (auto* b : {&w.query_bias, &w.key_bias, &w.value_bias, &w.output_bias, &w.outer_bias})
    *b = entries(d);
  w.inner_bias = entries(shape.d_ff);
  return drawn;
}

/// The attention's sub-layer of `first`, then the network's of `block`.
template <AnalyticScalar Real>
std::vector<Real> through(const EncoderBlock<Real>& first, const EncoderBlock<Real>& block,
                          const std::vector<Real>& x, const BlockPrimitivesIn<Real>& primitives) {
  std::vector<Real> y(x.size(), Real(0)), out(x.size(), Real(0));
  primitives.attention_sublayer(first, std::span<const Real>(x), std::span<Real>(y));
  primitives.network_sublayer(block, std::span<const Real>(y), std::span<Real>(out));
  return out;
}
template <AnalyticScalar Real>
std::vector<Real> through(const EncoderBlock<Real>& block, const std::vector<Real>& x,
                          const BlockPrimitivesIn<Real>& primitives) {
  return through(block, block, x, primitives);
}

/// RMS of p − q over RMS of q.
template <AnalyticScalar Real>
Real relative_deviation(const std::vector<Real>& p, const std::vector<Real>& q) {
  using std::sqrt;
  auto gap = p;
  for (std::size_t i = 0; i < p.size(); ++i) gap[i] = p[i] - q[i];
  return Real(sqrt(mean_square(gap))) / Real(sqrt(mean_square(q)));
}

/// The least root of the mean square that the block's norm divides rows by.
inline double least_divisor(const EncoderBlock<Wide>& block, const std::vector<Wide>& rows) {
  const std::size_t d = block.shape.d_model;
  double least = HUGE_VAL;
  for (std::size_t at = 0; at < rows.size(); at += d) {
    Wide mean(0), squares(0);
    for (std::size_t j = 0; j < d && block.norm.kind == NormKind::layer_norm; ++j)
      mean += rows[at + j] / Wide(static_cast<int>(d));
    for (std::size_t j = 0; j < d; ++j) squares += (rows[at + j] - mean) * (rows[at + j] - mean);
    least = std::min(least, std::sqrt(static_cast<double>(squares) / static_cast<double>(d)));
  }
  return least;
}

/// max |p − q|
inline double farthest(const std::vector<Wide>& p, const std::vector<Wide>& q) {
  double worst = 0;
  for (std::size_t i = 0; i < p.size(); ++i)
    worst = std::max(worst, static_cast<double>(Wide(abs(p[i] - q[i]))));
  return worst;
}

/// Tokens, channels and hidden channels of the blocks that are run in 50 digits.
inline constexpr std::size_t wide_tokens = 2;
inline constexpr BlockShape wide_shape{4, 1, 4};

/// max |p − q| of what two blocks of wide_shape with entries of at most 1 give, as a share of what
/// 50 digits allow, u = 2^−166 at most: 2^27·u·(1 + 1/D_1)(1 + 1/D_2), with D_i the norms'
/// divisors, times c² > 1 where logits are c² times as large.
///
/// In units of what a query, key, value is made of (|W||x| + |b| <= 5 times its factor): d + 6
/// roundings each, so a logit is off by 26u·s·Σ <= 1300u, a weight by 2610u of itself, the mean of
/// the values by 5·2640u, A by 4 times that and its own, x + A by 5.6·10^4·u times c. A norm of 4
/// channels, |N| <= 2, divides by c·D_1 and makes 6 times that over D_1 of it, and 24u: E <=
/// 3.4·10^5·u/D_1 + 24u. The network makes 17·E + 640u of it, the second norm 6·(17·E + 640u)/D_2 +
/// 24u; two sides: 7·10^7·u/(D_1·D_2) and smaller terms. A b_K that stays where keys are a/c >= 1/4
/// times as large makes 1.6 of the Σ: 1.2·10^8, below 2^27.
inline double share_of_bound(const BlockCase<Wide>& drawn, const std::vector<Wide>& p,
                             const std::vector<Wide>& q, double sharpness) {
  std::vector<Wide> h(drawn.x.size(), Wide(0)), y = h, g = h;
  const auto& block = drawn.block;
  self_attention<Wide>(block.shape, block.weights, drawn.x, h);
  h = sum(h, drawn.x);
  normalize<Wide>(block.shape, block.norm, h, y);
  feed_forward<Wide>(block.shape, block.weights, y, g);
  g = sum(g, y);
  return farthest(p, q) / (0x1p-139 * std::max(1.0, sharpness) * (1 + 1 / least_divisor(block, h)) *
                           (1 + 1 / least_divisor(block, g)));
}

/// The block for c·x in `block`'s place.
template <AnalyticScalar Real>
EncoderBlock<Real> compensated(EncoderBlock<Real> block, const Real& c, const Real& a,
                               const BlockPrimitivesIn<Real>& primitives) {
  block.weights = primitives.compensated(std::move(block.weights), c, a);
  return block;
}

template <AnalyticScalar Real>
std::vector<Real> branch_of(const EncoderBlock<Real>& block, const std::vector<Real>& x,
                            const BlockPrimitivesIn<Real>& primitives) {
  std::vector<Real> out(x.size(), Real(0));
  primitives.branch(block, std::span<const Real>(x), std::span<Real>(out));
  return out;
}

/// RMS of the first branch over RMS of what passes it by.
template <AnalyticScalar Real>
double branch_to_skip(const EncoderBlock<Real>& block, const std::vector<Real>& x,
                      const BlockPrimitivesIn<Real>& primitives) {
  return conventions::root_mean_square(branch_of(block, x, primitives)) /
         conventions::root_mean_square(x);
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
  return farthest(p, q) / (0x1p-144 * (1 + 1 / least_divisor(drawn.block, drawn.x)));
}

/// Blocks one after another.
template <AnalyticScalar Real>
std::vector<Real> through_stack(const std::vector<EncoderBlock<Real>>& blocks, std::vector<Real> x,
                                const BlockPrimitivesIn<Real>& primitives) {
  for (const auto& block : blocks) x = through(block, x, primitives);
  return x;
}

/// A final norm, the block's, behind a stack.
template <AnalyticScalar Real>
std::vector<Real> finally_normed(const EncoderBlock<Real>& block, std::vector<Real> out) {
  normalize<Real>(block.shape, block.norm, out, out);
  return out;
}

}  // namespace embedscale::properties::normalization
