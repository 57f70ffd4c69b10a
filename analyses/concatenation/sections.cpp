// Why are positions added to tokens, and not appended? The sections of the page, whose words are in
// words.md.
#include "concatenation/sections.hpp"

#include "cli/analysis.hpp"

namespace embedscale {

namespace concatenation_analysis {
cli::Measure is_a_padded_sum, sum_is_a_tied_concatenation, first_channels_unusable,
    parts_are_nearly_orthogonal, costs;
}  // namespace concatenation_analysis

cli::Analysis analysis() {
  namespace claims = properties::concatenation;
  namespace measured = concatenation_analysis;
  return {
      .topic = "concatenation",
      .about = "Why are positions added to embeddings, and not appended?",
      .parameters = {"--widths", "--vocabulary", "--positions"},
      .sections = {{&claims::is_a_padded_sum, measured::is_a_padded_sum},
                   {&claims::sum_is_a_tied_concatenation, measured::sum_is_a_tied_concatenation},
                   {&claims::first_channels_unusable, measured::first_channels_unusable},
                   {&claims::parts_are_nearly_orthogonal, measured::parts_are_nearly_orthogonal},
                   {&claims::costs, measured::costs}}};
}

}  // namespace embedscale
