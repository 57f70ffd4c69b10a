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
class Path {
 public:
  Path(const Problem<Real>& problem, Arm arm, const PrimitivesIn<Real>& primitives)
      : problem_(problem),
        primitives_(primitives),
        of_(primitives.parametrisation(arm, vocabulary_of(problem.setting.task),
                                       problem.setting.d)),
        of_head_(optimiser_of<Real>(problem.setting.method, problem.rate)),
        of_table_(primitives.folded(of_head_, of_.fold)),
        table_(drawn_table(of_, problem.seed, problem.start.table.size())),
        head_(problem.start.head),
        memories_(table_.size() + head_.size()) {}

  const std::vector<Real>& table() const { return table_; }
  const std::vector<Real>& head() const { return head_; }

  std::vector<Real> inputs() const {
    const auto& [d, tokens, positions, table, head] = problem_.start;
    std::vector<Real> x(positions.size(), Real(0));
    for (std::size_t i = 0; i < x.size(); ++i)
      x[i] = primitives_.input(table_[tokens[i / d] * d + i % d], positions[i], of_);
    return x;
  }

  void step() {
    ++steps_;
    const auto slopes = problem_.model(inputs(), head_, primitives_);
    std::vector<Real> of_table(table_.size(), Real(0));
    primitives_.add_look_up_gradient(std::span<const std::size_t>(problem_.start.tokens),
                                     std::span<const Real>(slopes.of_input), of_.multiplier,
                                     problem_.start.d, std::span<Real>(of_table));
    move(table_, of_table, of_table_, 0);
    move(head_, slopes.of_head, of_head_, table_.size());
  }

 private:
  void move(std::vector<Real>& weights, const std::vector<Real>& slopes,
            optimizer::Optimiser<Real> by, std::size_t first) {
    Real& rate = optimizer::rate_of(by);
    rate = rate * static_cast<Real>(rate_share(problem_.setting, steps_));
    for (std::size_t k = 0; k < weights.size(); ++k)
      optimizer::move(weights[k], slopes[k], by, memories_[first + k], primitives_);
  }

  const Problem<Real>& problem_;
  const Operations<Real>& primitives_;
  Parametrisation<Real> of_;
  optimizer::Optimiser<Real> of_head_, of_table_;
  std::vector<Real> table_, head_;
  std::vector<optimizer::Memory<Real>> memories_;
  int steps_ = 0;
};

/// Whether the second has so many times the first's table, which has to be exact, and its head.
template <AnalyticScalar Real>
bool agree(const Path<Real>& one, const Path<Real>& other, Real factor) {
  return is_multiple(one.table(), other.table(), factor) &&
         is_multiple(one.head(), other.head(), Real(1));
}

/// Whether they do at the start and after each step of the setting.
template <AnalyticScalar Real>
bool same_bits(const Problem<Real>& problem, Arm first, Arm second, Real factor,
               const PrimitivesIn<Real>& primitives) {
  Path<Real> one(problem, first, primitives), other(problem, second, primitives);
  for (int k = 0; k < problem.setting.steps; ++k) {
    if (!agree(one, other, factor)) return false;
    one.step();
    other.step();
  }
  return agree(one, other, factor);
}

}  // namespace embedscale::properties::training
