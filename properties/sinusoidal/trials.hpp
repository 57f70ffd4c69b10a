#pragma once
// How the claims about sinusoidal positions are tried, and what that has to reject.
#include "../testing/trials.hpp"
#include "primitives.hpp"

namespace embedscale::properties::sinusoidal {

extern const testing::Properties<Primitives> properties;
extern const testing::Mutants<Primitives> mutants;

}  // namespace embedscale::properties::sinusoidal
