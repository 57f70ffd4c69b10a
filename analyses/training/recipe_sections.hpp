#pragma once
// What the page has of the second study.
#include <vector>

#include "cli/analysis.hpp"

namespace embedscale::training_analysis {

/// A section for each of its claims, of the committed runs.
std::vector<cli::Measured> recipe_sections();

}  // namespace embedscale::training_analysis
