// Is the factor there because the table is shared with the output? The sections of the page, whose
// words are in words.md; the systems' configurations are in systems/.
#include "tied_output/sections.hpp"

#include "cli/analysis.hpp"

namespace embedscale {

namespace tied_output_analysis {
cli::Measure one_table_two_scales, initial_loss, multipliers_trade_places, sharing_is_not_needed,
    copies_its_input;
}  // namespace tied_output_analysis

cli::Analysis analysis_of_tied_output() {
  namespace claims = properties::tied_output;
  namespace measured = tied_output_analysis;
  constexpr cli::Parameter any_widths{"--widths", 1, 1 << 20}, widths{"--widths", 2, 16384},
      words{"--vocabulary", 2, 0x1p40};
  // A loss takes a time proportional to the logits' deviation, at most 512 here.
  constexpr cli::Parameter any_sigma{"--std", 1e-6, 1e6}, sigma{"--std", 1e-6, 4};
  return {
      .topic = "tied_output",
      .about = "Is the factor there because the table is shared with the output?",
      .sections = {{&claims::one_table_two_scales,
                    measured::one_table_two_scales,
                    {any_widths, words, any_sigma}},
                   {&claims::initial_loss, measured::initial_loss, {any_widths, words, any_sigma}},
                   {&claims::multipliers_trade_places,
                    measured::multipliers_trade_places,
                    {any_widths, any_sigma}},
                   {&claims::sharing_is_not_needed, measured::sharing_is_not_needed},
                   {&claims::copies_its_input, measured::copies_its_input, {widths, words, sigma}}},
      .samples{"--samples", 16, 1e9}};
}

}  // namespace embedscale
