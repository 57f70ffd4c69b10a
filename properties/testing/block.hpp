#pragma once
// The attempts to refute the facts of block.hpp, for any primitives of Library's shape.
#include <cstddef>
#include <string>
#include <vector>

#include "../block_differentiation.hpp"
#include "../block_functions.hpp"
#include "generators/numbers.hpp"
#include "property.hpp"

namespace embedscale::properties::testing {

namespace generators {

/// Blocks of at most six channels. Simplified to pre-norm, LayerNorm, no ε and no biases.
inline block::Sample block_sample() {
  const auto heads = named("heads", in_range<std::size_t>(1, 3));
  const auto d_k = named("d_k", in_range<std::size_t>(heads == 1 ? 2 : 1, 4));
  const auto d_ff = named("d_ff", in_range<std::size_t>(1, 6));
  const auto tokens = named("tokens", in_range<std::size_t>(1, 5));
  const bool post = named("post-norm", in_range(0, 2)) != 0;
  const bool rms = named("rms", in_range(0, 2)) != 0;
  const bool beside = named("epsilon beside the root", in_range(0, 2)) != 0;
  const int epsilon = named("epsilon", in_range(0, 3));
  const int biases = named("biases", in_range(0, 3));
  return {{heads * d_k, heads, d_ff},
          tokens,
          post ? NormPlacement::post : NormPlacement::pre,
          rms ? NormKind::rms_norm : NormKind::layer_norm,
          beside ? EpsilonPlacement::standard_deviation : EpsilonPlacement::variance,
          epsilon == 0   ? 0.0
          : epsilon == 1 ? 0x1p-10
                         : 1.0,
          static_cast<block::Biases>(biases),
          named("draw", draws())};
}

}  // namespace generators

/// A ReLU whose argument is nearer to 0 than this is left alone: rounding moves it by less than
/// 2^-30, and so does h v. One case in 10^5.
inline constexpr double nearest_kink = 0x1p-20;

/// The adjoint identity of a function of so many numbers that gives so many.
template <class Function, class Gradient>
void adjoint_holds(const Function& f, const Gradient& gradient, const std::vector<double>& x,
                   std::size_t outputs, std::uint64_t draw) {
  block::Normals normals(draw, "directions");
  const auto v = normals(x.size()), g = normals(outputs);
  holds(block::adjoint_share<double>(f, gradient, x, v, g));
}

PROPERTY(block, forward_is_the_formula, in_double) {
  const auto sample = generators::block_sample();
  const auto x = block::Normals(sample.draw, "x")(sample.tokens * sample.shape.d_model);
  const bool smooth = block::distance_to_kink(block::block_of(sample), x) > nearest_kink;
  covers("away from kinks", smooth, 0.6);
  covers("pre-norm", sample.norms == NormPlacement::pre, 0.3);
  covers("post-norm", sample.norms == NormPlacement::post, 0.3);
  covers("all biases", sample.biases == block::Biases::all, 0.2);
  covers("two heads", sample.shape.heads == 2, 0.3);
  if (smooth) holds(block::forward_share<double>(sample, x, subject));
}

PROPERTY(block, layer_norm_gradient_is_transposed, in_double) {
  auto sample = generators::block_sample();
  sample.kind = NormKind::layer_norm;
  covers("no epsilon", sample.epsilon == 0.0, 0.2);
  covers("epsilon beside the root",
         sample.epsilon > 0.0 && sample.placement == EpsilonPlacement::standard_deviation, 0.2);
  const auto x = block::Normals(sample.draw, "x")(sample.shape.d_model);
  adjoint_holds(block::OneNorm{sample}, block::OneNormGradient<Subject>{sample, subject}, x,
                x.size(), sample.draw);
}

PROPERTY(block, rms_norm_gradient_is_transposed, in_double) {
  auto sample = generators::block_sample();
  sample.kind = NormKind::rms_norm;
  covers("no epsilon", sample.epsilon == 0.0, 0.2);
  covers("epsilon beside the root",
         sample.epsilon > 0.0 && sample.placement == EpsilonPlacement::standard_deviation, 0.2);
  const auto x = block::Normals(sample.draw, "x")(sample.shape.d_model);
  adjoint_holds(block::OneNorm{sample}, block::OneNormGradient<Subject>{sample, subject}, x,
                x.size(), sample.draw);
}

PROPERTY(block, feed_forward_gradient_is_transposed, in_double) {
  const auto sample = generators::block_sample();
  const auto x = block::Normals(sample.draw, "x")(sample.shape.d_model);
  const auto weights = block::block_of(sample).weights;
  const bool smooth = block::distance_to_kink(weights, x.size(), x) > nearest_kink;
  covers("away from kinks", smooth, 0.6);
  covers("with a bias", !weights.inner_bias.empty(), 0.4);
  if (smooth)
    adjoint_holds(block::Network{sample}, block::NetworkGradient<Subject>{sample, subject}, x,
                  x.size(), sample.draw);
}

PROPERTY(block, self_attention_gradient_is_transposed, in_double) {
  const auto sample = generators::block_sample();
  const auto x = block::Normals(sample.draw, "x")(sample.tokens * sample.shape.d_model);
  covers("two heads", sample.shape.heads == 2, 0.3);
  covers("two tokens or more", sample.tokens > 1, 0.4);
  covers("all biases", sample.biases == block::Biases::all, 0.2);
  adjoint_holds(block::Attention{sample}, block::AttentionGradient<Subject>{sample, subject}, x,
                x.size(), sample.draw);
}

PROPERTY(block, block_gradient_is_transposed, in_double) {
  const auto sample = generators::block_sample();
  const auto x = block::Normals(sample.draw, "x")(sample.tokens * sample.shape.d_model);
  const bool smooth = block::distance_to_kink(block::block_of(sample), x) > nearest_kink;
  covers("away from kinks", smooth, 0.6);
  covers("pre-norm", sample.norms == NormPlacement::pre, 0.3);
  covers("post-norm", sample.norms == NormPlacement::post, 0.3);
  if (smooth)
    adjoint_holds(block::Block{sample}, block::BlockGradient<Subject>{sample, subject}, x, x.size(),
                  sample.draw);
}

PROPERTY(block, token_gradient_is_transposed, in_double) {
  const auto sample = generators::block_sample();
  const block::TokenPath path(sample);
  const auto table =
      block::Normals(sample.draw, "table")(path.vocabulary * sample.shape.d_model, 1.0 / path.m);
  const auto x = path.input<double>(table);
  const bool smooth = block::distance_to_kink(block::block_of(sample), x) > nearest_kink;
  covers("away from kinks", smooth, 0.6);
  covers("repeats a token", path.repeats_a_token(), 0.3);
  if (smooth)
    adjoint_holds(path, block::TokenPathGradient<Subject>{path, subject}, table, 1, sample.draw);
}

}  // namespace embedscale::properties::testing
