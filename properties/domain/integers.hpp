#pragma once
// Whole numbers of a range on a logarithmic scale, mixed with its edges: uniform draws from 1 to
// 2^24 would hardly ever fall below 2^16, where most positions and widths of models are.
#include <embedscale/random.hpp>

#include <algorithm>
#include <bit>
#include <cstdint>

namespace embedscale::properties::domain {

/// From lowest to highest, both included.
struct Integers {
  std::uint64_t lowest, highest;

  constexpr bool contains(std::uint64_t n) const { return lowest <= n && n <= highest; }
};

/// Positions, 0 … 2^17: contexts of 131072 of them, and the first one behind. And 0 … 2^24, the
/// last one up to which binary32 holds every whole number.
inline constexpr Integers positions{0, std::uint64_t{1} << 17};
inline constexpr Integers far_positions{0, std::uint64_t{1} << 24};

/// Draw `index`. In three of four cases any number of bits that the range has, all equally likely,
/// and then any number of so many bits; else an edge: in turn an end of the range, 2^k − 1, 2^k or
/// 2^k + 1, of equally likely k, moved into the range where it is outside.
///
/// Requires  lowest <= highest < 2^48: shares are then exact to 2^−8.
inline std::uint64_t any_integer(const Stream& stream, std::uint64_t index, const Integers& range) {
  const auto words = stream.block(index);
  const auto below = [](std::uint64_t n, std::uint64_t word) { return (word >> 8) % n; };
  const auto fewest = static_cast<std::uint64_t>(std::bit_width(range.lowest));
  const auto most = static_cast<std::uint64_t>(std::bit_width(range.highest));
  const std::uint64_t bits = fewest + below(most - fewest + 1, words[1]);
  const std::uint64_t first = bits == 0 ? 0 : std::uint64_t{1} << (bits - 1);
  const std::uint64_t last = bits == 0 ? 0 : 2 * first - 1;
  const auto inside = [&](std::uint64_t n) { return std::clamp(n, range.lowest, range.highest); };
  switch (below(16, words[0])) {
    case 0: return below(2, words[3]) == 0 ? range.lowest : range.highest;
    case 1: return inside(first == 0 ? 0 : first - 1);
    case 2: return inside(first);
    case 3: return inside(first + 1);
    default: return inside(first) + below(inside(last) - inside(first) + 1, words[3]);
  }
}

}  // namespace embedscale::properties::domain
