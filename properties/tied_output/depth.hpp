#pragma once
// The measures of copies_its_input behind blocks: what the tokens' own logits are there, in models
// as they start, and that branches leave the state's mean over the signs of their last matrices
// where it was.
#include <embedscale/format.hpp>

#include <cmath>
#include <vector>

#include "primitives.hpp"

namespace embedscale::properties::tied_output {

/// Of the tokens of one sequence, and means over them.
struct OwnLogits {
  std::vector<double> logits;
  double overlap = 0;        ///< ⟨e, x⟩, e the token's row and x its state
  double mean_square = 0;    ///< of x over channels
  double others_square = 0;  ///< of the logits of the sequence's other tokens, squared
};

/// Behind an RMSNorm of the states x, token i being row i of the table.
///
/// Requires  two rows or more, x of the table's size.
inline OwnLogits own_logits(const EmbeddingTable<double>& rows, std::span<const double> x, double c,
                            const Primitives& primitives) {
  const std::size_t n = rows.vocabulary(), d = rows.width();
  const double tokens = static_cast<double>(n);
  OwnLogits found;
  std::vector<double> h(d), z(n);
  for (std::size_t i = 0; i < n; ++i) {
    const auto state = x.subspan(i * d, d);
    primitives.of<double>().normalise(state, Norm::rms_norm, h);
    primitives.of<double>().logits(rows, h, c, z);
    found.logits.push_back(z[i]);
    found.overlap += dot(rows.row(i), state) / tokens;
    found.mean_square += dot(state, state) / static_cast<double>(d) / tokens;
    found.others_square += (dot<double>(z, z) - z[i] * z[i]) / tokens / (tokens - 1);
  }
  return found;
}

/// What comes out of the block with its two last matrices times these signs.
inline std::vector<double> with_signs(EncoderBlock<double> block, const std::vector<double>& x,
                                      double attention, double network,
                                      const Primitives& primitives) {
  for (double& w : block.weights.output) w *= attention;
  for (double& w : block.weights.outer) w *= network;
  std::vector<double> out(x.size());
  primitives.block(block, x, out);
  return out;
}

/// The farthest that a state's mean over the four signs of a pre-norm block's last matrices is from
/// the state, over its bound. Over the reals they agree: x ± A, and then ± F of either.
///
/// A and F change their signs exactly. Sums y = fl(x ± A) are off by u·|y| and count twice, those
/// that come out by u·|out|, the sum of four here by 3u of their sizes, the quarter by nothing. y
/// is half of two that come out, but for their roundings: |y| <= their mean size·(1 + u). So 5u of
/// the mean of |out|, and higher orders.
///
/// Requires  no biases.
inline double mean_over_signs_share_of_bound(const EncoderBlock<double>& block,
                                             const std::vector<double>& x,
                                             const Primitives& primitives) {
  std::vector<double> sum(x.size()), size(x.size());
  for (const double attention : {1.0, -1.0})
    for (const double network : {1.0, -1.0}) {
      const auto out = with_signs(block, x, attention, network, primitives);
      for (std::size_t i = 0; i < x.size(); ++i) sum[i] += out[i], size[i] += std::abs(out[i]);
    }
  double worst = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    const double bound = 5 * unit_roundoff<double> * (size[i] / 4) * (1 + 0x1p-20);
    const double off = std::abs(sum[i] / 4 - x[i]);
    if (off > 0) worst = std::max(worst, off / bound);
  }
  return worst;
}

}  // namespace embedscale::properties::tied_output
