#pragma once
// The page "How sure is each claim?": claims by what they rest on, the most fragile first, and
// among equals those of which least was tried. The words are analyses/certainty.md:
//
//   ## weakest          ### title, ### sentences: the claims most likely to be wrong
//   ## ranking          ### title, ### text: before the table of all
//   ## statistical, …   for each support:
//   ### rests on        why such a claim holds
//   ### overturned by   what would show that it does not
#include <string>

#include "answer/sentence.hpp"

namespace embedscale::certainty {

using report::Json;

/// What a claim rests on, the most fragile first.
enum class Support {
  trained,      ///< runs of small models
  read,         ///< sources of real systems, as somebody read them
  statistical,  ///< draws, with declared error rates
  quadrature,   ///< integrals
  bounded,      ///< a derived bound on rounding
  exhaustive,   ///< every case
  exact         ///< a proof, tried on rationals
};

/// Errors    nlohmann::json::exception; std::invalid_argument for a kind that there is not.
Support support_of(const Json& row);

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
