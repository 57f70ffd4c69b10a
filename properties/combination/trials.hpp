#pragma once
// How the claims about up and down are tried, and what that has to reject.
#include "../testing/trials.hpp"
#include "primitives.hpp"

namespace embedscale::properties::combination {

extern const testing::Properties<Primitives> properties;
extern const testing::Mutants<Primitives> mutants;
/// Each operation wrong in one format alone.
void add_wrong_in_one_format(testing::Mutants<Primitives>& to);

testing::Trials trials();

}  // namespace embedscale::properties::combination
