// What do real systems do, and what does it make of their start? The systems' configurations are in
// systems/, computed by the audit; the claims in properties/conventions.hpp; the words in
// conventions.md.
#include "conventions.hpp"

#include "audit/error.hpp"
#include "cli/analysis.hpp"
#include "cli/share.hpp"
#include "report/file.hpp"

namespace embedscale {

cli::Analysis analysis() {
  return {.topic = "conventions",
          .about = "What real systems do: token, position, attention and output at initialisation",
          .page =
              [](const cli::Options& options, report::Words words) {
                using namespace conventions_analysis;
                report::Page page{
                    .topic = "conventions", .words = std::move(words), .sections = {}};
                std::vector<System> all;
                try {
                  all = atlas(cli::share("systems"));
                } catch (const audit::InputError& error) {
                  throw report::FileError(error.what());
                }
                describe(all, page);
                for (const auto section : {multiplier_sets_the_scale, one_text_one_start,
                                           paper_and_code_agree, two_spellings_one_model}) {
                  page.sections.push_back(section(options, all));
                  cli::narrate(options, page.sections.back().claim().id);
                }
                return page;
              },
          .parameters = {"--widths"}};
}

}  // namespace embedscale
