// Merges what the analyses measured: results.json, the answer and the index of claims, badges,
// bibliography, and the generated parts of the README.
#include <fmt/format.h>
#include <embedscale/properties/catalogue.hpp>

#include <CLI/CLI.hpp>
#include <stdexcept>

#include "cli/analysis.hpp"
#include "report/file.hpp"
#include "report/project.hpp"
#include "report/results.hpp"
#include "report/table.hpp"
#include "report/words.hpp"

namespace embedscale {
namespace {

using report::Json;

const Json& row_of(const Json& results, std::string_view id) {
  const Json* row = report::find_claim(results, id);
  if (row == nullptr) throw std::invalid_argument(fmt::format("no claim named '{}'", id));
  return *row;
}

/// "{claim topic.predicate}" in the words: the claim's own sentence, and the claim that carries it.
std::string sentence(const Json& results, std::string_view field, std::string_view prefix) {
  constexpr std::string_view key = "claim ";
  if (!field.starts_with(key))
    throw std::invalid_argument(fmt::format("answer.md: no field named {{{}}}", field));
  const auto& row = row_of(results, field.substr(key.size()));
  return fmt::format("{} ([{}]({}{}))", row.at("summary").get<std::string>(),
                     row.at("id").get<std::string>(), prefix, row.at("anchor").get<std::string>());
}

std::string answer(const Json& results, const report::Words& words, std::string_view prefix) {
  return report::fill(words.part("answer", "sentences"),
                      [&](std::string_view field) { return sentence(results, field, prefix); });
}

/// The settled claims as a table; planned ones are counted, or listed.
std::string index(const Json& results, std::string_view prefix) {
  report::Table table({{"Claim"}, {"People say"}, {"Verdict"}});
  for (const auto& row : results.at("claims"))
    if (row.at("status") != "planned")
      table.row({fmt::format("[{}]({}{})", row.at("id").get<std::string>(), prefix,
                             row.at("anchor").get<std::string>()),
                 row.at("said").get<std::string>(),
                 fmt::format("**{}**", report::verdict_of(row))});
  return table.markdown();
}

std::string planned(const Json& results) {
  report::Table table({{"Claim"}, {"People say"}});
  for (const auto& row : results.at("claims"))
    if (row.at("status") == "planned")
      table.row({row.at("id").get<std::string>(), row.at("said").get<std::string>()});
  return table.markdown();
}

std::string page(const Json& results, const report::Words& words) {
  return fmt::format(
      "<!-- Generated: edit the words in analyses/, not this file. -->\n\n# "
      "{}\n\n{}\n\n{}\n\n{}\n\n"
      "## Claims\n\n{}\n"
      "Machine-readable: [results.json](results.json) ([schema](results.schema.json)),"
      " [claims.bib](claims.bib). The systems: [conventions.md](conventions.md)."
      " How good the checks themselves are: [trust.md](trust.md).\n\n"
      "## Planned\n\nNothing is said yet about the truth of these.\n\n{}",
      words.title(), words.introduction(), answer(results, words, ""), words.part("answer", "open"),
      index(results, ""), planned(results));
}

/// Replaces what stands between <!-- name:begin --> and <!-- name:end -->.
std::string with_block(std::string text, std::string_view name, std::string_view block) {
  const auto begin_mark = fmt::format("<!-- {}:begin -->", name);
  const auto end_mark = fmt::format("<!-- {}:end -->", name);
  const auto begin = text.find(begin_mark), end = text.find(end_mark);
  if (begin == std::string::npos || end == std::string::npos || end < begin)
    throw std::invalid_argument(
        fmt::format("README.md: needs {} and, after it, {}", begin_mark, end_mark));
  const auto from = begin + begin_mark.size();
  return text.replace(from, end - from, fmt::format("\n\n{}\n", block));
}

struct Paths {
  std::filesystem::path readme, words, schema, out;
};

int compose(const Paths& paths) {
  const auto reports = paths.out / "reports";
  report::remove_leftovers(paths.out);
  const auto results = report::merged_results(reports);
  const auto words = report::Words::read(paths.words);
  auto readme = report::read_file(paths.readme);
  readme = with_block(std::move(readme), "answer", answer(results, words, "reports/") + "\n");
  readme = with_block(std::move(readme), "claims", index(results, "reports/"));
  report::write_file(paths.out / "README.md", readme);
  report::write_file(paths.out / "CITATION.cff", report::citation());
  for (const auto topic : properties::topics())
    report::write_file(reports / "badges" / (std::string(topic) + ".json"),
                       report::badge(results, topic).dump(1) + "\n");
  report::write_file(reports / "claims.bib", report::bibliography(results));
  report::write_file(reports / "results.schema.json", report::read_file(paths.schema));
  report::write_file(reports / "provenance.json", report::provenance().dump(1) + "\n");
  report::write_file(reports / "README.md", page(results, words));
  report::write_file(reports / "results.json", results.dump(1) + "\n");
  return cli::done;
}

}  // namespace
}  // namespace embedscale

int main(int argc, char** argv) {
  using namespace embedscale;
  CLI::App app("Merges what the analyses measured into the answer, its index and results.json");
  app.set_version_flag("--version", std::string(project::version));
  Paths paths;
  app.add_option("--readme", paths.readme, "the project's README.md")->required();
  app.add_option("--words", paths.words, "answer.md")->required();
  app.add_option("--schema", paths.schema, "results.schema.json")->required();
  app.add_option("--out", paths.out, "the tree that holds reports/")->required();
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? cli::done : cli::usage;
  }
  return cli::guarded("answer", [&] { return compose(paths); });
}
