// Does the factor change training, or only the start? Measures what the claims of
// properties/optimizer.hpp state, real systems among them; the page's words are in optimizer.md.
#include "optimizer.hpp"

#include "audit/error.hpp"
#include "cli/analysis.hpp"
#include "cli/share.hpp"
#include "report/file.hpp"

namespace embedscale {

cli::Analysis analysis() {
  return {.topic = "optimizer",
          .about = "Does multiplying by √d_model change training, or only the start?",
          .page =
              [](const cli::Options& options, report::Words words) {
                using namespace optimizer_analysis;
                report::Page page{.topic = "optimizer", .words = std::move(words), .sections = {}};
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
                add(same_function_same_path(options));
                add(folded_sgd_step(options));
                add(folded_adam_step(options));
                add(relative_step(options, all));
                return page;
              },
          .parameters = {"--widths", "--std"}};
}

}  // namespace embedscale
