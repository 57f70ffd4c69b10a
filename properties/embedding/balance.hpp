#pragma once
// Measures of tokens beside positions: energies beside a sinusoid, and what a factor does to the
// share of either part.
#include <embedscale/expected/token_norm.hpp>
#include <embedscale/format.hpp>

#include <cmath>
#include <cstdint>
#include <span>
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

/// |measured/(2m²σ²) − 1| over its bound: twice the ratio's, whose higher orders it has room for,
/// and 5u for two squares and three products and the comparison.
///
/// Requires  as conventions::ratio_share_of_bound.
inline double energy_share_of_bound(double sigma, double m, const Start& at,
                                    const Primitives& primitives) {
  const double stated = 2.0 * (m * sigma) * (m * sigma);
  const double bound =
      2.0 * conventions::rounding_of_ratio<double>(at.d) + 6.0 * unit_roundoff<double>;
  return std::abs(energy_ratio(sigma, m, at, primitives) / stated - 1.0) / bound;
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

/// Over the reals: whether tokens of deviation σ have less energy than a sinusoid, times d for the
/// factor √d.
template <Scalar Real>
bool positions_dominate(const Real& sigma, const Real& d) {
  return Real(2) * sigma * sigma * d < Real(1);
}

/// Whether the belief holds there: positions dominate without the factor, and not with it.
template <Scalar Real>
bool factor_makes_up(const Real& sigma, const Real& d) {
  return positions_dominate(sigma, Real(1)) && !positions_dominate(sigma, d);
}

/// Σx² of the token part and of the position part of an input.
template <Scalar Real>
struct Energies {
  Real token, position;
};

template <Scalar Real>
Energies<Real> energies(const std::vector<Real>& e, const std::vector<Real>& p, const Real& m,
                        const PrimitivesIn<Real>& primitives) {
  const Real none(0);
  Energies<Real> sum{none, none};
  for (std::size_t j = 0; j < e.size(); ++j) {
    const Real t = primitives.input(e[j], none, m), x = primitives.input(none, p[j], m);
    sum.token = sum.token + t * t;
    sum.position = sum.position + x * x;
  }
  return sum;
}

/// Whether the factor multiplies the tokens' energy by m² and leaves the positions', so that the
/// share ‖position part‖²/‖token part‖² is divided by m²: in exact arithmetic, of any vectors. The
/// input itself is the sum of its parts.
template <Scalar Real>
bool share_is_divided(const std::vector<Real>& e, const std::vector<Real>& p, const Real& m,
                      const PrimitivesIn<Real>& primitives) {
  Energies<Real> bare{Real(0), Real(0)};
  for (std::size_t j = 0; j < e.size(); ++j) {
    bare.token = bare.token + e[j] * e[j];
    bare.position = bare.position + p[j] * p[j];
    if (primitives.input(e[j], p[j], m) != m * e[j] + p[j]) return false;
  }
  const auto scaled = energies(e, p, m, primitives);
  return scaled.token == m * m * bare.token && scaled.position == bare.position;
}

/// Token RMS over position RMS, with a table of positions of RMS s in the sinusoid's place.
inline double ratio_to_table(double sigma, double s, double m, std::size_t d,
                             const Primitives& primitives) {
  std::vector<double> token(d), position(d);
  const auto tokens = conventions::table_of_rms(sigma, 1, d);
  const auto positions = conventions::table_of_rms(s, 1, d);
  for (std::size_t j = 0; j < d; ++j)
    position[j] = primitives.of<double>().input(0.0, positions.row(0)[j], m);
  primitives.of<double>().look_up(tokens, 0, m, std::span<double>(token));
  return conventions::root_mean_square<double>(std::span<const double>(token)) /
         conventions::root_mean_square<double>(std::span<const double>(position));
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

/// Whether √d balances two tables of one law exactly where d <= 4. Nothing is in doubt: at d = 4
/// the factor is 2, a power of two, and √5 is far from it.
inline bool equal_laws_balance_up_to_4(double sigma, std::size_t d, const Primitives& primitives) {
  const double m = primitives.of<double>().root(d);
  return is_balanced(ratio_to_table(sigma, sigma, m, d, primitives)) == (d <= 4);
}

}  // namespace embedscale::properties::embedding
