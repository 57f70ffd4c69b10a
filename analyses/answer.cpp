// Merges what the analyses measured: results.json, the answer, the questions and the index of
// claims, the pages about certainty, folklore and what to do, and the generated part of the README.
#include "answer/equivalence.hpp"
#include "answer/page.hpp"
#include "certainty.hpp"
#include "cli/arguments.hpp"
#include "cli/program.hpp"
#include "decide.hpp"
#include "folklore.hpp"
#include "port/page.hpp"
#include "report/file.hpp"
#include "report/results.hpp"
#include "trained/trained.hpp"

namespace embedscale {
namespace {

/// Of the project's words and records, and of what was measured below `out`.
int compose(const std::filesystem::path& project, const std::filesystem::path& out) {
  const auto analyses = project / "analyses", reports = out / "reports";
  const auto words_of = [&](const char* page) { return report::Words::read(analyses / page); };
  const auto results = report::merged_results(reports);
  const auto words = words_of("answer.md");
  auto known = results;  // with what is no claim's
  known["source_mutants"] =
      report::read_json(project / "properties/mutation/score.json").at("total");
  // All that may be refused, before anything is written.
  auto readme = report::read_file(project / "README.md");
  readme =
      answer::with_block(std::move(readme), "answer", answer::in_short(known, words, "reports/"));
  const auto page = answer::page(known, words);
  const auto questions = answer::questions_page(known, words);
  const auto drawing = answer::drawing(results, answer::comparisons(words));
  const auto folklore = folklore::page(results, words_of("folklore.md"));
  const auto decide = decide::page(results, words_of("decide.md"));
  const auto certainty = certainty::page(known, words_of("certainty.md"));
  const auto port = port::page(results, words_of("port.md"));
  const auto trained = trained::page(analyses / "trained");
  report::write_file(out / "README.md", readme);
  report::write_file(reports / "results.schema.json",
                     report::read_file(analyses / "report/results.schema.json"));
  report::write_file(reports / "provenance.json", report::provenance().dump(1) + "\n");
  report::write_file(reports / "figures/equivalence.svg", drawing);
  report::write_file(reports / "folklore.md", folklore);
  report::write_file(reports / "decide.md", decide);
  report::write_file(reports / "certainty.md", certainty);
  report::write_file(reports / "port.md", port);
  report::write_file(reports / "trained.md", trained.markdown);
  for (const auto& figure : trained.figures) report::write_figure(figure, reports);
  report::write_file(reports / "questions.md", questions);
  report::write_file(reports / "README.md", page);
  report::write_file(reports / "results.json", report::text_of(results));
  return cli::done;
}

}  // namespace
}  // namespace embedscale

int main(int argc, char** argv) {
  using namespace embedscale;
  cli::Arguments arguments(
      "Merges what the analyses measured into the answer, its index and results.json", "answer");
  std::filesystem::path project, out;
  arguments.option("--project", project, "the project's directory").required();
  arguments.option("--out", out, "the tree that holds reports/").required();
  return arguments.run(argc, argv, [&] { return compose(project, out); });
}
