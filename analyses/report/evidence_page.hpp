#pragma once
// How the claims of a topic were tested, case by case: what its page has no room for.
#include <string>

#include "report/page.hpp"

namespace embedscale::report {

/// A section for each claim: its properties with their cases, seeds and worst shares, the wrong
/// primitives that they reject, the classes that they have to meet, the counterexamples found.
std::string evidence_markdown(const Page& page);

}  // namespace embedscale::report
