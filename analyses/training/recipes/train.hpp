#pragma once
// One run of the second study, on libtorch.
#include "properties/training/recipe.hpp"
#include "training/study/text.hpp"

namespace embedscale::training {

/// Trains it, on one thread.
///
/// Ensures   the same bits from the same arguments on one kind of processor; where the first study
///           has the same run, its bits.
properties::training::RecipeOutcome trained(const properties::training::RecipeRun& run,
                                            const Text& text);

/// What the rate is multiplied by at step t = 1, 2, … of `steps`.
double schedule(properties::training::Family family, int t, int steps);

}  // namespace embedscale::training
