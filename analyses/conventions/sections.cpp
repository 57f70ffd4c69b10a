// What do real systems do, and what does it make of their start? The systems' configurations are in
// systems/, computed by the audit; the words in words.md.
#include "conventions/sections.hpp"

#include "cli/analysis.hpp"
#include "properties/domain/widths.hpp"

namespace embedscale {
namespace {

template <auto measure>
void over_the_atlas(report::Section& s, const cli::Options& options) {
  measure(s, options, atlas::installed());
}

}  // namespace

cli::Analysis analysis_of_conventions() {
  namespace claims = properties::conventions;
  namespace measured = conventions_analysis;
  constexpr cli::Parameter widths{"--widths", 4, 16384, 2};
  const cli::Analysis claimed{
      .topic = "conventions",
      .about = "What real systems do: token, position, attention and output at initialisation",
      .sections = {
          {&claims::multiplier_sets_the_scale, over_the_atlas<measured::multiplier_sets_the_scale>},
          {&claims::one_text_one_start, over_the_atlas<measured::one_text_one_start>, {widths}},
          {&claims::paper_and_code_agree, over_the_atlas<measured::paper_and_code_agree>},
          {&claims::code_uses_the_papers_frequencies,
           over_the_atlas<measured::code_uses_the_papers_frequencies>,
           {widths}},
          {&claims::two_spellings_one_model, over_the_atlas<measured::two_spellings_one_model>}}};
  auto with_all_systems = claimed;
  with_all_systems.page = [claimed](const cli::Options& options, report::Words words) {
    auto page = cli::page_of(claimed, options, std::move(words));
    measured::describe(atlas::installed(), page);
    return page;
  };
  return with_all_systems;
}

namespace conventions_analysis {

std::vector<std::uint64_t> even_widths(const Options& options) {
  return cli::points(options.widths, properties::domain::common_widths);
}

}  // namespace conventions_analysis
}  // namespace embedscale
