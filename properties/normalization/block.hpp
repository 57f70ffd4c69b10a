#pragma once
// Blocks that the claims are tried on, each drawn from one index, so that a case is one integer;
// what goes through them, and how far 50 digits let two of them differ.
#include <embedscale/random.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include "block_primitives.hpp"
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
        if (out.size() < size) {
          const double entry = 0.125 + 0.875 * static_cast<double>(word >> 12) * 0x1p-52;
          out.push_back(static_cast<Real>(word % 2 == 0 ? entry : -entry));
        }
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

/// The attention's sub-layer, with the ε of its norm, then the network's.
template <AnalyticScalar Real>
std::vector<Real> through(const EncoderBlock<Real>& block, const std::vector<Real>& x,
                          const Real& first_epsilon, const BlockPrimitivesIn<Real>& primitives) {
  EncoderBlock<Real> first = block;
  first.norm.epsilon = first_epsilon;
  std::vector<Real> y(x.size(), Real(0)), out(x.size(), Real(0));
  primitives.attention_sublayer(first, std::span<const Real>(x), std::span<Real>(y));
  primitives.network_sublayer(block, std::span<const Real>(y), std::span<Real>(out));
  return out;
}
template <AnalyticScalar Real>
std::vector<Real> through(const EncoderBlock<Real>& block, const std::vector<Real>& x,
                          const BlockPrimitivesIn<Real>& primitives) {
  return through(block, x, block.norm.epsilon, primitives);
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
template <AnalyticScalar Real>
double least_divisor(const EncoderBlock<Real>& block, const std::vector<Real>& rows) {
  const std::size_t d = block.shape.d_model;
  double least = HUGE_VAL;
  for (std::size_t at = 0; at < rows.size(); at += d) {
    Real mean(0), squares(0);
    if (block.norm.kind == NormKind::layer_norm)
      for (std::size_t j = 0; j < d; ++j) mean = mean + rows[at + j] / Real(static_cast<int>(d));
    for (std::size_t j = 0; j < d; ++j)
      squares = squares + (rows[at + j] - mean) * (rows[at + j] - mean);
    least = std::min(least, std::sqrt(static_cast<double>(squares) / static_cast<double>(d)));
  }
  return least;
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
  for (std::size_t i = 0; i < h.size(); ++i) h[i] = h[i] + drawn.x[i];
  normalize<Wide>(block.shape, block.norm, h, y);
  feed_forward<Wide>(block.shape, block.weights, y, g);
  for (std::size_t i = 0; i < h.size(); ++i) g[i] = g[i] + y[i];
  double worst = 0;
  for (std::size_t i = 0; i < p.size(); ++i)
    worst = std::max(worst, static_cast<double>(Wide(abs(Wide(p[i] - q[i])))));
  return worst / (0x1p-139 * std::max(1.0, sharpness) * (1 + 1 / least_divisor(block, h)) *
                  (1 + 1 / least_divisor(block, g)));
}

}  // namespace embedscale::properties::normalization
