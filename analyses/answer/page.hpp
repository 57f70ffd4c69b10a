#pragma once
// The front of the reports: reports/README.md, the page of questions, and what the project's own
// README has of them.
#include <string>
#include <vector>

#include "answer/sentence.hpp"

namespace embedscale::answer {

/// A question, and its answer: the section "question why-scale-up" of the words, with the parts
/// title, asked (keys of sources.hpp; may be missing) and answer, where code may stand between
/// lines of ``` behind its items, and perhaps figure, "name: what it shows".
struct Question {
  std::string anchor;  ///< "why-scale-up"
  std::string title;
  std::vector<std::string> asked;
  std::vector<Sentence> answer;
};

/// The questions under one heading: an item of "questions", part "list", "Up or down: why-scale-up,
/// does-it-matter".
struct Group {
  std::string title;
  std::vector<Question> questions;
};

inline constexpr std::size_t most_in_short = 6, most_in_answer = 3, most_on_front = 8;

/// The questions in the order of their list; none without one.
///
/// Errors    std::invalid_argument for a question that the list does not have exactly once, or has
///           and is not there; one without an answer, with one of more than three items, or with no
///           claim behind it; an anchor that is not made of a–z, 0–9 and single hyphens.
std::vector<Group> questions(const report::Words& words);

/// The sentences that wait for no claim, as a Markdown list.
std::string as_list(const Json& results, const std::vector<Sentence>& sentences,
                    std::string_view prefix);

/// The lines that stand for the whole.
///
/// Errors    std::invalid_argument where there are none, or more than six.
std::string in_short(const Json& results, const report::Words& words, std::string_view prefix);

/// reports/README.md.
///
/// Errors    std::invalid_argument; whatever its sentences throw.
std::string page(const Json& results, const report::Words& words);

/// reports/questions.md.
///
/// Errors    std::invalid_argument where an answer has nothing to show or more than three
///           sentences; whatever its sentences throw.
std::string questions_page(const Json& results, const report::Words& words);

/// `text` with what stands between <!-- name:begin --> and <!-- name:end --> replaced.
///
/// Errors    std::invalid_argument where it has no such marks.
std::string with_block(std::string text, std::string_view name, std::string_view block);

}  // namespace embedscale::answer
