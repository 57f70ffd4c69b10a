#pragma once
// A training as the study's, but small: the library's own block and optimisers in the place of
// libtorch's, an arm's table and settings, and whether two arms go one way.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <span>
#include <vector>

#include "../optimizer/model.hpp"
#include "input.hpp"

namespace embedscale::properties::training {

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
