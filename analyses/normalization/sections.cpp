// Does a normalisation layer hide the common factor? The sections of the page, whose words are in
// words.md.
#include "normalization/blocks.hpp"

#include "cli/analysis.hpp"

namespace embedscale {

namespace normalization_analysis {
cli::Measure absorbs_the_factor, epsilon_is_rescaled, post_norm_block, pre_norm_block,
    token_share_after_blocks;
}  // namespace normalization_analysis

namespace {

/// Of all blocks that the options ask for, one for each model that is drawn there.
double multiplications_of_blocks(const cli::Options& options) {
  cli::Options own = options;  // the norms alone have other widths, too
  std::erase_if(own.widths, [](std::uint64_t d) { return d % 2 != 0 || d > 1024; });
  if (own.widths.empty() && !options.widths.empty()) return 0;
  double sum = 0;
  for (const auto& setup :
       normalization_analysis::setups(own, normalization_analysis::usual_widths))
    sum += static_cast<double>(setup.draws(options.samples)) * setup.products();
  return sum;
}

}  // namespace

cli::Analysis analysis_of_normalization() {
  namespace claims = properties::normalization;
  namespace measured = normalization_analysis;
  // Sinusoids fill an even number of channels.
  constexpr cli::Parameter widths{"--widths", 2, 1 << 20}, even_widths{"--widths", 2, 1 << 20, 2},
      of_blocks{"--widths", 2, 1024, 2};
  return {
      .topic = "normalization",
      .about = "Does a normalisation layer hide the common factor?",
      .sections = {{&claims::absorbs_the_factor, measured::absorbs_the_factor, {widths}},
                   {&claims::epsilon_is_rescaled, measured::epsilon_is_rescaled, {even_widths}},
                   {&claims::post_norm_block, measured::post_norm_block, {of_blocks}},
                   {&claims::pre_norm_block, measured::pre_norm_block, {of_blocks}},
                   {&claims::token_share_after_blocks,
                    measured::token_share_after_blocks,
                    {of_blocks}}},
      .limits = {{"multiplications of one block for each drawn model", multiplications_of_blocks,
                  1e11, "ask for fewer or smaller --widths, or for fewer --samples"}},
      .samples = {"--samples", 1, 1e6}};
}

}  // namespace embedscale
