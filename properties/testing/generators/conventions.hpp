#pragma once
// Generators of what the claims of conventions.hpp speak of: widths, starts, multipliers,
// gradients; its laws and their scales are those of laws.hpp.
#include <cstdint>
#include <ostream>

#include "../../conventions_scale.hpp"
#include "../../conventions_spellings.hpp"
#include "laws.hpp"
#include "numbers.hpp"

namespace embedscale::properties::testing::generators {

/// Even widths from 2·least to 2·most. Shrinks to the least.
inline rc::Gen<std::size_t> even_widths(std::size_t least, std::size_t most) {
  return rc::gen::map(in_range<std::size_t>(least, most + 1),
                      [](std::size_t half) { return 2 * half; });
}

/// One of the frameworks of default_laws, shown by its name. Shrinks to PyTorch.
struct Framework {
  std::size_t index;
};

inline std::ostream& operator<<(std::ostream& out, const Framework& framework) {
  constexpr const char* names[] = {"PyTorch", "MXNet", "Keras", "Flax"};
  return out << names[framework.index];
}

inline rc::Gen<Framework> frameworks() {
  return rc::gen::map(in_range<std::size_t>(0, 4), [](std::size_t i) { return Framework{i}; });
}

/// A random place to look at: even d, position below 2^17, both rules, both layouts.
inline conventions::Start start(std::size_t largest_half) {
  const auto d = named("d", even_widths(1, largest_half));
  const auto position = named("position", in_range<std::int64_t>(0, 1 << 17));
  const bool tensor2tensor = named("tensor2tensor", in_range(0, 2)) != 0 && d >= 4;
  const bool halves = named("halves", in_range(0, 2)) != 0;
  return {d, position, tensor2tensor ? FrequencyRule::tensor2tensor : FrequencyRule::paper,
          halves ? SinusoidalLayout::halves : SinusoidalLayout::interleaved};
}

/// √d or a fraction of either sign.
inline double multiplier(std::size_t d) {
  const auto m = named("m", nonzero_rationals());
  const bool root = named("root d for m", in_range(0, 2)) != 0;
  return root ? root_multiplier<double>(d) : static_cast<double>(m);
}

/// What reaches one channel from the rest of a model. Shrinks to 0.
inline conventions::Upstream<Rational> upstream() {
  const auto of_input = named("dL/dx", rationals());
  const auto of_logit = named("dL/dz", rationals());
  return {of_input, of_logit, named("h", rationals())};
}

}  // namespace embedscale::properties::testing::generators
