#pragma once
// How the claims about norms are tried, and what that has to reject.
#include "../testing/trials.hpp"
#include "block_primitives.hpp"
#include "primitives.hpp"

namespace embedscale::properties::normalization {

/// How these claims are tried, and what the properties have to reject.
extern const testing::Properties<Primitives> properties;
extern const testing::Mutants<Primitives> mutants;

/// The trials of these claims and of those about blocks.
testing::Trials trials();
/// How these claims are tried, what the properties have to reject, and what they refute.
extern const testing::Properties<BlockPrimitives> block_properties;
extern const testing::Mutants<BlockPrimitives> block_mutants;
extern const testing::Beliefs block_beliefs;

}  // namespace embedscale::properties::normalization
