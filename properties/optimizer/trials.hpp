#pragma once
// How the claims about training are tried, and what that has to reject.
#include "../testing/trials.hpp"
#include "primitives.hpp"

namespace embedscale::properties::optimizer {

using namespace testing;

extern const Properties<Primitives> properties;
extern const Mutants<Primitives> mutants;

/// Properties of values, in one of the formats: value_properties.cpp.
using Body = void(const Primitives& subject);
Body descents_give_their_values, adams_give_their_values, parts_give_their_values,
    norms_give_their_values;

}  // namespace embedscale::properties::optimizer
