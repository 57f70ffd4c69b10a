#pragma once
// What an encoder block and the gradients by hand do: facts about primitives, as in
// primitives/claims.hpp, that the claims about blocks and optimisers rest on.
#include <array>

#include "../primitives/claims.hpp"

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

}  // namespace embedscale::properties::block
