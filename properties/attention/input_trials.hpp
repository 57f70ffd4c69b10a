#pragma once
// How the claims about the first attention's input are tried, and what that has to reject.
#include "../testing/trials.hpp"
#include "input_primitives.hpp"

namespace embedscale::properties::attention::input {

extern const testing::Properties<Primitives> properties;
extern const testing::Mutants<Primitives> mutants;
testing::Trials trials();

}  // namespace embedscale::properties::attention::input
