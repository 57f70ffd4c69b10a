#pragma once
// How the claims about training are tried, and what that has to reject.
#include "../testing/trials.hpp"
#include "primitives.hpp"

namespace embedscale::properties::optimizer {

/// Of the claims about training, and of the values of each primitive.
extern const testing::Properties<Primitives> properties, value_properties;
extern const testing::Mutants<Primitives> mutants;

}  // namespace embedscale::properties::optimizer
