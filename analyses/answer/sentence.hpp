#pragma once
// A sentence of the answer: words that stand on claims. It names each claim that carries it with
// the verdict on the belief that it presumes, and its figures are fields of those claims:
//
//   - Of {topic.claim systems} systems, {topic.claim balanced} are balanced. {false topic.claim}
//
// or look-ups in their measurements (report/lookup.hpp), {topic.claim ratio system=gpt2}.
// With another verdict there is no page. "{claim topic.claim}" stands for the claim's own sentence.
// What is said of the project as a whole stands on a page instead, "{page trust.md}", and may have
// the figures that total() knows, "{trust.md mutants}".
#include <string>
#include <string_view>
#include <vector>

#include "report/json.hpp"
#include "report/row.hpp"
#include "report/words.hpp"

namespace embedscale::answer {

using report::Json, report::on_one_line;

/// A claim, and the verdict that a sentence presumes, one of results.json's; empty where it is the
/// claim's own sentence, which suits any.
struct Carrier {
  std::string id, verdict;
};

struct Sentence {
  std::string where;  ///< "answer.md, section 'S0', part 'answer', item 2", for complaints
  std::string words;  ///< as written, on one line
  std::vector<Carrier> carriers;
  std::vector<std::string> pages;  ///< as addresses below reports/: "trust.md"
};

/// Checks one list item and finds what carries it.
///
/// Errors    std::invalid_argument, with `where`: for an item that names no claim or page, has a
///           figure of one that it does not name, is more than one sentence or not ended, or has a
///           figure typed in (a decimal or a percentage).
Sentence sentence(std::string words, std::string where);

/// The items of a part of the words, "- …", each of them on one or more lines.
///
/// Errors    std::invalid_argument for a text before the first item.
std::vector<std::string> items(const report::Words& words, std::string_view section,
                               std::string_view part);

/// The items of a part as sentences; none where the words do not have the part.
std::vector<Sentence> sentences(const report::Words& words, std::string_view section,
                                std::string_view part);

/// Checks a sentence against the results.
///
/// Errors    std::invalid_argument where a claim does not exist or has come to another verdict.
void require_verdicts(const Json& results, const Sentence& sentence);

/// The words with their fields filled in, without links.
///
/// Errors    std::invalid_argument for a field that its claim does not have, or no total.
std::string text_of(const Json& results, const Sentence& sentence);

/// A figure of the whole project: "settled" claims, "mutants" and how many are "rejected", the most
/// "alarm" and "miss" of a run of all tests; of the results' `source_mutants`, how many were
/// "judged" and what share of these was "noticed", in per cent. Empty for another name.
std::string total(const Json& results, std::string_view name);

/// Links to what carries a sentence, by short names, `prefix` before each address.
std::string links(const Json& results, const Sentence& sentence, std::string_view prefix);

/// Text and links: a line of Markdown.
std::string rendered(const Json& results, const Sentence& sentence, std::string_view prefix);

/// How many sentences a text is, by what ends them.
std::size_t count_sentences(std::string_view text);

/// Links to what carries some sentences, each once and by its finding: an id, or the verdict on its
/// own belief, may read as the opposite.
std::string findings(const Json& results, const std::vector<Sentence>& sentences);

/// A link to a row, "[finding](anchor)".
std::string link_to(const Json& row);

}  // namespace embedscale::answer
