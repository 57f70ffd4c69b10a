#pragma once
// How the claims about training are tried, and what that has to reject.
#include "../testing/trials.hpp"
#include "primitives.hpp"

namespace embedscale::properties::optimizer {

extern const testing::Properties<Primitives> properties;
/// Around the factor and in the settings, and in the steps.
extern const testing::Mutants<Primitives> mutants, misread_steps;
/// Misreadings that no claim is about: what is stated holds with them, too.
extern const testing::Mutants<Primitives> other_misreadings;
testing::Trials trials();

}  // namespace embedscale::properties::optimizer
