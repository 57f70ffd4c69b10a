#pragma once
// How the facts about blocks and their gradients are tried, and what that has to reject.
#include "../testing/trials.hpp"
#include "primitives.hpp"

namespace embedscale::properties::block {

using namespace testing;

extern const Properties<Primitives> properties;
extern const Mutants<Primitives> mutants;

}  // namespace embedscale::properties::block
