// How good are the checks themselves? Simulated: trust_kinds.cpp; recorded by the tests:
// trust_records.cpp, collected by trust_inputs.cpp; the words in trust.md. It takes
// minutes, so it runs only when it is named: ./dev reports trust.
#include "trust.hpp"

#include <fmt/format.h>
#include <embedscale/random.hpp>

#include <algorithm>

#include "cli/analysis.hpp"
#include "cli/progress.hpp"
#include "report/row.hpp"

namespace embedscale {
namespace {

using namespace trust_analysis;
using report::Json;

std::string filled(const report::Words& words, std::string_view part, const Fields& fields) {
  return report::fill(words.part("trust", part), [&](std::string_view field) {
    const auto found = fields.find(field);
    if (found == fields.end())
      throw std::invalid_argument(fmt::format("{}: no field named {{{}}}", words.name(), field));
    return found->second;
  });
}

}  // namespace

report::Page trust_analysis::trust_page(report::Words words, const Plan& plan,
                                        const std::vector<Calibration>& kinds, const Json& inputs) {
  report::Page page{.topic = "trust", .words = std::move(words), .sections = {}};
  auto& fields = page.fields;
  const auto calibration = calibration_table(kinds, plan.rates, fields);
  const auto power = power_table(kinds, plan.rates, fields);
  const auto ledger = ledger_table(inputs, fields);
  const auto mutants = mutant_table(inputs, fields);
  const auto one_percent = one_percent_table(inputs, fields);
  const auto mutation = mutation_table(inputs, fields);
  const auto identity = identity_table(inputs, fields);
  page.figures.push_back(calibration_figure(kinds, plan.rates));
  page.evidence = fmt::format("{}# Evidence: {}\n\n{}\n", report::generated_note,
                              page.words.title(), filled(page.words, "evidence", fields));
  const auto add = [&](const std::string& heading, const Shown& shown) {
    page.body += fmt::format("## {}\n\n{}\n\n", heading, filled(page.words, heading, fields));
    if (!shown.page.empty()) page.body += shown.page + "\n";
    if (shown.evidence.empty()) return;
    auto anchor = heading;
    std::ranges::replace(anchor, ' ', '-');
    page.body += fmt::format("[Whole tables](evidence/trust.md#{})\n\n", anchor);
    page.evidence +=
        fmt::format("\n<a id=\"{}\"></a>\n\n## {}\n\n{}", anchor, heading, shown.evidence);
  };
  const auto figure =
      report::figure_markdown(page.figures.back(), filled(page.words, "figure", fields));
  add("False alarms", {.page = figure, .evidence = calibration.evidence});
  add("Misses", power);
  add("The ledger", ledger);
  add("Mutants", mutants);
  add("One per cent", one_percent);
  add("Source mutants", mutation);
  add("The same bits", identity);
  page.body += fmt::format("## What this page does not show\n\n{}\n",
                           filled(page.words, "What this page does not show", fields));
  report::Json made = record(kinds);
  made["inputs"] = inputs.at("hashes");
  made["page"] = fmt::format("{:016x}", hash_of(report::markdown(page) + page.evidence));
  page.record = made.dump(1);
  return page;
}

cli::Analysis analysis_of_trust() {
  return {.topic = "trust",
          .about = "How good the checks themselves are: false alarms, misses, mutants",
          .page = [](const cli::Options& options, report::Words words) {
            const Plan plan{.seed = options.seed,
                            .nulls = options.samples,
                            .alternatives = std::max<std::uint64_t>(options.samples / 10, 100)};
            const Json inputs = report::read_json(options.evidence);
            cli::narrate(options, "simulating checks");
            return trust_page(std::move(words), plan, simulated_kinds(plan), inputs);
          }};
}

}  // namespace embedscale
