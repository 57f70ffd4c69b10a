#pragma once
// The page "How sure is each claim?": claims by what they rest on, the most fragile first, and
// among equals those of which least was tried. The words are analyses/certainty.md:
//
//   ## weakest          ### title, ### sentences: the claims most likely to be wrong
//   ## ranking          ### title, ### text: before the table of all
//   ## statistical, …   for each kind of evidence:
//   ### rests on        why such a claim holds
//   ### overturned by   what would show that it does not
#include "properties/claim.hpp"

#include <string>

#include "answer/sentence.hpp"

namespace embedscale::certainty {

using report::Json;

/// Errors    nlohmann::json::exception; std::invalid_argument for a kind that there is not.
properties::Kind kind_of(const Json& row);

/// How much was tried: of a trained claim the comparisons that speak against the belief, of another
/// its cases, of what was read nothing, as its cases say nothing of the reading.
struct Tried {
  std::uint64_t count = 0, of = 0;  ///< of = 0: cases
};
Tried tried(const Json& row);

/// reports/certainty.md.
///
/// Errors    std::invalid_argument where the words miss a part; whatever the sentences throw.
std::string page(const Json& results, const report::Words& words);

}  // namespace embedscale::certainty
