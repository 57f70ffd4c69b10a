// Is scaling the tokens up the same as scaling the positions down? The sections of the page, whose
// words are in words.md.
#include "combination/sections.hpp"

#include "cli/analysis.hpp"

namespace embedscale {

namespace combination_analysis {
cli::Measure up_is_down_times_root_d, only_the_ratio_sets_direction, rounds_identically,
    down_makes_positions_too_faint, dropout_commutes, multiplier_commutes_with_order,
    merged_rows_share_the_factor;
}  // namespace combination_analysis

cli::Analysis analysis_of_combination() {
  namespace claims = properties::combination;
  namespace measured = combination_analysis;
  constexpr cli::Parameter widths{"--widths", 1, 1 << 20}, even_widths{"--widths", 2, 16384, 2},
      positions{"--positions", 1, 1 << 20};
  return {
      .topic = "combination",
      .about = "Is scaling embeddings up the same as scaling positions down?",
      .sections = {{&claims::up_is_down_times_root_d, measured::up_is_down_times_root_d, {widths}},
                   {&claims::only_the_ratio_sets_direction,
                    measured::only_the_ratio_sets_direction},
                   {&claims::rounds_identically, measured::rounds_identically, {widths}},
                   {&claims::down_makes_positions_too_faint,
                    measured::down_makes_positions_too_faint,
                    {even_widths, positions}},
                   {&claims::dropout_commutes, measured::dropout_commutes, {widths}},
                   {&claims::multiplier_commutes_with_order,
                    measured::multiplier_commutes_with_order,
                    {widths}},
                   {&claims::merged_rows_share_the_factor,
                    measured::merged_rows_share_the_factor,
                    {widths}}},
      .limits = {{"entries of tables, --widths times --positions",
                  [](const cli::Options& options) {
                    return cli::total(options.widths, 13504) * cli::total(options.positions, 1024);
                  },
                  0x1p28, "ask for fewer or smaller --widths or --positions"}},
      .samples{"--samples", 16, 1e9}};
}

}  // namespace embedscale
