#pragma once
// The places in a table, and the tables, that the properties draw.
#include <cstdint>

#include "../testing/draws.hpp"
#include "../testing/holds.hpp"
#include "table.hpp"

namespace embedscale::properties::sinusoidal {

/// Either rule where d has both, either layout.
inline FrequencyRule any_rule(std::size_t d) {
  const bool tensor2tensor = testing::named("tensor2tensor", testing::in_range(0, 2)) != 0;
  return tensor2tensor && d >= 4 ? FrequencyRule::tensor2tensor : FrequencyRule::paper;
}
inline SinusoidalLayout any_layout() {
  return testing::named("halves", testing::in_range(0, 2)) != 0 ? SinusoidalLayout::halves
                                                                : SinusoidalLayout::interleaved;
}

/// An even width on a logarithmic scale, up to `most`.
inline std::size_t any_even_width(std::uint64_t least, std::uint64_t most, const char* name = "d") {
  return testing::named(name, testing::multiples(2, {least, most}));
}

/// A position below 2^17 of a table of an even width up to `most`. Simplified to d = 2, position 0.
inline Place any_place(std::uint64_t most, const domain::Integers& range = domain::positions) {
  const std::size_t d = any_even_width(2, most);
  const auto position = testing::named("position", testing::positions(range));
  const auto rule = any_rule(d);
  return {d, position, rule, any_layout()};
}

/// L positions of an even width, both on a logarithmic scale.
inline Table any_table(const domain::Widths& widths, const domain::Integers& lengths) {
  const std::size_t d = any_even_width(widths.lowest, widths.highest);
  const auto length = testing::named("L", testing::positions(lengths));
  const auto rule = any_rule(d);
  return {d, length, rule, any_layout()};
}

/// Both rules and both layouts: what every place has to be tested with.
template <class Where>
void covers_variants(const Where& at) {
  testing::covers("rule of the paper", at.rule == FrequencyRule::paper, 0.25);
  testing::covers("rule of tensor2tensor", at.rule == FrequencyRule::tensor2tensor, 0.25);
  testing::covers("interleaved", at.layout == SinusoidalLayout::interleaved, 0.25);
  testing::covers("halves", at.layout == SinusoidalLayout::halves, 0.25);
}

}  // namespace embedscale::properties::sinusoidal
