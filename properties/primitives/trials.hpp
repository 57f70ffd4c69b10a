#pragma once
// How the facts about primitives are tried, and what that has to reject.
#include "../testing/trials.hpp"
#include "primitives.hpp"

namespace embedscale::properties::primitives {

extern const testing::Properties<Primitives> properties;
extern const testing::Mutants<Primitives> mutants;
testing::Trials trials();

}  // namespace embedscale::properties::primitives
