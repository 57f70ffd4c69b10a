#pragma once
// How the claims about products of queries and keys, their softmax and its gradient are tried, and
// what that has to reject.
#include "../testing/trials.hpp"
#include "primitives.hpp"

namespace embedscale::properties::attention {

extern const testing::Properties<Primitives> properties;
extern const testing::Mutants<Primitives> mutants;
/// Those of the claims about the first attention's input, too.
testing::Trials trials();

}  // namespace embedscale::properties::attention
