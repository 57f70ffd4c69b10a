#pragma once
// How far training in TO's code, after a port, parts from training that went on in FROM's.
#include <algorithm>
#include <cstddef>
#include <optional>
#include <vector>

#include "drawn.hpp"

namespace embedscale::properties::porting {

/// What TO is meant to hold where FROM's training has come to this point: all by the library, and
/// in the place of a velocity each entry's gradient, which a port divides alike.
template <Scalar Real>
Checkpoint<Real> meant_of(const Port<Real>& port, Checkpoint<Real> from) {
  const auto slopes = from.model.gradients();
  for (const auto of : all_parameters)
    for (std::size_t k = 0; k < slopes[of].size(); ++k)
      from.memories[of][k].velocity.v = slopes[of][k];
  return from.ported(port.to, port.meant(), library<Real>);
}

/// Calls each(meant, got) for the parameters, the gradients of those that are trained, and the
/// logits: FROM's themselves, which a port leaves as they are.
template <Scalar Real, class Compare>
void compare(const Port<Real>& port, const Checkpoint<Real>& from, const Checkpoint<Real>& to,
             const Compare& each) {
  const auto meant = meant_of(port, from);
  const auto slopes = to.model.gradients();
  for (const auto of : all_parameters) {
    each(meant.model.parameters[of], to.model.parameters[of]);
    if (!meant.rules[of]) continue;
    std::vector<Real> carried;
    for (const auto& memory : meant.memories[of]) carried.push_back(memory.velocity.v);
    each(carried, slopes[of]);
  }
  each(from.model.activations().logits, to.model.activations().logits);
}

/// The relative distance of each of these.
template <Scalar Real>
std::vector<Real> distances(const Port<Real>& port, const Checkpoint<Real>& from,
                            const Checkpoint<Real>& to) {
  std::vector<Real> all;
  compare(port, from, to, [&](const auto& meant, const auto& got) {
    all.push_back(meant.size() == got.size() ? optimizer::relative_distance(meant, got, Real(1))
                                             : Real(1));
  });
  return all;
}

/// Whether all are equal after so many steps of both.
template <Scalar Real>
bool goes_one_way(const Port<Real>& port, Checkpoint<Real> to, int steps,
                  const PrimitivesIn<Real>& primitives) {
  auto from = port.from;
  for (auto* one : {&from, &to}) one->train(steps, primitives);
  bool equal = true;
  compare(port, from, to, [&](const auto& meant, const auto& got) { equal &= meant == got; });
  return equal;
}

/// How far FROM's training and TO's part, over how far FROM's parts from itself when every entry of
/// its table is off by 10^−30 of itself, and every slope of the loss by 10^−30 of the largest that
/// there is, 1: at most 1 where both go one way, but for rounding. In 50 digits that is 10^20 times
/// smaller than the changes, and whatever training does to it, it does to one of these as well.
/// Of what is a function of the table the first change is what rounding is made of; but slopes of
/// opposite signs add up to gradients far below any of them (p − 1 where p is nearly 1; of a bias,
/// those of two tokens that are each taken for the other), with an error that is one of the slopes'
/// and not of their sum. Compared are the start, the first step and the last, each parameter, each
/// gradient and the logits with its own distance, or the table's if that is more.
struct Parting {
  double share;  ///< of what the changes do
  double
      change;  ///< the most that they do: little is told apart where they change all of a gradient
};
template <AnalyticScalar Real>
Parting parting_of(const Port<Real>& port, Checkpoint<Real> to, int steps,
                   const PrimitivesIn<Real>& primitives) {
  auto from = port.from, moved = port.from;
  auto& table = moved.model.parameters[Parameter::token_table];
  table = optimizer::off_in_the_thirtieth_digit(table);
  moved.model.task.tilt = static_cast<Real>(1e-30);
  Real share(0), of_table(0), change(0);
  for (int k = 0;; ++k) {
    of_table =
        std::max(of_table, optimizer::relative_distance(
                               from.model.parameters[Parameter::token_table], table, Real(1)));
    if (k < 2 || k == steps) {
      const auto apart = distances(port, from, to);
      const auto allowed =
          distances(port, from, moved.ported(port.to, port.meant(), library<Real>));
      for (std::size_t q = 0; q < apart.size(); ++q) {
        const Real most = std::max(of_table, allowed[q]);
        share = std::max(share, Real(apart[q] / most));
        change = std::max(change, most);
      }
    }
    if (k == steps) return {static_cast<double>(share), static_cast<double>(change)};
    for (auto* path : {&from, &to, &moved}) path->step(primitives);
  }
}

/// A gain that is kept as w = g − 1 and has to be multiplied, or was kept as g, decays to another
/// value in TO: here nothing pulls it.
template <Scalar Real>
void leave_the_gain_alone(Port<Real>& port) {
  auto& rule = port.from.rules[Parameter::gain];
  const auto obstacles = port.recipe(library<Real>).obstacles;
  if (!rule || !std::ranges::count(obstacles, Obstacle::decay_pulls_elsewhere)) return;
  optimizer::penalty_of(rule->by) = Real(0);
  if (auto* by = std::get_if<AdamW<Real>>(&rule->by)) by->decay = Real(0);
}

/// The place of this number for the factor of tied logits: none that is asked for, a logit factor,
/// the final norm; none where TO has not the one that is asked for.
template <Scalar Real>
std::optional<FactorPlace> place_of(std::size_t which, const Convention<Real>& to) {
  if (which == 1 && to.tied && to.logit_factor) return FactorPlace::logit_factor;
  if (which == 2 && to.tied && to.gain != Gain::none) return FactorPlace::final_norm;
  return {};
}

/// Which port: the numbers that drawn.hpp makes it of.
struct Numbered {
  std::uint64_t from, to, place, body, rule;
  std::uint64_t draw;        ///< of each fifth the multiplier of FROM is negative
  double epsilon = 0x1p-10;  ///< of Adam
  int earlier = 0;           ///< steps before the port
  double loss_scale = 1;
};
inline constexpr std::size_t channels_of_ports = 4;

/// FROM's.
template <Scalar Real>
Convention<Real> code_of(const Numbered& numbered, Multipliers among) {
  auto code = convention_of<Real>(numbered.from, among);
  if (numbered.draw % 5 == 4) code.multiplier = -code.multiplier;
  return code;
}

template <AnalyticScalar Real>
Port<Real> drawn_port(const Numbered& numbered, Multipliers among) {
  auto code = code_of<Real>(numbered, among);
  auto other = convention_of<Real>(numbered.to, among);
  if (among == Multipliers::powers_of_two) {
    // 1 + w rounds, and so do sums in another order of channels.
    for (auto* one : {&code, &other})
      if (one->gain == Gain::one_plus) one->gain = Gain::plain;
    other.positions.layout = code.positions.layout;
  }
  const Stream stream(numbered.draw, "ports");
  optimizer::Numbers numbers(stream, 0);
  const auto body = body_of(numbered.body, channels_of_ports);
  Port<Real> port{drawn_checkpoint<Real>(code, body, numbers), made_portable(code, other)};
  port.place = place_of(numbered.place, port.to);
  port.from.model.task.loss_scale = static_cast<Real>(numbered.loss_scale);
  train_by(port.from, numbered.rule, numbered.epsilon);
  leave_the_gain_alone(port);
  port.from.train(numbered.earlier, library<Real>);
  return port;
}

// Ports over the rationals: a token, two words, one channel, no norm, and optimisers without a
// root. What holds for all rationals holds for all reals.

/// The port of these numbers, of which the body counts nothing; rule 0 is gradient descent, 1 the
/// heavy ball.
inline Port<Rational> exact_port(const Numbered& numbered) {
  const domain::RationalDraws draws(0, "exact ports", 64);
  std::uint64_t k = 0;
  const auto row = [&](std::size_t size, double) {
    std::vector<Rational> out;
    while (out.size() < size)
      out.push_back(Rational(static_cast<int>(draws.below(9, numbered.draw, k++)) - 4) / 2);
    return out;
  };
  const auto code = code_of<Rational>(numbered, Multipliers::any);
  const auto to = made_portable(code, convention_of<Rational>(numbered.to));
  Port<Rational> port{drawn_checkpoint<Rational>(code, {2, 1, 1, Norm::none}, row), to,
                      place_of(numbered.place, to)};
  const auto rate = Rational(1) / Rational(1 + draws.below(8, numbered.draw, 62));
  const auto penalty = draws.any(numbered.draw, 63);
  Optimiser<Rational> by = Sgd<Rational>{rate, penalty};
  if (numbered.rule % 2 == 1) by = Momentum<Rational>{rate, Rational(9) / Rational(10), penalty};
  for (const auto of : all_parameters)
    if (!port.from.model.parameters[of].empty()) port.from.rules[of] = {by};
  leave_the_gain_alone(port);
  port.from.train(numbered.earlier, library<Rational>);
  return port;
}

/// The port made to one from tied logits to an output of its own, by gradient descent without a
/// penalty: the table becomes two.
inline Port<Rational> to_own_output(Port<Rational> port) {
  port.from.model.code.tied = true, port.to.tied = false, port.place.reset();
  port.from.model.parameters[Parameter::output_table].clear();
  for (auto& rule : port.from.rules.all)
    if (rule) *rule = {Sgd<Rational>{optimizer::rate_of(rule->by)}};
  port.from.rules[Parameter::output_table].reset();
  port.from.begin();
  return port;
}

/// Whether logits stay, and after a step of gradient descent what the one table moved by is what
/// the two tables did together: one of them by the tokens' part of the gradient, the other by the
/// output's. So neither holds the table, unless a part is 0.
inline bool tables_share_the_step(const Port<Rational>& port,
                                  const PrimitivesIn<Rational>& primitives) {
  auto from = port.from, to = port.done(primitives);
  if (from.model.activations().logits != to.model.activations().logits) return false;
  const auto was = from.model.parameters[Parameter::token_table];
  const auto one = Rational(1);
  const Rational of_table = port.to.multiplier / port.from.model.code.multiplier;
  const Rational of_output =
      port.to.factor(false).value_or(one) / port.from.model.code.factor(true).value_or(one);
  for (auto* both : {&from, &to}) both->step(primitives);
  const auto& table = from.model.parameters[Parameter::token_table];
  for (std::size_t k = 0; k < was.size(); ++k) {
    const Rational in = of_table * to.model.parameters[Parameter::token_table][k] - was[k];
    const Rational out = of_output * to.model.parameters[Parameter::output_table][k] - was[k];
    if (table[k] - was[k] != in + out) return false;
  }
  return true;
}

/// Whether a gain under gradient descent with penalty λ at rate α is αλ(o′ − f·o) more than f times
/// FROM's after a step: o what its code adds to the w that it keeps, 1 or 0, f what the port
/// multiplied it by.
inline bool gain_is_pulled_as_stated(const Port<Rational>& port, const Rational& rate,
                                     const Rational& penalty,
                                     const PrimitivesIn<Rational>& primitives) {
  auto from = port.from;
  from.rules[Parameter::gain] = {Sgd<Rational>{rate, penalty}};
  from.begin();
  const auto recipe = primitives.recipe(from.model.code, port.to, port.place);
  auto to = from.ported(port.to, recipe, primitives);
  for (auto* both : {&from, &to}) both->step(primitives);
  const auto added = [](const Convention<Rational>& code) {
    return Rational(code.gain == Gain::one_plus ? 1 : 0);
  };
  const auto f =
      library<Rational>.recipe(from.model.code, port.to, port.place).factor_of(Parameter::gain);
  const Rational stated = rate * penalty * (added(port.to) - f * added(from.model.code));
  const auto g = from.model.gain(), other = to.model.gain();
  for (std::size_t j = 0; j < g.size(); ++j)
    if (other[j] - f * g[j] != stated) return false;
  return g.size() == other.size();
}

}  // namespace embedscale::properties::porting
