// What does the multiplier have to do with 1/√d_k? The sections of the page, whose words are in
// words.md.
#include "attention/sections.hpp"

namespace embedscale {
namespace {

using cli::Options;

/// Of logits with a deviation s one draw in about 2s has a gradient to speak of, with two keys.
double rarest_gradient(const Options& options) {
  double s = 16;
  if (!options.deviations.empty()) s = std::ranges::max(options.deviations);
  if (options.deviations.empty() && !options.head_widths.empty())
    s = std::max(s, std::sqrt(static_cast<double>(std::ranges::max(options.head_widths))));
  return std::min(s, 64.0) / static_cast<double>(options.samples);
}

}  // namespace

cli::Analysis analysis_of_attention() {
  namespace claims = properties::attention;
  namespace by = attention_analysis;
  constexpr cli::Parameter d_k{"--d-k", 1, 1 << 20}, drawn_d_k{"--d-k", 1, 16384},
      gradient_d_k{"--d-k", 1, 4096}, small_d_k{"--d-k", 1, 1024}, keys{"--keys", 1, 0x1p40},
      gradient_keys{"--keys", 2, 16384}, small_keys{"--keys", 1, 1024},
      any_width{"--widths", 1, 1 << 20}, width{"--widths", 2, 1 << 20, 2},
      input_width{"--widths", 2, 16384, 2}, drawn_width{"--widths", 6, 4096, 2},
      vocabulary{"--vocabulary", 1, 0x1p40}, positions{"--positions", 2, 65536},
      sigma{"--std", 1e-6, 1e6}, gradient_sigma{"--std", 1e-3, 64};
  return {
      .topic = "attention",
      .about = "What does the embedding's multiplier have to do with attention's 1/√d_k?",
      .sections =
          {{&claims::dot_variance_is_d_k, by::dot_variance_is_d_k, {drawn_d_k}},
           {&claims::scaling_gives_unit_variance, by::scaling_gives_unit_variance, {d_k}},
           {&claims::root_d_model_does_not_cancel, by::root_d_model_does_not_cancel, {width, d_k}},
           {&claims::unscaled_softmax_saturates,
            by::unscaled_softmax_saturates,
            {keys, d_k, sigma}},
           {&claims::gradients_vanish_unscaled,
            by::gradients_vanish_unscaled,
            {gradient_keys, gradient_d_k, gradient_sigma}},
           {&claims::factor_is_a_temperature,
            by::factor_is_a_temperature,
            {input_width, positions}},
           {&claims::projections_absorb_the_factor, by::projections_absorb_the_factor, {any_width}},
           {&claims::first_layer_terms, by::first_layer_terms, {input_width, vocabulary, sigma}},
           {&claims::key_constant_cancels, by::key_constant_cancels, {small_keys, small_d_k}},
           {&claims::first_projection_range, by::first_projection_range, {drawn_width, d_k, sigma}},
           {&claims::aligned_vectors_need_one_over_d_k,
            by::aligned_vectors_need_one_over_d_k,
            {d_k}}},
      .limits = {{"the largest --std, or √ of --d-k, over --samples", rarest_gradient, 1.0 / 32,
                  "ask for more --samples, or for less of --std or --d-k"}},
      .samples{"--samples", 512, 100'000}};
}

}  // namespace embedscale
