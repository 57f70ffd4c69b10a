#pragma once
// How the claims about training are tried, and what that has to reject.
#include "../testing/trials.hpp"
#include "primitives.hpp"

namespace embedscale::properties::optimizer {

using namespace testing;

/// Of the claims about training, and of the values of each primitive.
extern const Properties<Primitives> properties, value_properties;
extern const Mutants<Primitives> mutants;

}  // namespace embedscale::properties::optimizer
