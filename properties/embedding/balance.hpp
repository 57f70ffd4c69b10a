#pragma once
// Measures of tokens beside positions: energies beside a sinusoid, and what a factor does to the
// share of either part.
#include <embedscale/expected/token_norm.hpp>
#include <embedscale/format.hpp>

#include <cmath>
#include <cstdint>
#include <vector>

#include "../conventions/scale.hpp"
#include "primitives.hpp"

namespace embedscale::properties::embedding {

using conventions::is_balanced, conventions::Start;

/// ‖t‖²/‖p‖² of a looked-up token, of a table of RMS σ, and the position vector.
inline double energy_ratio(double sigma, double m, const Start& at, const Primitives& primitives) {
  const double ratio = conventions::token_to_position(sigma, m, at, primitives);
  return ratio * ratio;
}

/// Whether positions dominate without the factor exactly where 2σ² < 1, and with √d exactly where
/// d < 1/(2σ²); true within the rounding of these ends, as energies are squares of ratios.
inline bool break_even_decides(double sigma, const Start& at, const Primitives& primitives) {
  const double doubt = conventions::doubt_of_balance(at.d);
  const auto dominate = [&](double m) { return energy_ratio(sigma, m, at, primitives) < 1.0; };
  const double square = 2.0 * sigma * sigma;
  if (std::abs(square - 1.0) > doubt && dominate(1.0) != (square < 1.0)) return false;
  const double least = expected::break_even_width(sigma), d = static_cast<double>(at.d);
  return std::abs(d / least - 1.0) <= doubt ||
         dominate(primitives.of<double>().root(at.d)) == (d < least);
}

/// Whether positions dominate tokens of deviation 0.01 without the factor and not with it, at
/// position 511, where a ratio within its rounding of 1 counts as 1.
inline bool makes_up_for_a_hundredth(std::uint64_t d, const Primitives& primitives) {
  const double doubt = conventions::doubt_of_balance(d);
  const auto dominate = [&](double m) {
    return energy_ratio(0.01, m, {d, 511}, primitives) < 1.0 - doubt;
  };
  return dominate(1.0) && !dominate(primitives.of<double>().root(d));
}

/// Token RMS over position RMS, with a table of positions of RMS s in the sinusoid's place.
inline double ratio_to_table(double sigma, double s, double m, std::size_t d,
                             const Primitives& primitives) {
  using conventions::table_of_rms, conventions::root_mean_square;
  const auto& in_double = primitives.of<double>();
  const auto table = table_of_rms(s, 1, d);
  std::vector<double> positions;
  for (const double p : table.row(0)) positions.push_back(in_double.input(0.0, p, m));
  return root_mean_square(conventions::looked_up(table_of_rms(sigma, 1, d), 0, m, in_double)) /
         root_mean_square(positions);
}

/// Whether m balances two parts of RMS σ and s exactly where s/(2σ) <= |m| <= 2s/σ; true within the
/// rounding of these ends: product and quotient of |m|σ/s 2u, the measured one's 1u for the
/// look-up, d + 3 for the two RMS, 1 for their quotient; 1u to spare for higher orders.
inline bool interval_decides_balance(double sigma, double s, double m, std::size_t d,
                                     const Primitives& primitives) {
  const double stated = std::abs(m) * sigma / s;
  const double doubt = static_cast<double>(d + 8) * unit_roundoff<double>;
  if (std::abs(2.0 * stated - 1.0) <= doubt || std::abs(stated / 2.0 - 1.0) <= doubt) return true;
  return is_balanced(ratio_to_table(sigma, s, m, d, primitives)) ==
         (0.5 <= stated && stated <= 2.0);
}

}  // namespace embedscale::properties::embedding
