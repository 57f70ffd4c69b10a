#pragma once
// How the claims about ports are tried, and what that has to reject.
#include "../testing/trials.hpp"
#include "primitives.hpp"

namespace embedscale::properties::porting {

/// Of the claims about the function, of those about training, and of what clipping is.
extern const testing::Properties<Primitives> function_properties, training_properties,
    clipping_properties;
extern const testing::Mutants<Primitives> mutants;
extern const testing::Beliefs function_beliefs, training_beliefs;

}  // namespace embedscale::properties::porting
