// What is the position part of the input, when it is a table of sines and cosines? The sections of
// the page, whose words are in words.md.
#include "sinusoidal/sections.hpp"

#include "cli/analysis.hpp"

namespace embedscale {

namespace sinusoidal_analysis {
cli::Measure stays_within_one, mean_square_is_half, is_not_zero_mean, constant_share,
    early_channels_move, shift_is_linear, product_depends_on_offset, layouts_are_permutations,
    effective_rank;
}  // namespace sinusoidal_analysis

cli::Analysis analysis_of_sinusoidal() {
  namespace claims = properties::sinusoidal;
  namespace measured = sinusoidal_analysis;
  // Ranks are of matrices of d rows: minutes beyond.
  constexpr cli::Parameter few_widths{"--widths", 4, 1024, 2};
  constexpr cli::Parameter widths{"--widths", 4, 16384, 2}, positions{"--positions", 1, 1 << 20},
      lengths{"--positions", 2, 1 << 20};  // nothing varies over one position
  return {.topic = "sinusoidal",
          .about = "What sinusoidal positions are: size, mean, variance, products, directions",
          .sections =
              {{&claims::stays_within_one, measured::stays_within_one, {widths, positions}},
               {&claims::mean_square_is_half, measured::mean_square_is_half, {widths, positions}},
               {&claims::is_not_zero_mean, measured::is_not_zero_mean, {widths, positions}},
               {&claims::constant_share, measured::constant_share, {widths, positions}},
               {&claims::early_channels_move, measured::early_channels_move, {widths, lengths}},
               {&claims::shift_is_linear, measured::shift_is_linear, {widths, positions}},
               {&claims::product_depends_on_offset,
                measured::product_depends_on_offset,
                {widths, positions}},
               {&claims::layouts_are_permutations,
                measured::layouts_are_permutations,
                {widths, positions}},
               {&claims::effective_rank, measured::effective_rank, {few_widths, positions}}},
          .limits = {{"entries of tables, --widths times the longest of --positions",
                      [](const cli::Options& options) {
                        const auto& lengths = options.positions;
                        return cli::total(options.widths, 1616) *
                               (lengths.empty() ? 2048.0
                                                : static_cast<double>(std::ranges::max(lengths)));
                      },
                      0x1p30, "ask for fewer or smaller --widths, or for smaller --positions"}}};
}

}  // namespace embedscale
