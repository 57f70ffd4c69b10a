// Does it matter in the end? The sections of the page, whose words are in words.md.
#include "cli/analysis.hpp"
#include "training/results.hpp"

namespace embedscale {

namespace training_analysis {
cli::Measure up_equals_down, unscaled_is_worse, folded_needs_its_own_rate, ratio_is_what_matters;
}  // namespace training_analysis

cli::Analysis analysis_of_training() {
  namespace claims = properties::training;
  namespace measured = training_analysis;
  return {.topic = "training",
          .about = "Does it matter to a trained model where the factor √d_model stands?",
          .sections = {{&claims::up_equals_down, measured::up_equals_down},
                       {&claims::unscaled_is_worse, measured::unscaled_is_worse},
                       {&claims::folded_needs_its_own_rate, measured::folded_needs_its_own_rate},
                       {&claims::ratio_is_what_matters, measured::ratio_is_what_matters}}};
}

}  // namespace embedscale
