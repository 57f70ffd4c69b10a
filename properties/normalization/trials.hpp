#pragma once
// How the claims about norms are tried, and what that has to reject.
#include "../testing/trials.hpp"
#include "primitives.hpp"

namespace embedscale::properties::normalization {

using namespace testing;

/// Of the claims about norms.
extern const Properties<Primitives> properties;
extern const Mutants<Primitives> mutants;
/// Of those about blocks.
extern const Properties<BlockPrimitives> block_properties;
extern const Mutants<BlockPrimitives> block_mutants;

extern const Beliefs block_beliefs;

}  // namespace embedscale::properties::normalization
