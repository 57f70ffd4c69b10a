#pragma once
// Ports with something left out: what mutants do, and what is measured of each.
#include "primitives.hpp"

namespace embedscale::properties::porting {

constexpr bool of_final_norm(Parameter of) {
  return of == Parameter::gain || of == Parameter::bias;
}

template <class PortStep>
constexpr bool is(const PortStep& step, Action action, Parameter of) {
  return step.action == action && step.parameter == of;
}
/// Whether it multiplies the table; whether it is where the factor of the logits goes.
template <class PortStep>
constexpr bool is_of_table(const PortStep& step) {
  return is(step, Action::multiply, Parameter::token_table);
}
template <class PortStep>
constexpr bool is_place(const PortStep& step) {
  return step.action == Action::set_logit_factor || step.action == Action::copy_table ||
         is(step, Action::multiply, Parameter::gain) || is(step, Action::multiply, Parameter::bias);
}

/// What an entry remembers, and then(parameter, that, what it was).
template <class Then>
constexpr auto carried_and(Then) {
  return []<Scalar Real>(Operations<Real>& to) {
    to.carried = [](Parameter of, const Memory<Real>& was, const Real& s) {
      auto memory = library<Real>.carried(of, was, s);
      Then{}(of, memory, was);
      return memory;
    };
  };
}
/// The settings, and then(parameter, those, what they were, s).
template <class Then>
constexpr auto folded_and(Then) {
  return []<Scalar Real>(Operations<Real>& to) {
    to.folded = [](Parameter of, const Rule<Real>& was, const Real& s) {
      auto rule = library<Real>.folded(of, was, s);
      Then{}(of, rule, was, s);
      return rule;
    };
  };
}

/// The learning rate: η where that is one.
template <Scalar Real>
Real& rate_of(Rule<Real>& rule) {
  return rule.by_schedule ? std::get<AdamW<Real>>(rule.by).schedule : optimizer::rate_of(rule.by);
}

inline constexpr auto leaves_the_state =
    carried_and([](Parameter, auto& memory, const auto& was) { memory = was; });
inline constexpr auto forgets_the_state =
    carried_and([](Parameter, auto& memory, const auto&) { memory = {}; });
inline constexpr auto leaves_the_velocity =
    carried_and([](Parameter, auto& memory, const auto& was) { memory.velocity = was.velocity; });
inline constexpr auto leaves_the_first_moment = carried_and(
    [](Parameter, auto& memory, const auto& was) { memory.moments.first = was.moments.first; });
inline constexpr auto leaves_the_second_moment = carried_and(
    [](Parameter, auto& memory, const auto& was) { memory.moments.second = was.moments.second; });
inline constexpr auto counts_steps_from_zero =
    carried_and([]<class Real>(Parameter, Memory<Real>& memory, const Memory<Real>&) {
      memory.moments.power_1 = memory.moments.power_2 = Real(1);
    });
inline constexpr auto leaves_the_state_of_the_final_norm =
    carried_and([](Parameter of, auto& memory, const auto& was) {
      if (of_final_norm(of)) memory = was;
    });

inline constexpr auto leaves_the_settings =
    folded_and([](Parameter, auto& rule, const auto& was, const auto&) { rule = was; });
inline constexpr auto leaves_the_rate =
    folded_and([]<class Real>(Parameter, Rule<Real>& rule, Rule<Real> was, const Real&) {
      rate_of(rule) = rate_of(was);
    });
inline constexpr auto leaves_epsilon =
    folded_and([]<class Real>(Parameter, Rule<Real>& rule, Rule<Real> was, const Real&) {
      if (auto* adam = optimizer::adam_of(rule.by))
        adam->epsilon = optimizer::adam_of(was.by)->epsilon;
    });
inline constexpr auto leaves_the_decay =
    folded_and([]<class Real>(Parameter, Rule<Real>& rule, const Rule<Real>& was, const Real&) {
      if (auto* by = std::get_if<AdamW<Real>>(&rule.by))
        by->decay = std::get<AdamW<Real>>(was.by).decay;
    });
inline constexpr auto leaves_the_penalty =
    folded_and([]<class Real>(Parameter, Rule<Real>& rule, Rule<Real> was, const Real&) {
      optimizer::penalty_of(rule.by) = optimizer::penalty_of(was.by);
    });
inline constexpr auto leaves_the_settings_of_the_final_norm =
    folded_and([](Parameter of, auto& rule, const auto& was, const auto&) {
      if (of_final_norm(of)) rule = was;
    });

}  // namespace embedscale::properties::porting
