// What do real systems do, and what does it make of their start? The systems' configurations are in
// systems/, computed by the audit; the words in words.md.
#include "conventions/sections.hpp"

#include "cli/analysis.hpp"

namespace embedscale {

namespace conventions_analysis {
cli::Measure multiplier_sets_the_scale, one_text_one_start, paper_and_code_agree,
    code_uses_the_papers_frequencies, two_spellings_one_model, small_models_hide_the_factor;
}  // namespace conventions_analysis

cli::Analysis analysis_of_conventions() {
  namespace claims = properties::conventions;
  namespace measured = conventions_analysis;
  constexpr cli::Parameter widths{"--widths", 4, 16384, 2}, of_models{"--widths", 4, 1024, 4};
  return {.topic = "conventions",
          .about = "What real systems do: token, position, attention and output at initialisation",
          .sections = {{&claims::multiplier_sets_the_scale, measured::multiplier_sets_the_scale},
                       {&claims::one_text_one_start, measured::one_text_one_start, {widths}},
                       {&claims::paper_and_code_agree, measured::paper_and_code_agree},
                       {&claims::code_uses_the_papers_frequencies,
                        measured::code_uses_the_papers_frequencies,
                        {widths}},
                       {&claims::two_spellings_one_model, measured::two_spellings_one_model},
                       {&claims::small_models_hide_the_factor,
                        measured::small_models_hide_the_factor,
                        {of_models}}},
          .describe = [](report::Page& page) { measured::describe(atlas::installed(), page); }};
}

}  // namespace embedscale
