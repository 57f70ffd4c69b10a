#pragma once
// How the claims about up and down are tried, and what that has to reject.
#include "../testing/trials.hpp"
#include "primitives.hpp"

namespace embedscale::properties::combination {

extern const testing::Properties<Primitives> properties;
extern const testing::Mutants<Primitives> mutants;

}  // namespace embedscale::properties::combination
