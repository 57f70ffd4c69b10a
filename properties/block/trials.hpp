#pragma once
// How the facts about blocks and their gradients are tried, and what that has to reject.
#include "../testing/trials.hpp"
#include "primitives.hpp"

namespace embedscale::properties::block {

extern const testing::Properties<Primitives> properties;
extern const testing::Mutants<Primitives> mutants;

}  // namespace embedscale::properties::block
