// The attempts to refute what is stated of the arms and their paths, with what each has to reject;
// and the belief that fails. A path is a training as the study's, but small: the library's own
// block and optimisers in the place of libtorch's, an arm's table and settings.
#include <embedscale/format.hpp>
#include <embedscale/random.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numbers>
#include <stdexcept>
#include <utility>
#include <vector>

#include "../optimizer/model.hpp"
#include "../testing/rows.hpp"
#include "claims.hpp"
#include "trials.hpp"

namespace embedscale::properties::training {

using namespace testing;

/// The token-to-position ratio that is stated of an arm: √2·m·σ/c, as positions have RMS 1/√2.
static double stated_ratio(Arm arm, std::size_t vocabulary, std::size_t d) {
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
static double rate_share(const Setting& setting, int step) {
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

namespace {

/// d = 4^k from 4 to 1,024: √d is a power of two, as at the 64 and 256 of the study.
std::size_t power_of_four() { return std::size_t{1} << (2 * named("log4 d", in_range(1, 6))); }

}  // namespace

/// How a small training is drawn: of external linkage, as templates capture it.
struct Drawn {
  Setting setting;
  double rate;
  optimizer::Loss loss;
  bool block;
  std::uint64_t seed;
};

namespace {

/// One path in eight has all of the steps, the others at most a quarter.
Drawn drawn_training(int most_steps) {
  Drawn of;
  of.setting.d = power_of_four();
  of.setting.method = named("momentum", in_range(0, 2)) != 0 ? Method::momentum : Method::adam;
  of.setting.schedule =
      named("constant rate", in_range(0, 2)) != 0 ? Schedule::constant : Schedule::warm_up;
  of.setting.norms = named("post", in_range(0, 2)) != 0 ? NormPlacement::post : NormPlacement::pre;
  of.setting.steps = named("all steps", in_range(0, 8)) == 0
                         ? most_steps
                         : named("steps", in_range(1, most_steps / 4 + 1));
  of.loss = named("cross-entropy", in_range(0, 2)) != 0 ? optimizer::Loss::cross_entropy
                                                        : optimizer::Loss::quadratic;
  of.block = named("block", in_range(0, 4)) == 0;
  of.seed = named("draw", draws());
  // So that x moves by a hundredth or so in a step: Adam's carries m once, momentum's twice.
  const double m = root_multiplier<double>(of.setting.d);
  of.rate = 0.01 / (of.setting.method == Method::adam ? m : m * m);
  covers("momentum", of.setting.method == Method::momentum, 0.3);
  covers("Adam", of.setting.method == Method::adam, 0.3);
  covers("block", of.block, 0.15);
  covers("all steps", of.setting.steps == most_steps, 0.08);
  return of;
}

/// Two words, three inputs of four channels, two classes. Behind the sum stands LayerNorm without
/// ε, or nothing that ignores a factor; then a block or none, and a pre-norm model's last norm.
template <class Real>
Problem<Real> problem_of(const Drawn& of, optimizer::Norm first) {
  const Stream stream(of.seed, "problems");
  optimizer::Numbers numbers(stream, 0);
  const optimizer::Shape shape{2, 3, 4, 2};
  auto start = optimizer::drawn_start<Real>(shape, 1.0, numbers);
  auto model = optimizer::drawn_model<Real>(shape, first, of.loss, numbers);
  const Real epsilon = static_cast<Real>(norm_epsilon);
  model.epsilon = first == optimizer::Norm::none ? epsilon : Real(0);
  if (of.block) {
    model.blocks.push_back(optimizer::drawn_block<Real>(shape.d, of.setting.norms, numbers));
    model.blocks[0].norm.epsilon = epsilon;
  }
  if (of.setting.norms == NormPlacement::pre) model.last = optimizer::Norm::layer_norm;
  return {of.setting, of.rate, of.seed, std::move(start), std::move(model)};
}

/// Whether the ratios of these arms are as stated, at any width up to 1,024 and any vocabulary.
void ratios_are_as_stated(std::initializer_list<Arm> arms, const Primitives& subject) {
  const auto d = named("d", widths());
  const auto vocabulary = named("V", widths());
  for (const Arm arm : arms) {
    holds(ratio_share<float>(arm, vocabulary, d, subject));
    holds(ratio_share<double>(arm, vocabulary, d, subject));
  }
}

/// Whether the inputs of the second arm are so many times those of the first, in four channels with
/// positions of RMS 1/√2.
template <class Real>
void inputs_differ_by(Real factor, Arm first, Arm second, std::size_t d, std::uint64_t seed,
                      const Primitives& subject) {
  const Stream stream(seed, "positions");
  const auto positions = optimizer::Numbers(stream, 0).row<Real>(4, std::sqrt(0.5));
  holds_exactly(optimizer::is_multiple(inputs<Real>(first, d, seed, positions, subject),
                                       inputs<Real>(second, d, seed, positions, subject), factor));
}

}  // namespace

const Properties<Primitives> properties{
    {up_equals_down,
     "one_ratio_at_every_width",
     [](const Primitives& subject) {
       ratios_are_as_stated({Arm::up, Arm::down, Arm::folded, Arm::folded_at_its_rate}, subject);
     },
     {"multiplies_positions_in_down", "forgets_the_factor", "has_the_factor_at_a_table_of_one",
      "divides_positions_by_slightly_less"}},

    {up_equals_down,
     "inputs_differ_by_root_d_alone",
     [](const Primitives& subject) {
       const auto d = power_of_four();
       const auto seed = named("draw", draws());
       in_one_format<double, float>([&]<class Real>() {
         inputs_differ_by<Real>(root_multiplier<Real>(d), Arm::down, Arm::up, d, seed, subject);
         inputs_differ_by<Real>(1, Arm::up, Arm::folded, d, seed, subject);
       });
     },
     {"multiplies_positions_in_down", "forgets_the_factor", "has_the_factor_at_a_table_of_one",
      "divides_positions_by_slightly_less", "takes_the_factor_an_ulp_low"}},

    {up_equals_down,
     "same_bits_behind_a_norm",
     [](const Primitives& subject) {
       const auto drawn = drawn_training(16);
       in_one_format<double, float>([&]<class Real>() {
         const auto problem = problem_of<Real>(drawn, optimizer::Norm::layer_norm);
         holds_exactly(same_bits<Real>(problem, Arm::up, Arm::down, 1, subject));
       });
     },
     {"multiplies_positions_in_down", "keeps_an_epsilon", "detaches_the_multiplier",
      "divides_positions_by_slightly_less", "takes_the_factor_an_ulp_low"}},

    {unscaled_is_worse,
     "ratio_is_a_root_d_th",
     [](const Primitives& subject) {
       ratios_are_as_stated({Arm::up, Arm::unscaled, Arm::positions_times_root_d}, subject);
     },
     {"forgets_the_factor", "leaves_the_positions", "takes_the_factor_slightly_high"}},

    {folded_needs_its_own_rate,
     "own_rate_keeps_the_path_of_up",
     [](const Primitives& subject) {
       const auto drawn = drawn_training(100);
       in_one_format<double, float>([&]<class Real>() {
         const auto problem = problem_of<Real>(drawn, optimizer::Norm::none);
         holds_exactly(same_bits(problem, Arm::up, Arm::folded_at_its_rate,
                                 root_multiplier<Real>(drawn.setting.d), subject));
       });
     },
     {"leaves_the_rate", "leaves_epsilon", "folds_slightly_high",
      "folds_a_table_of_its_own_deviation"}},

    /// One function at the start; the first step of a rate that is not its own parts them.
    {folded_needs_its_own_rate,
     "equal_rate_leaves_it",
     [](const Primitives& subject) {
       const auto drawn = drawn_training(100);
       in_one_format<double, float>([&]<class Real>() {
         const auto problem = problem_of<Real>(drawn, optimizer::Norm::none);
         const Real m = root_multiplier<Real>(drawn.setting.d);
         auto one = path_of<Real>(problem, Arm::up, subject),
              other = path_of<Real>(problem, Arm::folded, subject);
         holds_exactly(optimizer::agree(one, other, m) &&
                       optimizer::is_multiple(one.inputs(), other.inputs(), Real(1)));
         for (auto* path : {&one, &other})
           path->step(problem.model, static_cast<Real>(rate_share(problem.setting, 1)));
         holds_exactly(!optimizer::is_multiple(one.table(), other.table(), m));
       });
     },
     {"trains_folded_at_its_rate", "folds_a_table_of_its_own_deviation", "freezes_the_table"}},

    {ratio_is_what_matters,
     "ratios_are_as_stated",
     [](const Primitives& subject) {
       ratios_are_as_stated({Arm::positions_doubled, Arm::positions_halved, Arm::multiplier_halved,
                             Arm::positions_times_root_d, Arm::unscaled, Arm::xavier},
                            subject);
     },
     {"halves_the_positions", "doubles_the_multiplier", "draws_xavier_of_a_square",
      "leaves_the_positions", "takes_the_factor_slightly_high"}},

    {ratio_is_what_matters,
     "two_ways_to_a_ratio",
     [](const Primitives& subject) {
       const auto d = power_of_four();
       const auto seed = named("draw", draws());
       in_one_format<double, float>([&]<class Real>() {
         inputs_differ_by<Real>(2, Arm::multiplier_halved, Arm::positions_doubled, d, seed,
                                subject);
         inputs_differ_by<Real>(root_multiplier<Real>(d), Arm::unscaled,
                                Arm::positions_times_root_d, d, seed, subject);
       });
     },
     {"halves_the_positions", "doubles_the_multiplier", "leaves_the_positions",
      "takes_the_factor_an_ulp_low"}},
};

const Beliefs beliefs{
    /// The path of `folded` at the rate of `up`, which is not how well it trains.
    {beside(folded_needs_its_own_rate), "that_an_equal_rate_keeps_the_path",
     [] {
       const auto problem = problem_of<double>(drawn_training(4), optimizer::Norm::none);
       holds_exactly(same_bits<double>(problem, Arm::up, Arm::folded,
                                       root_multiplier<double>(problem.setting.d), Primitives{}));
     }},
};

Trials trials() {
  return joined(trials_of(properties, mutants, beliefs),
                joined(trials_of(judge_properties, judge_mutants),
                       trials_of(recipe_properties, recipe_mutants)));
}

}  // namespace embedscale::properties::training
