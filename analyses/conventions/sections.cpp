// What do real systems do, and what does it make of their start? The systems' configurations are in
// systems/, computed by the audit; the words in words.md.
#include "conventions/sections.hpp"

#include <stdexcept>

#include "cli/analysis.hpp"
#include "properties/domain/widths.hpp"

namespace embedscale {
namespace {

template <auto measure>
void over_the_atlas(report::Section& s, const cli::Options& options) {
  measure(s, options, conventions_analysis::installed_atlas());
}

}  // namespace

cli::Analysis analysis() {
  namespace claims = properties::conventions;
  namespace measured = conventions_analysis;
  const cli::Analysis claimed{
      .topic = "conventions",
      .about = "What real systems do: token, position, attention and output at initialisation",
      .parameters = {"--widths"},
      .sections = {
          {&claims::multiplier_sets_the_scale, over_the_atlas<measured::multiplier_sets_the_scale>},
          {&claims::one_text_one_start, over_the_atlas<measured::one_text_one_start>},
          {&claims::paper_and_code_agree, over_the_atlas<measured::paper_and_code_agree>},
          {&claims::two_spellings_one_model, over_the_atlas<measured::two_spellings_one_model>}}};
  auto with_all_systems = claimed;
  with_all_systems.page = [claimed](const cli::Options& options, report::Words words) {
    auto page = cli::page_of(claimed, options, std::move(words));
    measured::describe(measured::installed_atlas(), page);
    return page;
  };
  return with_all_systems;
}

namespace conventions_analysis {

std::vector<std::uint64_t> even_widths(const Options& options) {
  auto even = cli::points(options.widths, properties::domain::common_widths);
  std::erase_if(even, [](std::uint64_t d) { return d % 2 != 0 || d < 4 || d > (1u << 14); });
  if (even.empty())
    throw std::invalid_argument(
        "--widths: none is even and from 4 to 16384, and sines and cosines come in pairs");
  return even;
}

}  // namespace conventions_analysis
}  // namespace embedscale
