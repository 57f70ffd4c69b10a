#pragma once
// What an encoder block and the gradients by hand do, as properties hold them to it: facts about
// primitives, as in primitives.hpp, that the claims about blocks and optimisers rest on.
#include <embedscale/block_gradient.hpp>
#include <embedscale/embedding.hpp>

#include <array>
#include <span>

#include "primitives.hpp"

namespace embedscale::properties::block {

using primitives::fact;

inline constexpr Claim forward_is_the_formula =
    fact("block.forward_is_the_formula",
         "a block gives N(y + F(y)) of y = N(x + A(x)), or y + F(N(y)) of y = x + A(N(x)), within "
         "the error that its roundings may have by a running analysis",
         Kind::bounded);
inline constexpr Claim layer_norm_gradient_is_transposed =
    fact("block.layer_norm_gradient_is_transposed",
         "<J v, g> = <v, Jᵀ g> for LayerNorm, J v by automatic differentiation and Jᵀ g by hand",
         Kind::bounded);
inline constexpr Claim rms_norm_gradient_is_transposed =
    fact("block.rms_norm_gradient_is_transposed", "the same for RMSNorm", Kind::bounded);
inline constexpr Claim feed_forward_gradient_is_transposed =
    fact("block.feed_forward_gradient_is_transposed",
         "the same for the feed-forward network, away from the kinks of its ReLU", Kind::bounded);
inline constexpr Claim self_attention_gradient_is_transposed = fact(
    "block.self_attention_gradient_is_transposed", "the same for self-attention", Kind::bounded);
inline constexpr Claim block_gradient_is_transposed = fact(
    "block.block_gradient_is_transposed", "the same for a block, away from kinks", Kind::bounded);
inline constexpr Claim token_gradient_is_transposed =
    fact("block.token_gradient_is_transposed",
         "the same for a smooth loss as a function of the token table: look-up, multiplier, "
         "positions, block, tokens repeated or not",
         Kind::bounded);

inline constexpr std::array facts{
    forward_is_the_formula,          layer_norm_gradient_is_transposed,
    rms_norm_gradient_is_transposed, feed_forward_gradient_is_transposed,
    block_gradient_is_transposed,    self_attention_gradient_is_transposed,
    token_gradient_is_transposed};

/// The primitives of the library, as the properties take them.
struct Library {
  template <AnalyticScalar Real>
  static void apply(const EncoderBlock<Real>& block, std::span<const Real> x, std::span<Real> out) {
    embedscale::apply<Real>(block, x, out);
  }
  template <AnalyticScalar Real>
  static void layer_norm_gradient(std::span<const Real> x, std::span<const Real> upstream,
                                  const Real& epsilon, EpsilonPlacement placement,
                                  std::span<Real> out) {
    embedscale::layer_norm_gradient<Real>(x, upstream, epsilon, placement, out);
  }
  template <AnalyticScalar Real>
  static void rms_norm_gradient(std::span<const Real> x, std::span<const Real> upstream,
                                const Real& epsilon, EpsilonPlacement placement,
                                std::span<Real> out) {
    embedscale::rms_norm_gradient<Real>(x, upstream, epsilon, placement, out);
  }
  template <Scalar Real>
  static void feed_forward_gradient(const LinearLayer<Real>& inner, const LinearLayer<Real>& outer,
                                    std::span<const Real> x, std::span<const Real> upstream,
                                    std::span<Real> out) {
    embedscale::feed_forward_gradient<Real>(inner, outer, x, upstream, out);
  }
  template <AnalyticScalar Real>
  static void self_attention_gradient(const BlockShape& shape, const BlockWeights<Real>& weights,
                                      std::span<const Real> x, std::span<const Real> upstream,
                                      std::span<Real> out) {
    embedscale::self_attention_gradient<Real>(shape, weights, x, upstream, out);
  }
  template <AnalyticScalar Real>
  static void apply_gradient(const EncoderBlock<Real>& block, std::span<const Real> x,
                             std::span<const Real> upstream, std::span<Real> out) {
    embedscale::apply_gradient<Real>(block, x, upstream, out);
  }
  /// From the gradient to the block's input to that of the table.
  template <Scalar Real>
  static void add_look_up_gradient(std::span<const std::size_t> tokens,
                                   std::span<const Real> slopes, const Real& m, std::size_t d,
                                   std::span<Real> gradient) {
    embedscale::add_look_up_gradient<Real>(tokens, slopes, m, d, gradient);
  }
};

}  // namespace embedscale::properties::block
