#pragma once
// How the facts about blocks and their gradients are tried, and what that has to reject.
#include "../testing/trials.hpp"
#include "primitives.hpp"

namespace embedscale::properties::block {

/// How the facts are tried, and what the properties have to reject.
extern const testing::Properties<Primitives> properties;
extern const testing::Mutants<Primitives> mutants;
testing::Trials trials();

}  // namespace embedscale::properties::block
