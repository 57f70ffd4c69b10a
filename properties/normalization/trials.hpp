#pragma once
// How the claims about norms are tried, and what that has to reject.
#include "../testing/trials.hpp"
#include "primitives.hpp"

namespace embedscale::properties::normalization {

/// Of the claims about norms.
extern const testing::Properties<Primitives> properties;
extern const testing::Mutants<Primitives> mutants;
/// Of those about blocks.
extern const testing::Properties<BlockPrimitives> block_properties;
extern const testing::Mutants<BlockPrimitives> block_mutants;

extern const testing::Beliefs block_beliefs;

}  // namespace embedscale::properties::normalization
