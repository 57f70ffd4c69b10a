#pragma once
// Generators of what the claims of sinusoidal.hpp speak of: places in a table, and tables.
#include <cstdint>

#include "../../sinusoidal_table.hpp"
#include "integers.hpp"
#include "numbers.hpp"

namespace embedscale::properties::testing::generators {

/// Either rule where d has both, either layout.
inline FrequencyRule rule_of(std::size_t d) {
  const bool tensor2tensor = named("tensor2tensor", in_range(0, 2)) != 0 && d >= 4;
  return tensor2tensor ? FrequencyRule::tensor2tensor : FrequencyRule::paper;
}
inline SinusoidalLayout layout() {
  return named("halves", in_range(0, 2)) != 0 ? SinusoidalLayout::halves
                                              : SinusoidalLayout::interleaved;
}

/// An even width on a logarithmic scale, up to `most`.
inline std::size_t even_width(std::uint64_t least, std::uint64_t most, const char* name = "d") {
  return named(name, multiples(2, {least, most}));
}

/// A position below 2^17 of a table of an even width up to `most`. Simplified to d = 2, position 0.
inline sinusoidal::Place place(std::uint64_t most,
                               const domain::Integers& range = domain::positions) {
  const std::size_t d = even_width(2, most);
  const auto position = named("position", positions(range));
  const auto rule = rule_of(d);
  return {d, position, rule, layout()};
}

/// L positions of an even width, both on a logarithmic scale.
inline sinusoidal::Table table(std::uint64_t least_width, std::uint64_t widest,
                               std::uint64_t shortest, std::uint64_t longest) {
  const std::size_t d = even_width(least_width, widest);
  const auto length = named("L", positions({shortest, longest}));
  const auto rule = rule_of(d);
  return {d, length, rule, layout()};
}

}  // namespace embedscale::properties::testing::generators
