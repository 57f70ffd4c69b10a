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

constexpr std::size_t most_rows = 8, most_columns = 7;  // of a table that is read

/// Appends a block and the blank line after it; nothing for nothing.
void add(std::string& out, std::string block) {
  while (block.ends_with('\n')) block.pop_back();
  if (!block.empty()) out += block + "\n\n";
}

/// The findings, as a list of contents.
std::string contents(const Page& page) {
  std::string out;
  for (const auto& section : page.sections)
    out += fmt::format("- [{}](#{})\n", section.finding(page.words), section.claim().id);
  return out;
}

std::string all_cited(const properties::Names& keys) {
  std::string out;
  for (std::size_t i = 0; i < properties::count(keys); ++i)
    out += (i == 0 ? "" : " · ") + cited(keys[i]);
  return out;
}

/// The verdict on the belief, for people: "**Belief: false.**", "**Belief: true if** d is even."
std::string judged(const Section& section, const Words& words) {
  const bool conditional = section.judgement().verdict == properties::Verdict::true_if;
  const auto verdict = section.verdict(words);
  if (verdict.starts_with("premise"))
    return (conditional ? fmt::format("**Belief: {}** {}; **reason not shown.**", verdict,
                                      section.condition(words))
                        : fmt::format("**Belief: {}, reason not shown.**", verdict)) +
           " Premise: " + section.premise(words);
  if (conditional) return fmt::format("**Belief: {}** {}.", verdict, section.condition(words));
  return fmt::format("**Belief: {}.**", verdict);
}

/// A table as the page shows it: one that can be read.
///
/// Errors    std::invalid_argument where it is too large.
std::string shown(const TableView& view, const Section& section, const Words& words) {
  if (view.rows.size() > most_rows || view.columns.size() > most_columns)
    throw std::invalid_argument(fmt::format(
        "{}: {}: a table of {} rows and {} columns, of which a page shows {} and {}: keep some "
        "(only AXIS …), and the whole as '### data {}_…'",
        words.name(), section.claim().id, view.rows.size(), view.columns.size(), most_rows,
        most_columns, section.claim().topic()));
  return view.table().markdown();
}

/// What stands beside the page: whole tables, then what the figures show.
std::string data_links(const Section& section, const Words& words,
                       const std::vector<FigureView>& figures) {
  std::string out;
  const auto link = [&](const std::string& about, const std::string& name) {
    out += fmt::format("{}[{}](data/{}.csv)", out.empty() ? "Data: " : " · ", about, name);
  };
  for (const auto& view : section.data_views(words)) link(view.about, view.name);
  for (const auto& [figure, sources] : figures)
    link(figures.size() == 1 ? "the figure" : figure.title, figure.name);
  return out.empty() ? out : out + "\n\n";
}

std::string how_tested(const Section& section) {
  const auto& id = section.claim().id;
  const auto mutants = mutants_of(section.tests());
  std::uint64_t properties = 0, cases = 0;
  double worst = 0;
  for (const auto& test : section.tests())
    if (test.role == "holds")
      ++properties, cases += test.cases, worst = std::max(worst, test.worst);
  const auto published = std::ranges::count_if(section.measurements(), &Measurement::published);
  return fmt::format(
      "<details>\n<summary>Exact statement and tests</summary>\n\n{}.\n\n"
      "- code tested: {} cases of {} {}; {} of {} wrong implementations rejected; {}\n"
      "- result measured: {} numbers; kind of evidence: {}\n"
      "- [evidence](evidence/{}.md#{}), or `./dev test -R '^{}$'`\n\n"
      "</details>\n\n",
      section.claim().states, count(cases), properties, properties == 1 ? "property" : "properties",
      mutants.killed, mutants.total,
      worst == 0.0 ? "exact" : "worst share of the bound: " + significant(worst, 3), published,
      name_of(section.claim().kind), section.claim().topic(), id, id);
}

std::string citation_of(const Section& section) {
  const auto& claim = section.claim();
  return fmt::format(
      "Cite: [`{0}`]({1}/blob/main/reports/{2}.md#{0}), BibTeX `embedscale:{0}` in "
      "[claims.bib](claims.bib)\n\n",
      claim.id, project::url, claim.topic());
}

/// The parts that no section goes without.
void require_parts(const Section& section, const Words& words) {
  for (const char* part : {"finding", "why", "limits"})
    if (words.part(section.claim().id, part).empty())
      throw std::invalid_argument(fmt::format("{}: section '{}' has an empty part '### {}'",
                                              words.name(), section.claim().id, part));
}

std::string body(const Section& section, const Words& words) {
  const auto& claim = section.claim();
  require_parts(section, words);
  std::string out = fmt::format("<a id=\"{}\"></a>\n\n## {}\n\n", claim.id, section.finding(words));
  out += fmt::format("> “{}”\n", claim.said);
  if (properties::count(claim.asked_in) > 0)
    out += fmt::format(">\n> Asked or said: {}\n", all_cited(claim.asked_in));
  out += fmt::format("\n{} {}\n\n", judged(section, words), section.summary(words));
  for (const auto& [part, view] : section.table_views(words)) {
    add(out, section.prose(words, part));
    add(out, shown(view, section, words));
  }
  const auto figures = section.figure_views(words);
  for (const auto& [figure, sources] : figures)
    add(out, figure_markdown(figure, section.prose(words, "figure " + figure.name)));
  out += data_links(section, words, figures);
  out += "**Why.** " + section.prose(words, "why") + "\n\n";
  if (properties::count(claim.cites) > 0)
    out += fmt::format("Rests on: {}\n\n", all_cited(claim.cites));
  out += "**Limits.** " + section.prose(words, "limits") + "\n\n";
  return out + how_tested(section) + citation_of(section);
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

std::string cited(std::string_view key, std::string_view prefix) {
  const auto found = std::ranges::find(properties::sources, key, &properties::Source::key);
  if (found == properties::sources.end())
    throw std::invalid_argument(fmt::format("no source '{}' in sources.hpp", key));
  if (!found->question.empty())
    return fmt::format("[{}]({}questions.md#{})", found->short_name, prefix, found->question);
  if (found->address.empty()) return std::string(found->short_name);
  return fmt::format("[{}]({})", found->short_name, found->address);
}

std::string markdown(const Page& page) {
  std::string out(generated_note);
  out += fmt::format("# {}\n\n", page.words.title());
  add(out, fill(page.words.introduction(), [&](std::string_view field) {
        const auto found = page.fields.find(field);
        if (found == page.fields.end())
          throw std::invalid_argument(
              fmt::format("{}: no field named {{{}}}", page.words.name(), field));
        return found->second;
      }));
  add(out, contents(page));
  add(out, page.body);
  for (const auto& section : page.sections) out += body(section, page.words);
  out += fmt::format(
      "`./dev reports {0}` makes this page; `./dev measure {0} --json` prints its measurements, "
      "at parameters of your own, too: see `./dev measure {0} --help`.\n",
      page.topic);
  while (out.ends_with("\n\n")) out.pop_back();
  return out;
}

void write_page(const Page& page, const std::filesystem::path& reports) {
  // Composed in memory first: a page that cannot be rendered leaves no file of it behind.
  const std::string text = markdown(page);
  const std::string rows = text_of(results(page));
  std::vector<Figure> figures = page.figures;
  std::vector<DataView> tables;
  for (const auto& section : page.sections) {
    for (auto& view : section.figure_views(page.words)) figures.push_back(std::move(view.figure));
    for (auto& view : section.data_views(page.words)) tables.push_back(std::move(view));
  }
  std::set<std::string> current;
  const auto add_name = [&](const std::string& name) {
    if (!current.insert(name).second)
      throw std::logic_error(fmt::format("{}: two files are '{}'", page.topic, name));
    if (!name.starts_with(page.topic + "_"))
      throw std::invalid_argument(fmt::format("{}: the file '{}' is to be called '{}_…'",
                                              page.words.name(), name, page.topic));
  };
  for (const auto& figure : figures) add_name(figure.name);
  for (const auto& table : tables) add_name(table.name);
  for (const auto& figure : figures) write_figure(figure, reports);
  for (const auto& table : tables)
    write_file(reports / "data" / (table.name + ".csv"), table.table.csv());
  write_file(reports / "evidence" / (page.topic + ".md"), evidence_markdown(page));
  remove_others(reports / "figures", page.topic, current);
  remove_others(reports / "data", page.topic, current);
  write_file(reports / "data" / (page.topic + ".json"), rows);
  write_file(reports / (page.topic + ".md"), text);
}

}  // namespace embedscale::report
