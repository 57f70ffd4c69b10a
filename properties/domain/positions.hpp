#pragma once
// Positions: what a table or a formula is asked to encode.
#include <cstdint>

#include "integers.hpp"

namespace embedscale::properties::domain {

/// 0 … 2^17: contexts of 131072 positions, and the first one behind them.
inline constexpr Integers positions{0, std::uint64_t{1} << 17};
/// 0 … 2^24, the last one up to which binary32 holds every whole number.
inline constexpr Integers far_positions{0, std::uint64_t{1} << 24};

}  // namespace embedscale::properties::domain
