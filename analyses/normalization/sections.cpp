// Does a normalisation layer hide the common factor? The sections of the page, whose words are in
// words.md.
#include "normalization/blocks.hpp"

#include "cli/analysis.hpp"

namespace embedscale {

namespace normalization_analysis {
cli::Measure absorbs_the_factor, epsilon_is_rescaled, post_norm_block, pre_norm_block,
    token_share_after_blocks;
}  // namespace normalization_analysis

cli::Analysis analysis_of_normalization() {
  namespace claims = properties::normalization;
  namespace measured = normalization_analysis;
  // Sinusoids fill an even number of channels. What blocks give to inputs that are very large is
  // beyond a running error analysis.
  constexpr cli::Parameter widths{"--widths", 2, 1 << 20}, even_widths{"--widths", 2, 1 << 20, 2},
      sigma{"--std", 1e-30, 1e30};
  const std::vector<cli::Parameter> blocks{{"--widths", 2, 1024, 2},
                                           {"--heads", 1, 1024},
                                           {"--positions", 1, 1024},
                                           {"--std", 1e-30, 100}};
  return {.topic = "normalization",
          .about = "Does a normalisation layer hide the common factor?",
          .sections =
              {{&claims::absorbs_the_factor, measured::absorbs_the_factor, {widths}},
               {&claims::epsilon_is_rescaled, measured::epsilon_is_rescaled, {even_widths, sigma}},
               {&claims::post_norm_block, measured::post_norm_block, blocks},
               {&claims::pre_norm_block, measured::pre_norm_block, blocks},
               {&claims::token_share_after_blocks, measured::token_share_after_blocks, blocks}},
          .limits = {{"multiplications of one block for each drawn model",
                      measured::multiplications_of_blocks, 1e11,
                      "ask for fewer or smaller --widths or --positions, or for fewer --samples"}},
          .samples = {"--samples", 1, 1e6}};
}

}  // namespace embedscale
