// What does the multiplier have to do with 1/√d_k? The sections of the page, whose words are in
// words.md.
#include "attention/sections.hpp"

#include "cli/analysis.hpp"

namespace embedscale {
namespace attention_analysis {
cli::Measure dot_variance_is_d_k, scaling_gives_unit_variance, root_d_model_does_not_cancel,
    unscaled_softmax_saturates, gradients_vanish_unscaled, factor_is_a_temperature,
    projections_absorb_the_factor, first_layer_terms, key_constant_cancels, first_projection_range,
    aligned_vectors_need_one_over_d_k;
}  // namespace attention_analysis

cli::Analysis analysis() {
  namespace claims = properties::attention;
  namespace measured = attention_analysis;
  return {.topic = "attention",
          .about = "What does the embedding's multiplier have to do with attention's 1/√d_k?",
          .parameters = {"--widths", "--keys", "--d-k", "--heads", "--vocabulary", "--positions",
                         "--std"},
          .sections = {
              {&claims::dot_variance_is_d_k, measured::dot_variance_is_d_k},
              {&claims::scaling_gives_unit_variance, measured::scaling_gives_unit_variance},
              {&claims::root_d_model_does_not_cancel, measured::root_d_model_does_not_cancel},
              {&claims::unscaled_softmax_saturates, measured::unscaled_softmax_saturates},
              {&claims::gradients_vanish_unscaled, measured::gradients_vanish_unscaled},
              {&claims::factor_is_a_temperature, measured::factor_is_a_temperature},
              {&claims::projections_absorb_the_factor, measured::projections_absorb_the_factor},
              {&claims::first_layer_terms, measured::first_layer_terms},
              {&claims::key_constant_cancels, measured::key_constant_cancels},
              {&claims::first_projection_range, measured::first_projection_range},
              {&claims::aligned_vectors_need_one_over_d_k,
               measured::aligned_vectors_need_one_over_d_k}}};
}

}  // namespace embedscale
