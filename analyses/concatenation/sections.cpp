// Why are positions added to tokens, and not appended? The sections of the page, whose words are in
// words.md.
#include "concatenation/sections.hpp"

#include "cli/analysis.hpp"

namespace embedscale {

namespace concatenation_analysis {
cli::Measure is_a_padded_sum, sum_is_a_tied_concatenation, first_channels_unusable,
    parts_are_nearly_orthogonal, costs;
}  // namespace concatenation_analysis

cli::Analysis analysis_of_concatenation() {
  namespace claims = properties::concatenation;
  namespace measured = concatenation_analysis;
  constexpr cli::Parameter widths{"--widths", 1, 16384}, even_widths{"--widths", 2, 16384, 2},
      vocabulary{"--vocabulary", 2, 1 << 20}, positions{"--positions", 1, 1 << 16},
      deviations{"--std", 0.01, 100};
  return {
      .topic = "concatenation",
      .about = "Why are positions added to embeddings, and not appended?",
      .sections = {{&claims::is_a_padded_sum, measured::is_a_padded_sum},
                   {&claims::sum_is_a_tied_concatenation, measured::sum_is_a_tied_concatenation},
                   {&claims::first_channels_unusable,
                    measured::first_channels_unusable,
                    {even_widths, vocabulary, positions, deviations}},
                   {&claims::parts_are_nearly_orthogonal,
                    measured::parts_are_nearly_orthogonal,
                    {widths, vocabulary}},
                   {&claims::costs, measured::costs, {widths, vocabulary, positions}}},
      .limits = {{"entries of tables, --widths times --positions",
                  [](const cli::Options& options) {
                    return cli::total(options.widths, 4088) * cli::total(options.positions, 512);
                  },
                  0x1p28, "ask for fewer or smaller --widths or --positions"}}};
}

}  // namespace embedscale
