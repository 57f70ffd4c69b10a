#pragma once
// Starts and multipliers, as properties draw them.
#include "../testing/draws.hpp"
#include "scale.hpp"

namespace embedscale::properties::conventions {

using testing::in_range, testing::named;

/// A random place to look at: even d, position below 2^17, both rules, both layouts.
inline Start start(std::size_t largest_half) {
  const auto d = named("d", testing::even_widths(1, largest_half));
  const auto position = named("position", in_range<std::int64_t>(0, 1 << 17));
  const bool tensor2tensor = named("tensor2tensor", in_range(0, 2)) != 0 && d >= 4;
  const bool halves = named("halves", in_range(0, 2)) != 0;
  return {d, position, tensor2tensor ? FrequencyRule::tensor2tensor : FrequencyRule::paper,
          halves ? SinusoidalLayout::halves : SinusoidalLayout::interleaved};
}

/// √d or a fraction of either sign.
inline double multiplier(std::size_t d) {
  const auto m = named("m", testing::nonzero_rationals());
  const bool root = named("root d for m", in_range(0, 2)) != 0;
  return root ? root_multiplier<double>(d) : static_cast<double>(m);
}

}  // namespace embedscale::properties::conventions
