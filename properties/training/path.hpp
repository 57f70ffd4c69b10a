#pragma once
// Measures of what the arms feed to the first block: the ratio of its parts, and the input itself.
// And a training as the study's, but small: the library's own block and optimisers in the place of
// libtorch's, an arm's table and settings, and whether two arms go one way.
#include <embedscale/format.hpp>
#include <embedscale/random.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numbers>
#include <stdexcept>
#include <vector>

#include "../optimizer/model.hpp"
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

/// What the learning rate is multiplied by at step 1, 2, …: at most 1.
inline double rate_share(const Setting& setting, int step) {
  if (setting.schedule == Schedule::constant) return 1;
  const double warm_up = std::max(1.0, setting.steps / 10.0), t = step;
  return std::min(t / warm_up, std::sqrt(warm_up / t));
}

/// The study's optimiser at this rate.
template <AnalyticScalar Real>
optimizer::Optimiser<Real> optimiser_of(Method method, double rate) {
  const auto real = [](double x) { return static_cast<Real>(x); };
  if (method == Method::adam)
    return Adam<Real>{real(rate), real(beta_1), real(beta_2), real(adam_epsilon)};
  return Momentum<Real>{real(rate), real(momentum_coefficient)};
}

/// What all arms are trained on: `start` but for its table, which each arm draws for itself. The
/// factor is that of setting.d, which is not how many channels the small model has.
template <AnalyticScalar Real>
struct Problem {
  Setting setting;
  double rate;
  std::uint64_t seed;
  optimizer::Start<Real> start;
  optimizer::Model<Real> model;
};

/// One arm's training.
template <AnalyticScalar Real>
optimizer::Training<Real> path_of(const Problem<Real>& problem, Arm arm,
                                  const PrimitivesIn<Real>& primitives) {
  const auto of =
      primitives.parametrisation(arm, vocabulary_of(problem.setting.task), problem.setting.d);
  const auto by = optimiser_of<Real>(problem.setting.method, problem.rate);
  auto start = problem.start;
  start.table = drawn_table(of, problem.seed, start.table.size());
  const auto input = [of, input = primitives.input](const Real& e, const Real& p) {
    return input(e, p, of);
  };
  return {start, {input, of.multiplier}, primitives.folded(by, of.fold), by, primitives};
}

/// Whether two arms agree at the start and after each step of the setting: the second has so many
/// times the first's table, which has to be exact, and its head.
template <AnalyticScalar Real>
bool same_bits(const Problem<Real>& problem, Arm first, Arm second, Real factor,
               const PrimitivesIn<Real>& primitives) {
  auto one = path_of(problem, first, primitives), other = path_of(problem, second, primitives);
  for (int k = 1;; ++k) {
    if (!optimizer::agree(one, other, factor)) return false;
    if (k > problem.setting.steps) return true;
    const auto share = static_cast<Real>(rate_share(problem.setting, k));
    for (auto* path : {&one, &other}) path->step(problem.model, share);
  }
}

}  // namespace embedscale::properties::training
