// Does a normalisation layer hide the common factor? The sections of the page, whose words are in
// words.md, and the points that they share.
#include "normalization/sections.hpp"

#include <stdexcept>
#include <string>

#include "cli/analysis.hpp"

namespace embedscale {

namespace normalization_analysis {
cli::Measure absorbs_the_factor, epsilon_is_rescaled, post_norm_block, pre_norm_block;
}  // namespace normalization_analysis

cli::Analysis analysis() {
  namespace claims = properties::normalization;
  namespace measured = normalization_analysis;
  return {.topic = "normalization",
          .about = "Does a normalisation layer hide the common factor?",
          .parameters = {"--widths", "--heads", "--positions", "--std"},
          .sections = {{&claims::absorbs_the_factor, measured::absorbs_the_factor},
                       {&claims::epsilon_is_rescaled, measured::epsilon_is_rescaled},
                       {&claims::post_norm_block, measured::post_norm_block},
                       {&claims::pre_norm_block, measured::pre_norm_block}}};
}

namespace normalization_analysis {

std::vector<std::uint64_t> even_widths(const Options& options,
                                       const std::vector<std::uint64_t>& otherwise,
                                       std::uint64_t most) {
  const auto all = points(options.widths, otherwise);
  for (const auto d : all)
    if (d % 2 != 0 || d == 0 || d > most)
      throw std::invalid_argument(
          "--widths: sinusoids, and blocks that are run, need even widths from 2 to " +
          std::to_string(most));
  return all;
}

std::vector<std::uint64_t> block_widths(const Options& options,
                                        const std::vector<std::uint64_t>& otherwise) {
  return even_widths(options, otherwise, 1024);
}

BlockShape block_shape(const Options& options, std::uint64_t d) {
  std::uint64_t heads = options.heads.empty() ? 8 : options.heads[0];
  if (!options.heads.empty() && d % heads != 0)
    throw std::invalid_argument("--heads: does not divide d_model = " + std::to_string(d));
  while (d % heads != 0) heads /= 2;
  return {static_cast<std::size_t>(d), static_cast<std::size_t>(heads),
          4 * static_cast<std::size_t>(d)};
}

std::size_t tokens_of(const Options& options) {
  const std::uint64_t n = options.positions.empty() ? 16 : options.positions[0];
  if (n > 256) throw std::invalid_argument("--positions: this page runs blocks, at most 256 here");
  return static_cast<std::size_t>(n);
}

std::vector<double> powers_of_root_2() {
  std::vector<double> all;
  for (int k = -12; k <= 12; ++k) all.push_back(std::exp2(k / 2.0));
  return all;
}

}  // namespace normalization_analysis
}  // namespace embedscale
