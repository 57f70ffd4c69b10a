// Wrong optimisers: each is one line of its paper misread.
#include <algorithm>
#include <cmath>

#include "trials.hpp"

namespace embedscale::properties::optimizer {

using namespace testing;

namespace {

/// A replacement where there are roots.
template <class Change>
constexpr auto in_analytic(Change change) {
  return replacing<Wide, double, float>(change);
}

/// Gradients are clipped at ±limit.
template <int limit>
constexpr auto clipping_gradients() {
  return replacing([]<class Real>(Operations<Real>& to) {
    to.sgd = [](const Real& t, const Real& gradient, const Sgd<Real>& by) -> Real {
      return library<Real>.sgd(t, std::clamp(gradient, Real(-limit), Real(limit)), by);
    };
    to.momentum = [](const Real& t, const Real& gradient, const Momentum<Real>& by,
                     Velocity<Real>& state) -> Real {
      return library<Real>.momentum(t, std::clamp(gradient, Real(-limit), Real(limit)), by, state);
    };
  });
}

/// Both Adams, which change an entry by `change(g, by, state)`.
template <class Change>
constexpr auto both_adams(Change) {
  return in_analytic([]<class Real>(Operations<Real>& to) {
    to.adam = [](const Real& t, const Real& gradient, const Adam<Real>& by,
                 Moments<Real>& state) -> Real {
      return t - Change{}(Real(gradient + by.penalty * t), by, state);
    };
    to.adamw = [](const Real& t, const Real& gradient, const AdamW<Real>& by,
                  Moments<Real>& state) -> Real {
      const Real change = Change{}(Real(gradient + by.adam.penalty * t), by.adam, state);
      return t - by.schedule * Real(change + by.decay * t);
    };
  });
}

/// The moments, as the paper has them.
template <AnalyticScalar Real>
void take_in(const Real& g, const Adam<Real>& by, Moments<Real>& state) {
  state.first = by.beta_1 * state.first + Real(Real(1) - by.beta_1) * g;
  state.second = by.beta_2 * state.second + Real(Real(1) - by.beta_2) * Real(g * g);
  state.power_1 = state.power_1 * by.beta_1;
  state.power_2 = state.power_2 * by.beta_2;
}

template <AnalyticScalar Real>
Real quotient(const Real& mean, const Real& mean_square, const Adam<Real>& by) {
  using std::sqrt;
  const Real divisor = Real(sqrt(mean_square)) + by.epsilon;
  return divisor == Real(0) ? Real(0) : Real(by.rate * Real(mean / divisor));
}

}  // namespace

const Mutants<Primitives> misread_steps{
    {"leaves_bias_correction_out", "The moments start at 0, and nobody corrects for it.",
     both_adams([]<class Real>(const Real& g, const Adam<Real>& by, Moments<Real>& state) {
       take_in(g, by, state);
       return quotient(state.first, state.second, by);
     })},

    {"counts_a_step_too_many", "The count of steps is one ahead.",
     both_adams([]<class Real>(const Real& g, const Adam<Real>& by, Moments<Real>& state) {
       take_in(g, by, state);
       const Real one(1);
       return quotient(Real(state.first / Real(one - state.power_1 * by.beta_1)),
                       Real(state.second / Real(one - state.power_2 * by.beta_2)), by);
     })},

    {"corrects_the_mean_alone", "Only the mean is corrected.",
     both_adams([]<class Real>(const Real& g, const Adam<Real>& by, Moments<Real>& state) {
       take_in(g, by, state);
       return quotient(Real(state.first / Real(Real(1) - state.power_1)), state.second, by);
     })},

    {"puts_epsilon_inside_the_root", "ε stands inside the root.",
     both_adams([]<class Real>(const Real& g, const Adam<Real>& by, Moments<Real>& state) {
       take_in(g, by, state);
       const Real square = state.second / Real(Real(1) - state.power_2);
       Adam<Real> bare = by;
       bare.epsilon = Real(0);
       return quotient(Real(state.first / Real(Real(1) - state.power_1)), Real(square + by.epsilon),
                       bare);
     })},

    {"keeps_the_usual_epsilon", "ε is 10^−8 where 0 was asked for.",
     both_adams([]<class Real>(const Real& g, const Adam<Real>& by, Moments<Real>& state) {
       Adam<Real> kept = by;
       if (kept.epsilon == Real(0)) kept.epsilon = Real(1e-8);
       return embedscale::detail::adam_change(g, kept, state);
     })},

    {"clips_gradients_of_adam", "Gradients are clipped at 1.",
     both_adams([]<class Real>(const Real& g, const Adam<Real>& by, Moments<Real>& state) {
       return embedscale::detail::adam_change(std::clamp(g, Real(-1), Real(1)), by, state);
     })},

    {"steps_slightly_too_far", "Every step is high by a part in 2^20.",
     both_adams([]<class Real>(const Real& g, const Adam<Real>& by, Moments<Real>& state) {
       const Real step = embedscale::detail::adam_change(g, by, state);
       return Real(step + step / Real(1 << 20));
     })},

    {"couples_the_decay",
     "The decay is added to the gradient, so that it is divided by √b̂ as well (L2 for AdamW).",
     in_analytic([]<class Real>(Operations<Real>& to) {
       to.adamw = [](const Real& t, const Real& gradient, const AdamW<Real>& by,
                     Moments<Real>& state) -> Real {
         const Real g = gradient + by.decay * t;
         return t - by.schedule * embedscale::detail::adam_change(g, by.adam, state);
       };
     })},

    {"clips_gradients", "Gradients are clipped at ±1.", clipping_gradients<1>()},

    {"clips_gradients_above_100", "Gradients are clipped at ±100.", clipping_gradients<100>()},

    {"descends_by_signs", "Gradient descent by signs.",
     replacing([]<class Real>(Operations<Real>& to) {
       to.sgd = [](const Real& t, const Real& gradient, const Sgd<Real>& by) -> Real {
         const Real zero(0);
         return library<Real>.sgd(t, Real(gradient > zero ? 1 : gradient < zero ? -1 : 0), by);
       };
     })},

    {"decays_a_little", "A decay of 2^−40 of every entry that nobody asked for.",
     replacing([]<class Real>(Operations<Real>& to) {
       to.sgd = [](const Real& t, const Real& gradient, const Sgd<Real>& by) -> Real {
         return library<Real>.sgd(t, gradient, by) - t * (Real(1) / Real(1 << 20) / Real(1 << 20));
       };
     })},

    {"averages_the_velocity", "The mean of gradients in the place of their sum: 1 − μ too much.",
     replacing([]<class Real>(Operations<Real>& to) {
       to.momentum = [](const Real& t, const Real& gradient, const Momentum<Real>& by,
                        Velocity<Real>& state) -> Real {
         return library<Real>.momentum(t, Real(gradient * Real(Real(1) - by.momentum)), by, state);
       };
     })},
};

const Mutants<Primitives> other_misreadings{
    {"exchanges_the_betas", "β₁ and β₂ change places.",
     both_adams([]<class Real>(const Real& g, const Adam<Real>& by, Moments<Real>& state) {
       return embedscale::detail::adam_change(
           g, Adam<Real>{by.rate, by.beta_2, by.beta_1, by.epsilon}, state);
     })}};

}  // namespace embedscale::properties::optimizer
