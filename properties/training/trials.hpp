#pragma once
// How the claims about real training are tried, and what that has to reject.
#include "../testing/trials.hpp"
#include "primitives.hpp"
#include "recipe_design.hpp"

namespace embedscale::properties::training {

/// Of the arms and their paths, of what judges the runs, and of the second study.
extern const testing::Properties<Primitives> properties, judge_properties, recipe_properties;
extern const testing::Mutants<Primitives> mutants, judge_mutants, recipe_mutants;

}  // namespace embedscale::properties::training
