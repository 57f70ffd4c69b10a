#pragma once
// How the claims about real training are tried, and what that has to reject.
#include "../testing/trials.hpp"
#include "primitives.hpp"

namespace embedscale::properties::training {

/// Of the arms and their paths, and of what judges the runs.
extern const testing::Properties<Primitives> properties, judge_properties;
extern const testing::Mutants<Primitives> mutants, judge_mutants;

}  // namespace embedscale::properties::training
