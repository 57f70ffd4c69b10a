#pragma once
// How the claims about a shared table are tried, and what that has to reject.
#include "../testing/trials.hpp"
#include "primitives.hpp"

namespace embedscale::properties::tied_output {

extern const testing::Properties<Primitives> properties;
extern const testing::Mutants<Primitives> mutants;

}  // namespace embedscale::properties::tied_output
