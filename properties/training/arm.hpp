#pragma once
// The arms of the training study: where the factor stands, what the table starts with, how loud the
// positions are, and the rate that the table is trained at. All else is the same in every arm.
#include <embedscale/embedding.hpp>
#include <embedscale/initializer.hpp>
#include <embedscale/optimizer.hpp>

#include <array>
#include <cmath>
#include <cstddef>
#include <stdexcept>
#include <string_view>

namespace embedscale::properties::training {

/// x = m·e + c·p, or e + p/m in `down`; m = √d_model and σ = 1/√d_model where nothing else is said.
enum class Arm {
  up,                      ///< √d·e + p
  down,                    ///< e + p/√d
  unscaled,                ///< e + p
  folded,                  ///< e + p, σ = 1
  folded_at_its_rate,      ///< the same, the table at the rate that keeps it on the path of `up`
  positions_doubled,       ///< √d·e + 2p
  positions_halved,        ///< √d·e + p/2
  multiplier_halved,       ///< (√d/2)·e + p
  positions_times_root_d,  ///< √d·e + √d·p
  xavier                   ///< √d·e + p, the table Xavier uniform as a weight matrix of (V, d)
};
inline constexpr std::size_t all_arms = 10;
inline constexpr std::array<std::string_view, all_arms> arm_names{"up",
                                                                  "down",
                                                                  "unscaled",
                                                                  "folded",
                                                                  "folded at its rate",
                                                                  "positions doubled",
                                                                  "positions halved",
                                                                  "multiplier halved",
                                                                  "positions times √d_model",
                                                                  "Xavier table"};
constexpr std::string_view name_of(Arm arm) { return arm_names[static_cast<std::size_t>(arm)]; }

/// What an arm makes of the input, and of the settings that its table is trained with.
template <Scalar Real>
struct Parametrisation {
  Initializer law;       ///< of the table's entries
  Real multiplier;       ///< m at the token; 1: none
  Real position_factor;  ///< c at the position
  Real divisor;          ///< what positions are divided by
  Real fold;             ///< the table is that of `up` times this, and is trained so: 1 for most
};

/// The parametrisation of an arm at V tokens of d channels.
///
/// Requires  d >= 1, V >= 1.
template <Scalar Real>
Parametrisation<Real> parametrisation(Arm arm, std::size_t vocabulary, std::size_t d) {
  const Real root = root_multiplier<Real>(d), one(1), two(2);
  const Initializer small = Normal{1.0 / std::sqrt(static_cast<double>(d))}, unit = Normal{1.0};
  switch (arm) {
    case Arm::up: return {small, root, one, one, one};
    case Arm::down: return {small, one, one, root, one};
    case Arm::unscaled: return {small, one, one, one, one};
    case Arm::folded: return {unit, one, one, one, one};
    case Arm::folded_at_its_rate: return {unit, one, one, one, root};
    case Arm::positions_doubled: return {small, root, two, one, one};
    case Arm::positions_halved: return {small, root, one, two, one};
    case Arm::multiplier_halved: return {small, Real(root / two), one, one, one};
    case Arm::positions_times_root_d: return {small, root, root, one, one};
    case Arm::xavier: return {XavierUniform{vocabulary, d}, root, one, one, one};
  }
  throw std::invalid_argument("training: no such arm");
}

/// RMS of the token's part over that of a sinusoidal position's, as the laws have it.
///
/// Source    sinusoidal.mean_square_is_half
template <Scalar Real>
double token_to_position_ratio(const Parametrisation<Real>& of) {
  const double token = static_cast<double>(of.multiplier) * std::sqrt(variance(of.law));
  const double position = static_cast<double>(of.position_factor) / static_cast<double>(of.divisor);
  return token / (position * std::sqrt(0.5));
}

}  // namespace embedscale::properties::training
