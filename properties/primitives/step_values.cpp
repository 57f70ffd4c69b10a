// What a step of each optimiser has to leave.
#include "values.hpp"

namespace embedscale::properties::primitives {
namespace {

using Numbers = std::vector<AnyOrder>;

/// What is remembered of `state`, with a share 1 − β of x: see values.hpp.
AnyOrder averaged(const AnyOrder& beta, const AnyOrder& state, const AnyOrder& x) {
  const AnyOrder one(state.evaluation(), Wide(1)), share = one - beta;
  const AnyOrder moved = farthest({beta * state + share * x, state + share * (x - state)});
  if (share.exact() < beta.exact()) return moved;
  return farthest({moved, x - (one - share) * (x - state)});
}

/// The gradient with its penalty.
AnyOrder penalized(Evaluation& of, const Wide& t, const Wide& gradient, const Wide& penalty) {
  return AnyOrder(of, gradient) + AnyOrder(of, penalty) * AnyOrder(of, t);
}

/// α·â/(√b̂ + ε), 0 where that is 0/0, and the moments behind it. With reciprocals the change meets
/// 8 roundings behind the moments, as it stands here: 2 of â, 1 of √(b·(1/c)), half of 2, 1 of the
/// root, 1 of + ε, 2 of the quotient, 1 of α. Other groupings meet up to 10: PyTorch's
/// m/(√b/(√c·s) + ε/s), s = α·(1/c₁), has 1 of √b, 4 of √c·s, 2 of the quotient, 1 of + and 2 of
/// the last quotient; α·√c·(1/c₁)·m/(√b + ε·√c) has 9.
struct AdamStep {
  AnyOrder change;
  Numbers moments;
};
AdamStep adam_step(Evaluation& of, const AnyOrder& g, const Adam<Wide>& by,
                   const Moments<Wide>& state) {
  const auto number = [&](const Wide& x) { return AnyOrder(of, x); };
  const AnyOrder one = number(1), beta_1 = number(by.beta_1), beta_2 = number(by.beta_2);
  const AnyOrder first = averaged(beta_1, number(state.first), g);
  const AnyOrder second = averaged(beta_2, number(state.second), g * g);
  const AnyOrder power_1 = number(state.power_1) * beta_1;
  const AnyOrder power_2 = number(state.power_2) * beta_2;
  const AnyOrder divisor = sqrt(second * reciprocal(one - power_2)) + number(by.epsilon);
  const bool at_rest = divisor.exact() == Wide(0) && divisor.error() == 0;
  const AnyOrder change =
      at_rest ? number(0)
              : number(by.rate) * (first * reciprocal(one - power_1) * reciprocal(divisor));
  return {change.rounded_again(2), {first, second, power_1, power_2}};
}

Values after(Evaluation& of, const Wide& t, const AnyOrder& change, Numbers remembered) {
  remembered.insert(remembered.begin(), AnyOrder(of, t).rounded_again(2) - change);
  return {of, remembered};
}

}  // namespace

Values sgd(const Rounding& in, const Wide& t, const Wide& gradient, const Sgd<Wide>& by) {
  Evaluation of{in};
  return after(of, t, AnyOrder(of, by.rate) * penalized(of, t, gradient, by.penalty), {});
}

Values momentum(const Rounding& in, const Wide& t, const Wide& gradient, const Momentum<Wide>& by,
                const Velocity<Wide>& state) {
  Evaluation of{in};
  const AnyOrder v =
      AnyOrder(of, by.momentum) * AnyOrder(of, state.v) + penalized(of, t, gradient, by.penalty);
  return after(of, t, AnyOrder(of, by.rate) * v, {v});
}

Values adam(const Rounding& in, const Wide& t, const Wide& gradient, const Adam<Wide>& by,
            const Moments<Wide>& state) {
  Evaluation of{in};
  const auto step = adam_step(of, penalized(of, t, gradient, by.penalty), by, state);
  return after(of, t, step.change, step.moments);
}

Values adamw(const Rounding& in, const Wide& t, const Wide& gradient, const AdamW<Wide>& by,
             const Moments<Wide>& state) {
  Evaluation of{in};
  const auto step = adam_step(of, penalized(of, t, gradient, by.adam.penalty), by.adam, state);
  const AnyOrder decay = AnyOrder(of, by.decay) * AnyOrder(of, t);
  return after(of, t, AnyOrder(of, by.schedule) * (step.change + decay), step.moments);
}

}  // namespace embedscale::properties::primitives
