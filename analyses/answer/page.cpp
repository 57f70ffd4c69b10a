#include "answer/page.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <stdexcept>

#include "answer/equivalence.hpp"
#include "report/json.hpp"
#include "report/page.hpp"
#include "report/row.hpp"
#include "report/table.hpp"

namespace embedscale::answer {
namespace {

[[noreturn]] void refuse(const report::Words& words, const std::string& why) {
  throw std::invalid_argument(fmt::format("{}: {}", words.name(), why));
}

std::string answered(const Json& results, const report::Words& words, const Question& question) {
  std::size_t count = 0, ready = 0;
  for (const auto& sentence : question.answer)
    if (waits_for(results, sentence).empty()) {
      ++ready;
      count += count_sentences(text_of(results, sentence));
    }
  if (ready == 0 || count > most_sentences)
    refuse(words,
           fmt::format("section '{}': its answer has {} sentences to show instead of 1 to {}",
                       question.key, count, most_sentences));
  std::string out =
      fmt::format("## {}\n\n> {}\n>\n> Asked in: {}\n\n{}", words.part(question.key, "title"),
                  on_one_line(words.part(question.key, "asked")), report::cited(question.key),
                  as_list(results, question.answer, ""));
  const auto also = as_list(results, question.also_asked, "");
  return also.empty() ? out : out + "\nAlso asked or said there:\n\n" + also;
}

/// The planned claims, and which questions wait for them: those that asked it, and those that have
/// a sentence on it.
std::string open(const Json& results, const std::vector<Question>& questions) {
  report::Table table({{"Claim"}, {"People say"}, {"Answers that wait for it"}});
  for (const auto& row : results.at("claims")) {
    if (row.at("status") != "planned") continue;
    const auto id = text_at(row, "id");
    std::string waiting;
    for (const auto& question : questions) {
      const auto waits = [&](const Sentence& sentence) {
        const auto all = waits_for(results, sentence);
        return std::ranges::find(all, id) != all.end();
      };
      const auto& asked = row.at("asked_in");
      if (std::find(asked.begin(), asked.end(), question.key) != asked.end() ||
          std::ranges::any_of(question.answer, waits) ||
          std::ranges::any_of(question.also_asked, waits))
        waiting += (waiting.empty() ? "" : ", ") + question.key;
    }
    table.row({id, text_at(row, "said"), waiting});
  }
  return table.markdown();
}

/// The beliefs of this verdict as a list, each with what there is to say of it.
std::string beliefs(const Json& results, std::string_view verdict) {
  std::string out;
  for (const auto& row : results.at("claims"))
    if (row.at("verdict") == verdict) {
      const bool refuted = verdict == "fails" && row.at("counterexample").is_string();
      out += fmt::format("- “{}” — {} <sub>{}</sub>\n", text_at(row, "said"),
                         text_at(row, refuted ? "counterexample" : "summary"), link_to(row, ""));
    }
  return out;
}

/// Links to the topics that have a page, by the names that the words have for them.
std::string topics(const Json& results, const report::Words& words) {
  std::map<std::string, std::string> names;
  for (const auto& item : items(words, "topics", "names"))
    names[item.substr(0, item.find(": "))] = item.substr(item.find(": ") + 2);
  std::string out, last;
  for (const auto& row : results.at("claims")) {
    const auto topic = text_at(row, "topic");
    if (row.at("status") == "planned" || topic == last) continue;
    last = topic;
    out += fmt::format("{}[{}]({}.md)", out.empty() ? "" : ", ",
                       names.contains(topic) ? names[topic] : topic, topic);
  }
  return out;
}

}  // namespace

std::vector<Question> questions(const report::Words& words) {
  std::vector<Question> all;
  for (const auto& [section, parts] : words.sections()) {
    if (section.size() != 2 || section[0] != 'S' || section[1] < '0' || section[1] > '9') continue;
    Question question{section, sentences(words, section, "answer"),
                      sentences(words, section, "also asked")};
    if (question.answer.empty() || question.answer.size() > most_sentences)
      refuse(words, fmt::format("section '{}': {} items in its answer instead of 1 to {}", section,
                                question.answer.size(), most_sentences));
    all.push_back(std::move(question));
  }
  return all;
}

std::string as_list(const Json& results, const std::vector<Sentence>& sentences,
                    std::string_view prefix) {
  std::string out;
  for (const auto& sentence : sentences)
    if (waits_for(results, sentence).empty())
      out += fmt::format("- {}\n", rendered(results, sentence, prefix));
  return out;
}

std::string in_short(const Json& results, const report::Words& words, std::string_view prefix) {
  const auto lines = sentences(words, "in short", "sentences");
  if (lines.empty() || lines.size() > most_sentences)
    refuse(words, fmt::format("section 'in short': {} sentences instead of 1 to {}", lines.size(),
                              most_sentences));
  return as_list(results, lines, prefix);
}

std::string index(const Json& results, std::string_view prefix) {
  report::Table table({{"Claim"}, {"People say"}, {"Verdict"}});
  for (const auto& row : results.at("claims"))
    if (row.at("status") != "planned")
      table.row({link_to(row, prefix), text_at(row, "said"),
                 fmt::format("**{}**", report::verdict_of(row))});
  return table.markdown();
}

std::string failing(const Json& results) { return beliefs(results, "fails"); }

std::string page(const Json& results, const report::Words& words) {
  const auto asked = questions(words);
  const auto equal = comparisons(words);
  const auto undecided = beliefs(results, "open");
  std::string out = fmt::format(
      "<!-- Generated: edit the words in analyses/, not this file. -->\n\n# {}\n\n{}\n\n## In "
      "short\n\n{}\n## Words used here\n\n{}\n\n",
      words.title(), words.introduction(), in_short(results, words, ""),
      words.part("terms", "text"));
  out += fmt::format(
      "## {}\n\n{}\n\n![{}](figures/equivalence.svg)\n\n<details>\n<summary>The same in words, "
      "with the claims</summary>\n\n{}\n</details>\n\n",
      words.part("drawing", "title"), words.part("drawing", "text"),
      on_one_line(words.part("drawing", "alternative text")), list(results, equal, ""));
  for (const auto& question : asked) out += answered(results, words, question) + "\n";
  out += fmt::format("## Popular beliefs that fail\n\n{}\n\n{}\n", words.part("failing", "text"),
                     failing(results));
  out += fmt::format("## What remains open\n\n{}\n\n{}{}\n", words.part("open", "text"),
                     undecided.empty() ? "" : undecided + "\n", open(results, asked));
  out +=
      fmt::format("## All claims\n\n{}\n\n{}\n", words.part("claims", "text"), index(results, ""));
  const auto read_on = report::fill(words.part("read on", "text"), [&](std::string_view field) {
    if (field != "topics") refuse(words, fmt::format("no field named {{{}}}", field));
    return topics(results, words);
  });
  return out + fmt::format("## Cite, check, read on\n\n{}\n", read_on);
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
