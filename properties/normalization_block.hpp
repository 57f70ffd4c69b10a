#pragma once
// Does a whole block hide the common factor? The claims about encoder blocks, and the primitives
// they are about. Their measures stand in normalization_block_exact.hpp and
// normalization_block_sizes.hpp.
#include <embedscale/block.hpp>

#include <array>
#include <span>
#include <vector>

#include "claim.hpp"

namespace embedscale::properties::normalization {

inline constexpr Claim post_norm_block{
    .id = "normalization.post_norm_block",
    .said = "A post-norm block does not notice a common factor.",
    .states =
        "with ε = 0 and c > 0 a post-norm block gives c·x what it gives x if W_Q is divided by a "
        "and W_K by b with ab = c², b_Q multiplied by c/a, and W_O·b_V + b_O by c (so if b_V and "
        "b_O are), whatever b_K; nothing behind the first norm has to change; with ε > 0 the first "
        "norm's ε has to be multiplied by c², or by c beside the root; with weights as they were "
        "and no biases the block is that of x with W_Q·c², a softmax of temperature c^−2, in "
        "floating point to the bit where c and a are powers of two and nothing under- or overflows",
    .kind = Kind::bounded,
    .asked_in = {"S0", "sand3"},
    .cites = {"vaswani2017", "higham2002"},
    .measures = {"outputs_changed", "outputs_that_stay", "harmless_changes",
                 "temperature_disagreements", "bit_disagreements", "worst_share_of_bound",
                 "block_deviation"}};

inline constexpr Claim pre_norm_block{
    .id = "normalization.pre_norm_block",
    .said = "LayerNorm comes next, so it does not matter.",
    .states =
        "with ε = 0 and c > 0 the branch of a pre-norm block is that of x, A(N(c·x)) = A(N(x)), "
        "and the skip carries c: RMS of branch over RMS of skip is 1/c times that of x; so neither "
        "the next norm nor a final one absorbs c, unless W_O, b_O, W_2 and b_2 of every block are "
        "multiplied by c, too; with ε > 0 the branch is that of x with ε/c², or ε/c beside the "
        "root; in floating point all of this holds to the bit where c is a power of two and "
        "nothing under- or overflows",
    .kind = Kind::bounded,
    .asked_in = {"S0", "onmt1722"},
    .cites = {"xiong2020", "higham2002"},
    .measures = {"branch_disagreements", "absorbed_disagreements", "final_outputs_that_stay",
                 "bit_disagreements", "worst_share_of_bound", "branch_to_skip", "stack_deviation",
                 "branch_deviation"}};

inline constexpr std::array block_claims{post_norm_block, pre_norm_block};

/// The primitives of the library, as the properties take them: the two sub-layers of a block, the
/// first one's branch, and what undoes a factor. Write such a type of your own to put your own code
/// under the same properties.
struct BlockLibrary {
  /// x + A(N(x)) or N(x + A(x)).
  template <AnalyticScalar Real>
  static void attention_sublayer(const EncoderBlock<Real>& block, std::span<const Real> x,
                                 std::span<Real> out) {
    add_sublayer<Real>(
        block,
        [&](auto from, auto to) { self_attention<Real>(block.shape, block.weights, from, to); }, x,
        out);
  }
  /// y + F(N(y)) or N(y + F(y)).
  template <AnalyticScalar Real>
  static void network_sublayer(const EncoderBlock<Real>& block, std::span<const Real> y,
                               std::span<Real> out) {
    add_sublayer<Real>(
        block,
        [&](auto from, auto to) { feed_forward<Real>(block.shape, block.weights, from, to); }, y,
        out);
  }
  /// A(N(x)) of a pre-norm block.
  template <AnalyticScalar Real>
  static void branch(const EncoderBlock<Real>& block, std::span<const Real> x,
                     std::span<Real> out) {
    normalize<Real>(block.shape, block.norm, x, out);
    self_attention<Real>(block.shape, block.weights, out, out);
  }

  /// The post-norm block that does with c·x what `block` does with x: W_Q/a, W_K/(c²/a), and the
  /// biases that hang on it. a = c divides both alike, a = c² the queries alone. b_K stays: it adds
  /// the same number to a query's every logit.
  ///
  /// Requires  a, c > 0.
  template <AnalyticScalar Real>
  static BlockWeights<Real> compensated(BlockWeights<Real> weights, const Real& c, const Real& a) {
    const Real b = Real(c * c) / a, query = c / a;
    divide(weights.query, a);
    divide(weights.key, b);
    multiply(weights.query_bias, query);
    multiply(weights.value_bias, c);
    multiply(weights.output_bias, c);
    return weights;
  }
  /// The weights of a pre-norm block whose branches carry c as the skip does.
  template <AnalyticScalar Real>
  static BlockWeights<Real> with_scaled_branches(BlockWeights<Real> weights, const Real& c) {
    multiply(weights.output, c);
    multiply(weights.output_bias, c);
    multiply(weights.outer, c);
    multiply(weights.outer_bias, c);
    return weights;
  }

  template <Scalar Real>
  static void multiply(std::vector<Real>& values, const Real& by) {
    for (Real& value : values) value = value * by;
  }
  template <Scalar Real>
  static void divide(std::vector<Real>& values, const Real& by) {
    for (Real& value : values) value = value / by;
  }
};

}  // namespace embedscale::properties::normalization
