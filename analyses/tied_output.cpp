// Is the factor there because the table is shared with the output? The systems' configurations are
// in systems/; the claims in properties/tied_output.hpp; the words in tied_output.md.
#include "tied_output.hpp"

#include "audit/error.hpp"
#include "cli/analysis.hpp"
#include "cli/share.hpp"
#include "report/file.hpp"

namespace embedscale {

cli::Analysis analysis() {
  return {.topic = "tied_output",
          .about = "Is the factor there because the table is shared with the output?",
          .page =
              [](const cli::Options& options, report::Words words) {
                using namespace tied_output_analysis;
                report::Page page{
                    .topic = "tied_output", .words = std::move(words), .sections = {}};
                std::vector<System> all;
                try {
                  all = conventions_analysis::atlas(cli::share("systems"));
                } catch (const audit::InputError& error) {
                  throw report::FileError(error.what());
                }
                const auto add = [&](report::Section section) {
                  page.sections.push_back(std::move(section));
                  cli::narrate(options, page.sections.back().claim().id);
                };
                add(one_table_two_scales(options));
                add(initial_loss(options));
                add(multipliers_trade_places(options));
                add(sharing_is_not_needed(options, all));
                add(copies_its_input(options, all));
                return page;
              },
          .parameters = {"--widths", "--vocabulary", "--std"}};
}

}  // namespace embedscale
