#pragma once
// Measures of what the arms feed to the first block: the ratio of its parts, and the input itself.
#include <embedscale/format.hpp>
#include <embedscale/random.hpp>

#include <cmath>
#include <cstdint>
#include <numbers>
#include <stdexcept>
#include <vector>

#include "../optimizer/path.hpp"
#include "primitives.hpp"

namespace embedscale::properties::training {

/// The token-to-position ratio that is stated of an arm: √2·m·σ/c, as positions have RMS 1/√2.
inline double stated_ratio(Arm arm, std::size_t vocabulary, std::size_t d) {
  const double width = static_cast<double>(d), both = static_cast<double>(vocabulary + d);
  switch (arm) {
    case Arm::up:
    case Arm::down:
    case Arm::folded:
    case Arm::folded_at_its_rate: return std::numbers::sqrt2;
    case Arm::unscaled:
    case Arm::positions_times_root_d: return std::numbers::sqrt2 / std::sqrt(width);
    case Arm::positions_doubled:
    case Arm::multiplier_halved: return std::numbers::sqrt2 / 2;
    case Arm::positions_halved: return 2 * std::numbers::sqrt2;
    case Arm::xavier: return 2 * std::sqrt(width / both);  // Var = 2/(V + d)
  }
  throw std::invalid_argument("training: no such arm");
}

/// |ratio/stated − 1| as a share of its bound.
///
/// √d is rounded to Real at most twice, at the token and at the position. In double, Xavier's σ
/// costs the most: its half range 1.5 roundings, their square and its third 6, and the root of that
/// 4; m·σ is one more. The position's quotient, √½, their product and the whole quotient are 4. The
/// stated ratio has 3, and their quotient is one: 13, and 1 % for higher orders.
template <AnalyticScalar Real>
double ratio_share(Arm arm, std::size_t vocabulary, std::size_t d,
                   const PrimitivesIn<Real>& primitives) {
  const double ratio = primitives.ratio(primitives.parametrisation(arm, vocabulary, d));
  const double off = std::abs(ratio / stated_ratio(arm, vocabulary, d) - 1);
  return off / (1.01 * (2 * unit_roundoff<Real> + 13 * unit_roundoff<double>));
}

/// A table as an arm's law has it: the same draws for all arms.
template <AnalyticScalar Real>
std::vector<Real> drawn_table(const Parametrisation<Real>& of, std::uint64_t seed,
                              std::size_t entries) {
  std::vector<Real> table(entries);
  fill<Real>(of.law, Stream(seed, "training/table"), table);
  return table;
}

/// Inputs of a token and a position with these channels, for a factor of width d.
template <AnalyticScalar Real>
std::vector<Real> inputs(Arm arm, std::size_t d, std::uint64_t seed,
                         const std::vector<Real>& positions, const PrimitivesIn<Real>& primitives) {
  const auto of = primitives.parametrisation(arm, text_vocabulary, d);
  std::vector<Real> x = drawn_table(of, seed, positions.size());
  for (std::size_t j = 0; j < x.size(); ++j) x[j] = primitives.input(x[j], positions[j], of);
  return x;
}

}  // namespace embedscale::properties::training
