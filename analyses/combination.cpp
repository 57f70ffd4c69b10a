// Is scaling the tokens up the same as scaling the positions down? Measures what the claims of
// properties/combination.hpp state; the page's words are in combination.md.
#include "combination.hpp"

#include "cli/analysis.hpp"

namespace embedscale {

cli::Analysis analysis() {
  return {.topic = "combination",
          .about = "Is scaling embeddings up the same as scaling positions down?",
          .page =
              [](const cli::Options& options, report::Words words) {
                using namespace combination_analysis;
                report::Page page{
                    .topic = "combination", .words = std::move(words), .sections = {}};
                for (const auto section : {up_is_down_times_root_d, only_the_ratio_sets_direction,
                                           rounds_identically, down_makes_positions_too_faint,
                                           dropout_commutes, multiplier_commutes_with_order}) {
                  page.sections.push_back(section(options));
                  cli::narrate(options, page.sections.back().claim().id);
                }
                return page;
              },
          .parameters = {"--widths", "--positions"}};
}

}  // namespace embedscale
