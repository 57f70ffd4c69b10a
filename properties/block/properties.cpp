// The attempts to refute the facts about blocks, with what each has to reject.
#include "claims.hpp"
#include "functions.hpp"
#include "trials.hpp"

namespace embedscale::properties::block {

using namespace testing;

namespace {

/// Blocks of at most six channels. Simplified to pre-norm, LayerNorm, no ε and no biases.
Sample drawn_sample() {
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
          static_cast<Biases>(biases),
          named("draw", draws())};
}

/// Whether every argument of a ReLU is further from 0 than 2^-20: rounding moves it by less than
/// 2^-30. All but one case in 10^5 are.
template <class Function>
bool is_away_from_kinks(const Function& f) {
  const bool smooth = f.distance_to_kink(f.point()) > 0x1p-20;
  covers("away from kinks", smooth, 0.6);
  return smooth;
}

/// The adjoint identity.
template <class Function>
void adjoint_holds(const Function& f, const Primitives& subject) {
  const auto x = f.point();
  Normals normals(f.sample.draw, "directions");
  const auto v = normals(x.size()), g = normals(f.outputs());
  holds(adjoint_share(f, subject, x, v, g));
}

void norm_gradient_holds(NormKind kind, const Primitives& subject) {
  auto sample = drawn_sample();
  sample.kind = kind;
  sample.shape.d_model = named("channels of the norm", widths_by_size({2, 128}));
  covers("no epsilon", sample.epsilon == 0.0, 0.2);
  covers("epsilon beside the root",
         sample.epsilon > 0.0 && sample.placement == EpsilonPlacement::standard_deviation, 0.2);
  adjoint_holds(OneNorm(sample), subject);
}

}  // namespace

const Properties<Primitives> properties{
    {forward_is_the_formula,
     "in_double",
     [](const Primitives& subject) {
       const Block block(drawn_sample());
       const auto& sample = block.sample;
       const bool smooth = is_away_from_kinks(block);
       covers("pre-norm", sample.norms == NormPlacement::pre, 0.3);
       covers("post-norm", sample.norms == NormPlacement::post, 0.3);
       covers("all biases", sample.biases == Biases::all, 0.2);
       covers("two heads", sample.shape.heads == 2, 0.3);
       if (smooth) holds(forward_share(block, subject));
     },
     {"normalizes_on_the_other_side", "attends_with_one_head", "opens_negative_units",
      "scales_logits_by_all_heads", "forgets_the_output_bias", "bends_one_weight"}},
    {layer_norm_gradient_is_transposed,
     "in_double",
     [](const Primitives& subject) { norm_gradient_holds(NormKind::layer_norm, subject); },
     {"detaches_the_divisor", "exchanges_the_norms", "adds_a_bit_to_the_gradient_of_norms"}},
    {rms_norm_gradient_is_transposed,
     "in_double",
     [](const Primitives& subject) { norm_gradient_holds(NormKind::rms_norm, subject); },
     {"detaches_the_divisor", "exchanges_the_norms", "adds_a_bit_to_the_gradient_of_norms"}},
    {feed_forward_gradient_is_transposed,
     "in_double",
     [](const Primitives& subject) {
       const Network network(drawn_sample());
       const bool smooth = is_away_from_kinks(network);
       covers("with a bias", network.sample.biases != Biases::none, 0.4);
       if (smooth) adjoint_holds(network, subject);
     },
     {"forgets_the_kink", "opens_without_the_bias", "leaks_below_the_kink"}},
    {self_attention_gradient_is_transposed,
     "in_double",
     [](const Primitives& subject) {
       const auto sample = drawn_sample();
       covers("two heads", sample.shape.heads == 2, 0.3);
       covers("two tokens or more", sample.tokens > 1, 0.4);
       covers("all biases", sample.biases == Biases::all, 0.2);
       adjoint_holds(Attention(sample), subject);
     },
     {"takes_weights_for_constants", "goes_back_by_the_whole_width",
      "weighs_logits_slightly_more"}},
    {block_gradient_is_transposed,
     "in_double",
     [](const Primitives& subject) {
       const Block block(drawn_sample());
       const bool smooth = is_away_from_kinks(block);
       covers("pre-norm", block.sample.norms == NormPlacement::pre, 0.3);
       covers("post-norm", block.sample.norms == NormPlacement::post, 0.3);
       if (smooth) adjoint_holds(block, subject);
     },
     {"goes_back_on_the_other_side", "forgets_the_skip_of_attention", "passes_slightly_more"}},
    {token_gradient_is_transposed,
     "in_double",
     [](const Primitives& subject) {
       const TokenPath path(drawn_sample());
       const bool smooth = is_away_from_kinks(path);
       covers("repeats a token", path.repeats_a_token(), 0.3);
       if (smooth) adjoint_holds(path, subject);
     },
     {"forgets_the_multiplier_of_the_table", "averages_over_the_places_of_a_token",
      "forgets_the_skip_of_attention", "goes_back_by_a_multiplier_in_binary32"}},
};

Trials trials() { return trials_of(properties, mutants); }

}  // namespace embedscale::properties::block
