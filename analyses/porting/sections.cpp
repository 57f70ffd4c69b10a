// How does a checkpoint move between code that multiplies its tokens and code that does not? The
// sections of the page, whose words are in words.md.
#include "porting/sections.hpp"

#include "cli/analysis.hpp"

namespace embedscale {

namespace porting_analysis {
cli::Measure function_is_kept, tied_output_needs_a_place_for_the_factor,
    rounded_multiplier_is_the_function, optimizer_state_follows, global_clipping_parts;
}  // namespace porting_analysis

cli::Analysis analysis_of_porting() {
  namespace claims = properties::porting;
  namespace measured = porting_analysis;
  constexpr cli::Parameter widths{"--widths", 1, 16384}, vocabulary{"--vocabulary", 2, 1e6};
  return {.topic = "porting",
          .about = "How does a checkpoint move between code with the factor and code without?",
          .sections = {{&claims::function_is_kept, measured::function_is_kept, {widths}},
                       {&claims::tied_output_needs_a_place_for_the_factor,
                        measured::tied_output_needs_a_place_for_the_factor,
                        {widths, vocabulary}},
                       {&claims::rounded_multiplier_is_the_function,
                        measured::rounded_multiplier_is_the_function,
                        {widths}},
                       {&claims::optimizer_state_follows, measured::optimizer_state_follows},
                       {&claims::global_clipping_parts, measured::global_clipping_parts}}};
}

}  // namespace embedscale
