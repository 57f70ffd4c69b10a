// What is the position part of the input, when it is a table of sines and cosines? Measures what
// the claims of properties/sinusoidal.hpp state; the page's words are in sinusoidal.md.
#include "sinusoidal.hpp"

#include <algorithm>
#include <stdexcept>

#include "cli/analysis.hpp"

namespace embedscale::sinusoidal_analysis {

std::vector<std::size_t> even_widths(const cli::Options& options,
                                     const std::vector<std::uint64_t>& otherwise) {
  std::vector<std::size_t> widths;
  for (const auto d : points(options.widths, otherwise)) {
    if (d % 2 != 0 || d < 4)
      throw std::invalid_argument(
          "--widths: sinusoids are measured at even widths from 4 on, not " + std::to_string(d));
    widths.push_back(static_cast<std::size_t>(d));
  }
  return widths;
}

std::vector<std::int64_t> positions(const cli::Options& options,
                                    const std::vector<std::uint64_t>& otherwise) {
  std::vector<std::int64_t> all;
  if (std::ranges::count(options.positions, std::uint64_t{0}) > 0)
    throw std::invalid_argument("--positions: a table has one position at least, not 0");
  for (const auto p : points(options.positions, otherwise))
    all.push_back(static_cast<std::int64_t>(p));
  return all;
}

void Worst::record(report::Section& section) const {
  if (m_.samples == 0) return;
  auto& m = section.measure(m_);
  m.rule = report::Rule{part_, report::Relation::at_most, 1, m.samples};
  m.digits = 2;
}

}  // namespace embedscale::sinusoidal_analysis

namespace embedscale {

cli::Analysis analysis() {
  return {.topic = "sinusoidal",
          .about = "What sinusoidal positions are: size, mean, variance, products, directions",
          .page =
              [](const cli::Options& options, report::Words words) {
                using namespace sinusoidal_analysis;
                report::Page page{.topic = "sinusoidal", .words = std::move(words), .sections = {}};
                for (const auto section :
                     {stays_within_one, mean_square_is_half, is_not_zero_mean, constant_share,
                      early_channels_move, shift_is_linear, product_depends_on_offset,
                      layouts_are_permutations, effective_rank}) {
                  page.sections.push_back(section(options));
                  cli::narrate(options, page.sections.back().claim().id);
                }
                return page;
              },
          .parameters = {"--widths", "--positions"}};
}

}  // namespace embedscale
