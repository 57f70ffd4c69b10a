// Does the factor change training, or only the initialisation? The sections of the page, whose
// words are in words.md.
#include "cli/analysis.hpp"
#include "optimizer/cases.hpp"

namespace embedscale {

namespace optimizer_analysis {
cli::Measure same_function_same_path, folded_sgd_step, folded_adam_step, relative_step;
}  // namespace optimizer_analysis

cli::Analysis analysis_of_optimizer() {
  namespace claims = properties::optimizer;
  namespace measured = optimizer_analysis;
  constexpr cli::Parameter widths{"--widths", 1, 16384}, deviations{"--std", 1e-30, 1e30};
  return {
      .topic = "optimizer",
      .about = "Does multiplying by √d_model change training, or only the initialisation?",
      .sections = {{&claims::same_function_same_path, measured::same_function_same_path, {widths}},
                   {&claims::folded_sgd_step, measured::folded_sgd_step, {widths}},
                   {&claims::folded_adam_step, measured::folded_adam_step, {widths}},
                   {&claims::relative_step, measured::relative_step, {widths, deviations}}}};
}

}  // namespace embedscale
