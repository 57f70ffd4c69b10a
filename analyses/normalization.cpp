// Does a normalisation layer hide the common factor? Measures what the claims of
// properties/normalization.hpp and properties/normalization_block.hpp state, by running norms and
// blocks; the page's words are in normalization.md.
#include "normalization.hpp"

#include "audit/error.hpp"
#include "cli/analysis.hpp"
#include "cli/share.hpp"
#include "report/file.hpp"

namespace embedscale {

cli::Analysis analysis() {
  return {.topic = "normalization",
          .about = "Does a normalisation layer hide the common factor?",
          .page =
              [](const cli::Options& options, report::Words words) {
                using namespace normalization_analysis;
                report::Page page{
                    .topic = "normalization", .words = std::move(words), .sections = {}};
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
                add(absorbs_the_factor(options, all));
                add(epsilon_is_rescaled(options, all));
                add(post_norm_block(options));
                add(pre_norm_block(options));
                return page;
              },
          .parameters = {"--widths", "--heads", "--positions", "--std"}};
}

}  // namespace embedscale
