#include "report/page.hpp"

#include <fmt/format.h>
#include "properties/sources.hpp"

#include <algorithm>
#include <set>

#include "report/file.hpp"
#include "report/json.hpp"
#include "report/project.hpp"

namespace embedscale::report {
namespace {

constexpr std::string_view generated_note =
    "<!-- Generated: edit the words in analyses/, not this file. -->\n\n";

/// Appends a block and the blank line after it; nothing for nothing.
void add(std::string& out, std::string block) {
  while (block.ends_with('\n')) block.pop_back();
  if (!block.empty()) out += block + "\n\n";
}

std::string heading(const Section& section, const Words& words) {
  return words.part(section.claim().id, "title");
}

/// Bold verdict, claim and sentence: what a reader in a hurry takes away.
std::string opening(const Page& page) {
  std::string out;
  for (const auto& section : page.sections)
    out +=
        fmt::format("- **{}** · [{}](#{}) {}\n", section.verdict(page.words),
                    heading(section, page.words), section.claim().id, section.summary(page.words));
  return out;
}

std::string sources_of(const properties::Names& keys) {
  std::string out;
  for (std::size_t i = 0; i < properties::count(keys); ++i)
    out += (i == 0 ? "" : "; ") + cited(keys[i]);
  return out;
}

/// snake_case test names as a reader would say them.
std::string spoken(std::string name) {
  std::ranges::replace(name, '_', ' ');
  return name;
}

std::string how_tested(const Section& section) {
  std::string out = "#### How it was tested\n\n";
  if (section.tests().empty()) return out + "No record of the tests was given to this run.\n\n";
  Table properties({{"Property"},
                    {"Cases", Table::Align::right},
                    {"Failing share, at most", Table::Align::right},
                    {"Worst share of the bound", Table::Align::right},
                    {"Seed"},
                    {"Wrong primitives it rejects"}});
  std::string refuted, required;
  for (const auto& test : section.tests()) {
    if (test.role == "refutes")
      refuted +=
          fmt::format("- The belief *{}* is refuted by {} (found and simplified by RapidCheck).\n",
                      spoken(test.property), test.counterexample);
    if (test.role != "holds") continue;
    std::string rejected;
    for (const auto& other : section.tests())
      if (other.role == "rejects" && other.property == test.property)
        rejected += fmt::format("{}{}{}", rejected.empty() ? "" : ", ", spoken(other.subject),
                                other.passed ? "" : " (**survives**)");
    if (!test.coverage.empty())
      required += fmt::format("- Classes that *{}* has to meet: {}.\n", spoken(test.property),
                              test.coverage);
    properties.row({spoken(test.property), count(test.cases),
                    test.failing_mass ? significant(*test.failing_mass, 2)
                    : test.passed     ? "exhaustive"
                                      : "—",
                    test.worst == 0.0 ? "none: exact" : significant(test.worst, 3),
                    "`" + test.seed + "`", rejected});
  }
  const auto mutants = mutants_of(section.tests());
  out += properties.markdown();
  out += fmt::format(
      "\nFailing share: of the cases that a property's generators draw, at a confidence of 95 %."
      " {} of {} mutants rejected.\n\n",
      mutants.killed, mutants.total);
  add(out, required + refuted);
  return out;
}

std::string reproduce(const Section& section) {
  const auto& claim = section.claim();
  return fmt::format(
      "#### Reproduce and cite\n\n"
      "`./dev reports {0}` makes this page; `./dev test -R '^{1}$'` runs the properties;"
      " `{0} --json` prints the measurements, with `--help` for parameters of your own.\n\n"
      "Cite as [`{1}`]({2}/blob/main/reports/{0}.md#{1}), BibTeX key `embedscale:{1}` in"
      " [claims.bib](claims.bib).\n\n",
      claim.topic(), claim.id, project::url);
}

/// The parts that no section goes without, whatever its verdict is today.
void require_parts(const Section& section, const Words& words) {
  for (const char* part : {"title", "holds", "fails", "why", "limits"})
    if (words.part(section.claim().id, part).empty())
      throw std::invalid_argument(fmt::format("{}: section '{}' has an empty part '### {}'",
                                              words.name(), section.claim().id, part));
}

std::string body(const Section& section, const Words& words) {
  const auto& claim = section.claim();
  require_parts(section, words);
  const auto judged = section.judgement();
  std::string out =
      fmt::format("<a id=\"{}\"></a>\n\n## {}\n\n", claim.id, heading(section, words));
  out += fmt::format("> *People say:* {}\n", claim.said);
  if (properties::count(claim.asked_in) > 0)
    out += fmt::format(">\n> Asked in: {}\n", sources_of(claim.asked_in));
  out += fmt::format("\n**What we state:** {}.\n\n", claim.states);
  out += fmt::format(
      "**Verdict: {}.** {} of {} obligations evaluated · kind of evidence: {}.\n\n{}\n\n",
      section.verdict(words), count(judged.evaluated), count(judged.expected), name_of(claim.kind),
      section.summary(words));
  add(out, section.prose(words, "table"));
  const auto tables = section.table_views(words);
  for (const auto& view : tables) add(out, view.table().markdown());
  const auto declared = std::ranges::count_if(
      words.blocks(claim.id), [](const auto& block) { return block.first.starts_with("table"); });
  if (std::ssize(tables) < declared)
    add(out,
        "A table is left out, as several measurements would have one cell of it; `--json` "
        "prints them.");
  for (const auto& [figure, sources] : section.figure_views(words))
    add(out, figure_markdown(figure, section.prose(words, "figure " + figure.name)));
  out += how_tested(section);
  out += "#### Why\n\n" + section.prose(words, "why") + "\n\n";
  if (properties::count(claim.cites) > 0)
    out += fmt::format("Rests on: {}.\n\n", sources_of(claim.cites));
  out += "#### What this does not show\n\n" + section.prose(words, "limits") + "\n\n";
  return out + reproduce(section);
}

/// Removes this topic's files of a directory that are not among `current`.
void remove_others(const std::filesystem::path& directory, const std::string& topic,
                   const std::set<std::string>& current) {
  if (!std::filesystem::exists(directory)) return;
  for (const auto& entry : std::filesystem::directory_iterator(directory)) {
    const auto stem = entry.path().stem().string();
    if (stem.starts_with(topic + "_") && !current.contains(stem))
      std::filesystem::remove(entry.path());
  }
}

}  // namespace

std::string cited(std::string_view key) {
  const auto found = std::ranges::find(properties::sources, key, &properties::Source::key);
  if (found == properties::sources.end())
    throw std::invalid_argument(fmt::format("no source '{}' in sources.hpp", key));
  return found->address.empty() ? std::string(found->title)
                                : fmt::format("[{}]({})", found->title, found->address);
}

std::string markdown(const Page& page) {
  std::string out(generated_note);
  out += fmt::format("# {}\n\n", page.words.title());
  add(out, opening(page));
  add(out, fill(page.words.introduction(), [&](std::string_view field) {
        const auto found = page.fields.find(field);
        if (found == page.fields.end())
          throw std::invalid_argument(
              fmt::format("{}: no field named {{{}}}", page.words.name(), field));
        return found->second;
      }));
  add(out, page.body);
  for (const auto& section : page.sections) out += body(section, page.words);
  while (out.ends_with("\n\n")) out.pop_back();
  return out;
}

void write_page(const Page& page, const std::filesystem::path& reports) {
  remove_leftovers(reports);
  // Composed in memory first: a page that cannot be rendered leaves no file of it behind.
  const std::string text = markdown(page);
  const std::string rows =
      page.sections.empty() ? page.record + "\n" : text_of(packed(results(page)));
  std::vector<Figure> figures = page.figures;
  for (const auto& section : page.sections)
    for (auto& view : section.figure_views(page.words)) figures.push_back(std::move(view.figure));
  std::set<std::string> current;
  for (const auto& figure : figures)
    if (!current.insert(figure.name).second)
      throw std::logic_error(fmt::format("{}: two figures are '{}'", page.topic, figure.name));
  for (const auto& figure : figures) write_figure(figure, reports);
  remove_others(reports / "figures", page.topic, current);
  remove_others(reports / "data", page.topic, current);
  write_file(reports / "data" / (page.topic + ".json"), rows);
  write_file(reports / (page.topic + ".md"), text);
}

}  // namespace embedscale::report
