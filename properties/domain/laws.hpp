#pragma once
// The initial laws of a token table, of any scale or shape.
#include <embedscale/initializer.hpp>

#include <array>
#include <cstdint>
#include <string_view>

#include "floats.hpp"
#include "integers.hpp"

namespace embedscale::properties::domain {

/// An initial law; its class is which of the five it is.
struct Law {
  Initializer initializer;
};

inline constexpr std::array<std::string_view, 5> law_names{"normal", "uniform", "truncated_normal",
                                                           "xavier_uniform", "xavier_normal"};

/// "normal" … "xavier_normal".
inline std::string_view name_of(const Law& law) { return law_names[law.initializer.index()]; }

/// Standard deviations and half ranges: 2^−20 <= s < 2^7. 1/√d is 2^−7 at the widest table.
inline constexpr Mixture law_scales = positive_floats(-20, 6);
/// V, the rows of a table, and d, its columns.
inline constexpr Integers vocabularies{1, std::uint64_t{1} << 20};
inline constexpr Integers table_widths{1, std::uint64_t{1} << 14};

/// The law with this place in law_names, of the parameters it has.
inline Law law_of(std::size_t place, double scale, std::uint64_t vocabulary, std::uint64_t d) {
  switch (place) {
    case 0: return {Normal{scale}};
    case 1: return {Uniform{scale}};
    case 2: return {TruncatedNormal{scale}};
    case 3: return {XavierUniform{vocabulary, d}};
    default: return {XavierNormal{vocabulary, d}};
  }
}

}  // namespace embedscale::properties::domain
