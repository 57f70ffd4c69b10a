#pragma once
// Generators of positions and widths: on a logarithmic scale, mixed with the edges of their range,
// so that both small and large ones, powers of two and their neighbours occur in every run.
#include <rapidcheck.h>

#include <cstdint>
#include <vector>

#include "../../domain/positions.hpp"
#include "../../domain/widths.hpp"
#include "drawn.hpp"

namespace embedscale::properties::testing::generators {

/// Numbers between n and the lowest of the range to try in its place, the lowest first.
inline std::vector<std::uint64_t> smaller(std::uint64_t n, std::uint64_t lowest) {
  std::vector<std::uint64_t> numbers;
  for (std::uint64_t step = n - lowest; step > 0; step /= 2) numbers.push_back(n - step);
  return numbers;
}

/// Any number of the range, as domain::any_integer draws it. Simplified to the lowest at fault.
inline rc::Gen<std::uint64_t> integers(const domain::Integers& range) {
  return drawn_from(
      [range](const Stream& stream, std::uint64_t index) {
        return domain::any_integer(stream, index, range);
      },
      [range](std::uint64_t n) { return smaller(n, range.lowest); });
}

/// 0 … 2^17, or another range. Simplified to 0.
inline rc::Gen<std::int64_t> positions(const domain::Integers& range = domain::positions) {
  return rc::gen::map(integers(range),
                      [](std::uint64_t p) { return static_cast<std::int64_t>(p); });
}

/// The multiples of `factor` in a range of widths: even widths for sinusoids (2), widths that so
/// many heads divide. Simplified to the lowest one. (generators::widths draws them all, uniformly.)
///
/// Requires  a multiple in the range.
inline rc::Gen<std::uint64_t> multiples(std::uint64_t factor, const domain::Widths& range) {
  const domain::Integers quotients{(range.lowest + factor - 1) / factor, range.highest / factor};
  return rc::gen::map(integers(quotients), [factor](std::uint64_t q) { return factor * q; });
}

/// Widths on a logarithmic scale. Simplified to the lowest.
inline rc::Gen<std::uint64_t> widths_by_size(const domain::Widths& range) {
  return multiples(1, range);
}

}  // namespace embedscale::properties::testing::generators
