// Is the factor there because the table is shared with the output? The sections of the page, whose
// words are in words.md; the systems' configurations are in systems/.
#include "tied_output/sections.hpp"

#include "cli/analysis.hpp"

namespace embedscale {

namespace tied_output_analysis {
cli::Measure one_table_two_scales, initial_loss, multipliers_trade_places, sharing_is_not_needed,
    copies_its_input;
}  // namespace tied_output_analysis

cli::Analysis analysis() {
  namespace claims = properties::tied_output;
  namespace measured = tied_output_analysis;
  return {.topic = "tied_output",
          .about = "Is the factor there because the table is shared with the output?",
          .parameters = {"--widths", "--vocabulary", "--std"},
          .sections = {{&claims::one_table_two_scales, measured::one_table_two_scales},
                       {&claims::initial_loss, measured::initial_loss},
                       {&claims::multipliers_trade_places, measured::multipliers_trade_places},
                       {&claims::sharing_is_not_needed, measured::sharing_is_not_needed},
                       {&claims::copies_its_input, measured::copies_its_input}}};
}

}  // namespace embedscale
