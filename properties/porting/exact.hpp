#pragma once
// Ports over the rationals: a token, two words, one channel, no norm, and optimisers without a
// root. What holds for all rationals holds for all reals.
#include "training.hpp"

namespace embedscale::properties::porting {

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
