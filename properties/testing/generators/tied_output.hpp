#pragma once
// Generators of what the claims of tied_output.hpp speak of: samples of two channels, multipliers,
// surveys of programs.
#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include "../../tied_output_scales.hpp"
#include "laws.hpp"
#include "numbers.hpp"

namespace embedscale::properties::testing::generators {

/// Shrinks to 0 in every channel.
inline tied_output::TwoChannels<Rational> two_channels() {
  const auto e = named("e", channels(2));
  const auto p = named("p", channels(2));
  return {e, p, named("h", channels(2))};
}

/// Shrinks to 1 and 1.
inline tied_output::Multipliers<Rational> multipliers(const std::string& name) {
  const auto in = named(name + ", in", nonzero_rationals());
  return {in, named(name + ", out", nonzero_rationals())};
}

/// Programs of any offer and of widths 1 … 512, half of them times √d; else times 1, d, −√d, or √d
/// off by 2^−9, as its rounding to bfloat16 may be, or by 2^−30.
inline std::vector<tied_output::Program> survey(std::uint64_t index, std::size_t size) {
  const Stream stream(index, "survey");
  std::vector<tied_output::Program> programs;
  for (std::size_t k = 0; k < size; ++k) {
    const auto words = stream.block(k);
    const std::uint64_t width = 1 + words[0] % 512;
    const double root = std::sqrt(static_cast<double>(width));
    const double others[] = {1.0, root * root, -root, root * (1 + 0x1p-9), root * (1 - 0x1p-30)};
    const auto sharing = static_cast<tied_output::Sharing>(words[1] % tied_output::sharings);
    programs.push_back({sharing, words[2] % 2 == 0 ? root : others[words[3] % 5], width});
  }
  return programs;
}

}  // namespace embedscale::properties::testing::generators
