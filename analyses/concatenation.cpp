// Why are positions added to tokens, and not appended? Measures what the claims of
// properties/concatenation.hpp state; the page's words are in concatenation.md.
#include "concatenation.hpp"

#include "cli/analysis.hpp"

namespace embedscale {

cli::Analysis analysis() {
  return {.topic = "concatenation",
          .about = "Why are positions added to embeddings, and not appended?",
          .page =
              [](const cli::Options& options, report::Words words) {
                using namespace concatenation_analysis;
                report::Page page{
                    .topic = "concatenation", .words = std::move(words), .sections = {}};
                for (const auto section :
                     {is_a_padded_sum, sum_is_a_tied_concatenation, first_channels_unusable,
                      parts_are_nearly_orthogonal, concatenation_analysis::costs}) {
                  page.sections.push_back(section(options));
                  cli::narrate(options, page.sections.back().claim().id);
                }
                return page;
              },
          .parameters = {"--widths", "--vocabulary", "--positions"}};
}

}  // namespace embedscale
