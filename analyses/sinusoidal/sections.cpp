// What is the position part of the input, when it is a table of sines and cosines? The sections of
// the page, whose words are in words.md.
#include "sinusoidal/sections.hpp"

#include <stdexcept>

#include "cli/analysis.hpp"

namespace embedscale::sinusoidal_analysis {

std::vector<std::size_t> even_widths(const Options& options,
                                     const std::vector<std::uint64_t>& otherwise) {
  const auto widths = points(options.widths, otherwise);
  for (const auto d : widths)
    if (d % 2 != 0 || d < 4)
      throw std::invalid_argument(
          "--widths: sinusoids are measured at even widths from 4 on, not " + std::to_string(d));
  return {widths.begin(), widths.end()};
}

std::vector<std::int64_t> positions(const Options& options,
                                    const std::vector<std::uint64_t>& otherwise) {
  if (std::ranges::count(options.positions, std::uint64_t{0}) > 0)
    throw std::invalid_argument("--positions: a table has one position at least, not 0");
  const auto all = points(options.positions, otherwise);
  return {all.begin(), all.end()};
}

std::vector<std::int64_t> by_powers(int parts, int last) {
  std::vector<std::int64_t> all;
  for (int k = 0; k <= parts * last; ++k) {
    const std::int64_t p = std::llround(std::exp2(static_cast<double>(k) / parts));
    if (all.empty() || all.back() != p) all.push_back(p);
  }
  return all;
}

void bounded(Section& s, const char* of, const Greatest& worst, Part part, std::string method) {
  if (worst.cases() > 0)
    s.measure("worst_share_of_bound", {{"of", of}}, worst, std::move(method),
              at_most(part, 1, worst.cases()));
}

}  // namespace embedscale::sinusoidal_analysis

namespace embedscale {

namespace sinusoidal_analysis {
cli::Measure stays_within_one, mean_square_is_half, is_not_zero_mean, constant_share,
    early_channels_move, shift_is_linear, product_depends_on_offset, layouts_are_permutations,
    effective_rank;
}  // namespace sinusoidal_analysis

cli::Analysis analysis() {
  namespace claims = properties::sinusoidal;
  namespace measured = sinusoidal_analysis;
  return {.topic = "sinusoidal",
          .about = "What sinusoidal positions are: size, mean, variance, products, directions",
          .parameters = {"--widths", "--positions"},
          .sections = {{&claims::stays_within_one, measured::stays_within_one},
                       {&claims::mean_square_is_half, measured::mean_square_is_half},
                       {&claims::is_not_zero_mean, measured::is_not_zero_mean},
                       {&claims::constant_share, measured::constant_share},
                       {&claims::early_channels_move, measured::early_channels_move},
                       {&claims::shift_is_linear, measured::shift_is_linear},
                       {&claims::product_depends_on_offset, measured::product_depends_on_offset},
                       {&claims::layouts_are_permutations, measured::layouts_are_permutations},
                       {&claims::effective_rank, measured::effective_rank}}};
}

}  // namespace embedscale
