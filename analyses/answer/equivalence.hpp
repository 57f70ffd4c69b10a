#pragma once
// What is equal to what, stage by stage through a model, and where it stops: a drawing and the same
// as a list. The words tell the stages; whether a stage keeps two spellings equal is the verdict of
// the claim that its sentence names first.
#include <string>
#include <vector>

#include "answer/sentence.hpp"

namespace embedscale::answer {

/// "the sum: the same vector but for the factor √d. {holds topic.claim}"
struct Stage {
  std::string name;   ///< before the colon
  Sentence sentence;  ///< all of it
};

/// Two ways to write the input, and what becomes of their equality.
struct Comparison {
  std::string title, left, right;
  std::vector<Stage> stages;
};

/// The sections "drawing 1", "drawing 2", … of the words, with the parts title, left, right and
/// stages.
///
/// Errors    std::invalid_argument for a stage without a name.
std::vector<Comparison> comparisons(const report::Words& words);

/// "=", "= if", "≠", or "?" where nothing is settled.
std::string sign_of(const Json& results, const Stage& stage);

/// An SVG with a background of its own, 520 units wide; the same bytes for the same input. A stage
/// that waits for a claim is drawn, and says nothing but that.
std::string drawing(const Json& results, const std::vector<Comparison>& all);

/// The drawing in words, with links: a Markdown list for each comparison.
std::string list(const Json& results, const std::vector<Comparison>& all);

}  // namespace embedscale::answer
