#pragma once
// How the claims about the token part are tried, and what that has to reject.
#include "../testing/trials.hpp"
#include "primitives.hpp"

namespace embedscale::properties::embedding {

using namespace testing;

extern const Properties<Primitives> properties;
extern const Mutants<Primitives> mutants;

}  // namespace embedscale::properties::embedding
