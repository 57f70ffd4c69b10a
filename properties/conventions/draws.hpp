#pragma once
// Starts and multipliers, as properties draw them.
#include "../testing/draws.hpp"
#include "scale.hpp"

namespace embedscale::properties::conventions {

/// A random place to look at: even d, position below 2^17, both rules, both layouts.
Start start(std::size_t largest_half);

/// √d or a fraction of either sign.
double multiplier(std::size_t d);

}  // namespace embedscale::properties::conventions
