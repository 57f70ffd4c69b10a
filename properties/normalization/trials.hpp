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

/// Properties of their values: value_properties.cpp.
void layer_norm_gives_its_values(const Primitives& subject);
void rms_norm_gives_its_values(const Primitives& subject);

/// All of them.
testing::Trials trials();

}  // namespace embedscale::properties::normalization
