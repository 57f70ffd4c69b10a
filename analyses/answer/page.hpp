#pragma once
// reports/README.md, the answer, and what the project's own README has of it.
#include <string>
#include <vector>

#include "answer/sentence.hpp"

namespace embedscale::answer {

/// A question as somebody asked it, and its answer.
struct Question {
  std::string key;                   ///< of sources.hpp: "S0"
  std::vector<Sentence> answer;      ///< at most five sentences when filled in
  std::vector<Sentence> also_asked;  ///< what else the thread asks or says, one sentence each
};

inline constexpr std::size_t most_sentences = 5;

/// The sections of the words that are named like a source "S0", "S1", …
///
/// Errors    std::invalid_argument for a question without an answer, or one of more than five
///           items.
std::vector<Question> questions(const report::Words& words);

/// The sentences that wait for no claim, as a Markdown list.
std::string as_list(const Json& results, const std::vector<Sentence>& sentences,
                    std::string_view prefix);

/// The five lines that stand for the whole.
///
/// Errors    std::invalid_argument where there are more.
std::string in_short(const Json& results, const report::Words& words, std::string_view prefix);

/// The settled claims as a table.
std::string index(const Json& results, std::string_view prefix);

/// Beliefs that fail, each with its counterexample.
std::string failing(const Json& results);

/// The whole page.
///
/// Errors    std::invalid_argument where an answer has nothing to show or more than five sentences;
///           whatever its sentences throw.
std::string page(const Json& results, const report::Words& words);

/// `text` with what stands between <!-- name:begin --> and <!-- name:end --> replaced.
///
/// Errors    std::invalid_argument where it has no such marks.
std::string with_block(std::string text, std::string_view name, std::string_view block);

}  // namespace embedscale::answer
