// What does the multiplier do to the token part? Measures what the claims of
// properties/embedding.hpp state, real systems among them; the page's words are in embedding.md.
#include "embedding.hpp"

#include "audit/error.hpp"
#include "cli/analysis.hpp"
#include "cli/share.hpp"
#include "report/file.hpp"

namespace embedscale {

cli::Analysis analysis() {
  return {.topic = "embedding",
          .about = "What does multiplying by √d_model do to the token part?",
          .page =
              [](const cli::Options& options, report::Words words) {
                using namespace embedding_analysis;
                report::Page page{.topic = "embedding", .words = std::move(words), .sections = {}};
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
                add(root_d_restores_unit_variance(options));
                add(small_tables_stay_dominated(options, all));
                add(balances_the_two_parts(options, all));
                add(depends_on_initialisation(options));
                add(lookup_has_unit_fan_in(options));
                add(norm_concentrates(options));
                add(gradient_scale(options));
                return page;
              },
          .parameters = {"--widths", "--vocabulary", "--std"}};
}

}  // namespace embedscale
