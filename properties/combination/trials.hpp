#pragma once
// How the claims about up and down are tried, and what that has to reject.
#include "../testing/trials.hpp"
#include "primitives.hpp"

namespace embedscale::properties::combination {

extern const testing::Properties<Primitives> properties;
extern const testing::Mutants<Primitives> mutants, value_mutants;

/// Properties of values, in one of the formats: value_properties.cpp.
void sums_give_their_values(const Primitives& subject);
void dropout_gives_its_value(const Primitives& subject);

testing::Trials trials();

}  // namespace embedscale::properties::combination
