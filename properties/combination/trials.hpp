#pragma once
// How the claims about up and down are tried, and what that has to reject.
#include "../testing/trials.hpp"
#include "primitives.hpp"

namespace embedscale::properties::combination {

extern const testing::Properties<Primitives> properties;
/// Of the claim about merged rows.
extern const testing::Properties<Primitives> merged_properties;
extern const testing::Beliefs merged_beliefs;
extern const testing::Mutants<Primitives> mutants;

}  // namespace embedscale::properties::combination
