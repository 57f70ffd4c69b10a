// How the claims of a topic were tested, case by case: what its page has no room for.

#include <fmt/format.h>

#include "report/page.hpp"
#include "report/table.hpp"

namespace embedscale::report {
namespace {

std::string rejected_by(const Section& section, const TestRecord& property) {
  std::string out;
  for (const auto& test : section.tests())
    if (test.role == "rejects" && test.property == property.property)
      out += fmt::format("{}{}{}", out.empty() ? "" : ", ", spoken(test.subject),
                         test.passed ? "" : " (**survives**)");
  return out;
}

/// Its failing share: none of a property that met every case.
std::string failing_share(const TestRecord& test) {
  if (test.failing_mass) return significant(*test.failing_mass, 2);
  return test.passed ? "exhaustive" : "—";
}

std::string tested(const Section& section) {
  auto properties = Table::headed(
      "Property|Cases:|Failing share, at most:|Worst share of the bound:|Seed|Primitives it calls|"
      "Wrong primitives it rejects");
  std::string refuted, required;
  for (const auto& test : section.tests()) {
    if (test.role == "refutes")
      refuted +=
          fmt::format("- *{}* is refuted by {}.\n", spoken(test.property), test.counterexample);
    if (test.role != "holds") continue;
    if (!test.coverage.empty())
      required += fmt::format("- Classes that *{}* has to meet: {}.\n", spoken(test.property),
                              test.coverage);
    properties.row({spoken(test.property), count(test.cases), failing_share(test),
                    test.worst == 0.0 ? "none: exact" : significant(test.worst, 3),
                    "`" + test.seed + "`", test.calls, rejected_by(section, test)});
  }
  const auto mutants = mutants_of(section.tests());
  auto out = properties.markdown() +
             fmt::format("\n{} of {} mutants rejected.\n", mutants.killed, mutants.total);
  if (!(required + refuted).empty()) out += "\n" + required + refuted;
  return out;
}

}  // namespace

std::string evidence_markdown(const Page& page) {
  std::string out = fmt::format(
      "{}# Evidence: {}\n\n"
      "How the claims of [this page](../{}.md) were tested. *Failing share*: of the cases that a "
      "property's generators draw, at a confidence of 95 %. *Refuted by*: the simplest "
      "counterexample to the belief, found and simplified by RapidCheck.\n",
      generated_note, page.words.title(), page.topic);
  for (const auto& section : page.sections)
    out +=
        fmt::format("\n<a id=\"{0}\"></a>\n\n## {0}\n\n[{1}](../{2}.md#{0})\n\n{3}",
                    section.claim().id, section.finding(page.words), page.topic, tested(section));
  return out;
}

}  // namespace embedscale::report
