#pragma once
// A look at every arm of every setting in a few steps: does it train, and to the same bits?
#include <vector>

#include "properties/training/design.hpp"
#include "training/study/text.hpp"

namespace embedscale::training {

/// Says on stderr what is wrong.  Returns an exit code: cli::differs where something is.
int quick(const std::vector<properties::training::Cell>& cells, const Text& text);

}  // namespace embedscale::training
