#pragma once
// Widths d_model: the sets that properties draw from and analyses sweep.
#include <array>
#include <cstdint>
#include <numeric>
#include <vector>

namespace embedscale::properties::domain {

/// Every width from `lowest` to `highest`, both included.
struct Widths {
  std::uint64_t lowest = 1;
  std::uint64_t highest = 1024;

  constexpr bool contains(std::uint64_t d) const { return lowest <= d && d <= highest; }
  constexpr std::uint64_t size() const { return highest - lowest + 1; }
  std::vector<std::uint64_t> all() const {
    std::vector<std::uint64_t> widths(size());
    std::iota(widths.begin(), widths.end(), lowest);
    return widths;
  }
};

/// The widths that every rounding claim is swept over.
inline constexpr Widths swept_widths{1, 1024};

/// Widths of common models: powers of two, and multiples of 2^6 and 2^8 that are none.
inline constexpr std::array<std::uint64_t, 10> common_widths{64,   128,  256,  512,  768,
                                                             1024, 1536, 2048, 3072, 4096};

}  // namespace embedscale::properties::domain
