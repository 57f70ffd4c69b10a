#include "answer/page.hpp"

#include <fmt/format.h>
#include "properties/sources.hpp"

#include <algorithm>
#include <functional>
#include <iterator>
#include <map>
#include <regex>
#include <set>
#include <sstream>
#include <stdexcept>

#include "answer/equivalence.hpp"
#include "folklore.hpp"
#include "report/json.hpp"
#include "report/page.hpp"
#include "report/row.hpp"
#include "report/table.hpp"

namespace embedscale::answer {
namespace {

constexpr std::string_view question_mark = "question ";  // how the sections of questions begin

[[noreturn]] void refuse(const report::Words& words, const std::string& why) {
  throw std::invalid_argument(fmt::format("{}: {}", words.name(), why));
}

/// "Up or down: a, b" as its two halves.
std::pair<std::string, std::string> halves(const report::Words& words, const std::string& item) {
  const auto colon = item.find(": ");
  if (colon == std::string::npos) refuse(words, fmt::format("'{}' has no name and colon", item));
  return {item.substr(0, colon), item.substr(colon + 2)};
}

Question question(const report::Words& words, const std::string& anchor) {
  const auto section = std::string(question_mark) + anchor;
  Question made{
      anchor, on_one_line(words.part(section, "title")), {}, sentences(words, section, "answer")};
  std::istringstream keys(words.has_part(section, "asked") ? words.part(section, "asked") : "");
  made.asked = {std::istream_iterator<std::string>(keys), {}};
  if (!std::regex_match(anchor, std::regex("[a-z0-9]+(-[a-z0-9]+)*")))
    refuse(words, fmt::format("section '{}': is no anchor", section));
  if (made.answer.empty() || made.answer.size() > most_in_answer)
    refuse(words, fmt::format("section '{}': {} items in its answer instead of 1 to {}", section,
                              made.answer.size(), most_in_answer));
  if (std::ranges::all_of(made.answer, [](const auto& s) { return s.carriers.empty(); }))
    refuse(words, fmt::format("section '{}': no claim stands behind its answer", section));
  return made;
}

/// Where it was asked, as links to the threads.
std::string threads(const report::Words& words, const Question& question) {
  std::string out;
  for (const auto& key : question.asked) {
    const auto found = std::ranges::find(properties::sources, key, &properties::Source::key);
    if (found == properties::sources.end())
      refuse(words, fmt::format("question '{}': no source '{}'", question.anchor, key));
    out += out.empty() ? "Asked: " : " · ";
    out += found->address.empty()
               ? std::string(found->short_name)
               : fmt::format("[{}]({})", folklore::label_of(found->address), found->address);
  }
  return out.empty() ? out : out + "\n\n";
}

/// The picture that answers a question: "figure" of its section is "name: what it shows".
std::string pictured(const report::Words& words, const Question& question) {
  const auto section = std::string(question_mark) + question.anchor;
  if (!words.has_part(section, "figure")) return {};
  const auto [name, caption] = halves(words, on_one_line(words.part(section, "figure")));
  return fmt::format("\n![{}](figures/{}.svg)\n\n*{}*\n", question.title, name, caption);
}

/// The sentences, then what carries them.
std::string answered(const Json& results, const report::Words& words, const Question& question) {
  std::string text;
  std::size_t count = 0;
  for (const auto& sentence : question.answer) {
    require_verdicts(results, sentence);
    const auto said = text_of(results, sentence);
    text += fmt::format("- {}\n", said);
    count += count_sentences(said);
  }
  for (const auto& [part, code] : words.blocks(std::string(question_mark) + question.anchor))
    text += fmt::format("\n```python\n{}```\n", code);
  text += pictured(words, question);
  if (count == 0 || count > most_in_answer)
    refuse(words,
           fmt::format("question '{}': its answer has {} sentences to show instead of 1 to {}",
                       question.anchor, count, most_in_answer));
  return fmt::format("<a id=\"{}\"></a>\n\n### {}\n\n{}{}\n<sub>{}</sub>\n", question.anchor,
                     question.title, threads(words, question), text,
                     findings(results, question.answer));
}

/// The questions as links, below the names of their groups.
std::string contents(const std::vector<Group>& groups) {
  std::string out;
  for (const auto& group : groups) {
    out += fmt::format("- {}\n", group.title);
    for (const auto& question : group.questions)
      out += fmt::format("  - [{}](#{})\n", question.title, question.anchor);
  }
  return out;
}

/// Links to the questions that were asked in most places, at equal numbers in the list's order.
std::string most_asked(const std::vector<Group>& groups, const report::Words& words) {
  std::vector<Question> all;
  for (const auto& group : groups)
    all.insert(all.end(), group.questions.begin(), group.questions.end());
  std::ranges::stable_sort(all, std::greater{}, [](const auto& q) { return q.asked.size(); });
  auto out = report::fill(words.part("questions", "front"), [&](std::string_view field) {
    if (field != "count") refuse(words, fmt::format("no field named {{{}}}", field));
    return report::count(all.size());
  });
  out += "\n\n";
  all.resize(std::min(all.size(), most_on_front));
  for (const auto& question : all)
    out += fmt::format("- [{}](questions.md#{})\n", question.title, question.anchor);
  return out;
}

std::string undecided(const Json& results) {
  std::string out;
  for (const auto& row : results.at("claims"))
    if (row.at("verdict") == "open")
      out += fmt::format("- “{}” <sub>{}</sub>\n", report::text(row, "belief"), link_to(row));
  return out.empty() ? out : out + "\n";
}

/// The settled claims as a table: findings, beliefs, and the verdicts on these.
std::string index(const Json& results) {
  auto table = report::Table::headed("Finding|People say|Verdict on that");
  for (const auto& row : results.at("claims"))
    table.row(
        {link_to(row), fmt::format("“{}”", report::text(row, "belief")), report::verdict_of(row)});
  return table.markdown();
}

/// Links to the topics that have a page, by the names that the words have for them.
std::string topics(const Json& results, const report::Words& words) {
  std::map<std::string, std::string> names;
  for (const auto& item : items(words, "topics", "names")) names.insert(halves(words, item));
  std::string out, last;
  for (const auto& row : results.at("claims")) {
    const auto topic = report::text(row, "topic");
    if (topic == last) continue;
    last = topic;
    out += fmt::format("{}[{}]({}.md)", out.empty() ? "" : ", ",
                       names.contains(topic) ? names[topic] : topic, topic);
  }
  return out;
}

}  // namespace

std::vector<Group> questions(const report::Words& words) {
  std::vector<Group> groups;
  std::set<std::string> listed;
  if (words.has_part("questions", "list"))
    for (const auto& item : items(words, "questions", "list")) {
      const auto [title, anchors] = halves(words, item);
      groups.push_back({title, {}});
      for (const auto part : report::split(anchors, ',')) {
        const std::string anchor(part.substr(std::min(part.find_first_not_of(' '), part.size())));
        if (!listed.insert(anchor).second)
          refuse(words, fmt::format("the list of questions has '{}' twice", anchor));
        groups.back().questions.push_back(question(words, anchor));
      }
    }
  for (const auto& [section, parts] : words.sections())
    if (section.starts_with(question_mark) &&
        !listed.contains(section.substr(question_mark.size())))
      refuse(words, fmt::format("section '{}' is not in the list of questions", section));
  return groups;
}

std::string as_list(const Json& results, const std::vector<Sentence>& sentences,
                    std::string_view prefix) {
  std::string out;
  for (const auto& sentence : sentences) {
    require_verdicts(results, sentence);
    out += fmt::format("- {}\n", rendered(results, sentence, prefix));
  }
  return out;
}

std::string in_short(const Json& results, const report::Words& words, std::string_view prefix) {
  const auto lines = sentences(words, "in short", "sentences");
  if (lines.empty() || lines.size() > most_in_short)
    refuse(words, fmt::format("section 'in short': {} sentences instead of 1 to {}", lines.size(),
                              most_in_short));
  return as_list(results, lines, prefix);
}

std::string page(const Json& results, const report::Words& words) {
  const auto asked = questions(words);
  std::string out = fmt::format("{}# {}\n\n{}\n\n## In short\n\n{}\n", report::generated_note,
                                words.title(), words.introduction(), in_short(results, words, ""));
  out += fmt::format(
      "## {}\n\n{}\n\n![{}](figures/equivalence.svg)\n\n<details>\n<summary>The same in words, "
      "with the claims</summary>\n\n{}\n</details>\n\n",
      words.part("drawing", "title"), words.part("drawing", "text"),
      on_one_line(words.part("drawing", "alternative text")), list(results, comparisons(words)));
  out += fmt::format("## Words used here\n\n{}\n\n", words.part("terms", "text"));
  if (!asked.empty())
    out += fmt::format("## Questions and short answers\n\n{}\n", most_asked(asked, words));
  out += fmt::format("## What remains open\n\n{}\n\n{}", words.part("open", "text"),
                     undecided(results));
  const auto read_on = report::fill(words.part("read on", "text"), [&](std::string_view field) {
    if (field != "topics") refuse(words, fmt::format("no field named {{{}}}", field));
    return topics(results, words);
  });
  out += fmt::format("## Cite, check, read on\n\n{}\n\n", read_on);
  return out +
         fmt::format("## All claims\n\n{}\n\n{}", words.part("claims", "text"), index(results));
}

std::string questions_page(const Json& results, const report::Words& words) {
  const auto groups = questions(words);
  std::string out = fmt::format("{}# Questions and short answers\n\n", report::generated_note);
  if (words.has_part("questions", "text")) out += words.part("questions", "text") + "\n\n";
  out += contents(groups);
  for (const auto& group : groups) {
    out += fmt::format("\n## {}\n", group.title);
    for (const auto& question : group.questions) out += "\n" + answered(results, words, question);
  }
  return out;
}

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

}  // namespace embedscale::answer
