#pragma once
// Wrong optimisers: each is one line of its paper misread.
#include <algorithm>
#include <cmath>

#include "optimizer.hpp"

namespace embedscale::properties::mutants {

/// Both Adams, their step computed by `Steps::change`.
template <class Steps>
struct WithAdam : Training {
  template <AnalyticScalar Real>
  static Real adam(const Real& t, const Real& gradient, const Adam<Real>& by,
                   Moments<Real>& state) {
    return t - Steps::change(Real(gradient + by.penalty * t), by, state);
  }
  template <AnalyticScalar Real>
  static Real adamw(const Real& t, const Real& gradient, const AdamW<Real>& by,
                    Moments<Real>& state) {
    const Real change = Steps::change(Real(gradient + by.adam.penalty * t), by.adam, state);
    return t - by.schedule * Real(change + by.decay * t);
  }
};

/// The moments, as the paper has them.
template <AnalyticScalar Real>
void take_in(const Real& g, const Adam<Real>& by, Moments<Real>& state) {
  state.first = by.beta_1 * state.first + Real(Real(1) - by.beta_1) * g;
  state.second = by.beta_2 * state.second + Real(Real(1) - by.beta_2) * Real(g * g);
  state.power_1 = state.power_1 * by.beta_1;
  state.power_2 = state.power_2 * by.beta_2;
}

template <AnalyticScalar Real>
Real quotient(const Real& mean, const Real& root, const Adam<Real>& by) {
  const Real divisor = root + by.epsilon;
  return divisor == Real(0) ? Real(0) : Real(by.rate * Real(mean / divisor));
}

struct WithoutBiasCorrection {
  template <AnalyticScalar Real>
  static Real change(const Real& g, const Adam<Real>& by, Moments<Real>& state) {
    using std::sqrt;
    take_in(g, by, state);
    return quotient(state.first, Real(sqrt(state.second)), by);
  }
};
/// The moments start at 0, and nobody corrects for it.
struct leaves_bias_correction_out : WithAdam<WithoutBiasCorrection> {};

struct OneStepAhead {
  template <AnalyticScalar Real>
  static Real change(const Real& g, const Adam<Real>& by, Moments<Real>& state) {
    using std::sqrt;
    take_in(g, by, state);
    const Real one(1);
    return quotient(Real(state.first / Real(one - state.power_1 * by.beta_1)),
                    Real(sqrt(Real(state.second / Real(one - state.power_2 * by.beta_2)))), by);
  }
};
/// The count of steps is one ahead.
struct counts_a_step_too_many : WithAdam<OneStepAhead> {};

struct OneCorrection {
  template <AnalyticScalar Real>
  static Real change(const Real& g, const Adam<Real>& by, Moments<Real>& state) {
    using std::sqrt;
    take_in(g, by, state);
    return quotient(Real(state.first / Real(Real(1) - state.power_1)), Real(sqrt(state.second)),
                    by);
  }
};
/// Only the mean is corrected.
struct corrects_the_mean_alone : WithAdam<OneCorrection> {};

struct EpsilonInside {
  template <AnalyticScalar Real>
  static Real change(const Real& g, const Adam<Real>& by, Moments<Real>& state) {
    using std::sqrt;
    take_in(g, by, state);
    const Real square = state.second / Real(Real(1) - state.power_2);
    Adam<Real> bare = by;
    bare.epsilon = Real(0);
    return quotient(Real(state.first / Real(Real(1) - state.power_1)),
                    Real(sqrt(Real(square + by.epsilon))), bare);
  }
};
/// ε stands inside the root.
struct puts_epsilon_inside_the_root : WithAdam<EpsilonInside> {};

struct EpsilonKept {
  template <AnalyticScalar Real>
  static Real change(const Real& g, const Adam<Real>& by, Moments<Real>& state) {
    Adam<Real> kept = by;
    if (kept.epsilon == Real(0)) kept.epsilon = Real(1e-8);
    return embedscale::detail::adam_change(g, kept, state);
  }
};
/// ε is 10^−8 where 0 was asked for.
struct keeps_the_usual_epsilon : WithAdam<EpsilonKept> {};

struct BetasExchanged {
  template <AnalyticScalar Real>
  static Real change(const Real& g, const Adam<Real>& by, Moments<Real>& state) {
    return embedscale::detail::adam_change(g, Adam<Real>{by.rate, by.beta_2, by.beta_1, by.epsilon},
                                           state);
  }
};
/// β₁ and β₂ change places.
struct exchanges_the_betas : WithAdam<BetasExchanged> {};

struct ClippedGradient {
  template <AnalyticScalar Real>
  static Real change(const Real& g, const Adam<Real>& by, Moments<Real>& state) {
    const Real clipped = std::clamp(g, Real(-1), Real(1));
    return embedscale::detail::adam_change(clipped, by, state);
  }
};
/// Gradients are clipped at 1.
struct clips_gradients_of_adam : WithAdam<ClippedGradient> {};

struct LongStep {
  template <AnalyticScalar Real>
  static Real change(const Real& g, const Adam<Real>& by, Moments<Real>& state) {
    const Real step = embedscale::detail::adam_change(g, by, state);
    return step + step / Real(1 << 20);
  }
};
/// Every step is high by a part in 2^20.
struct steps_slightly_too_far : WithAdam<LongStep> {};

/// The decay is added to the gradient, so that it is divided by √b̂ as well (L2 for AdamW).
struct couples_the_decay : Training {
  template <AnalyticScalar Real>
  static Real adamw(const Real& t, const Real& gradient, const AdamW<Real>& by,
                    Moments<Real>& state) {
    const Real g = gradient + by.decay * t;
    return t - by.schedule * embedscale::detail::adam_change(g, by.adam, state);
  }
};

/// Gradients are clipped at ±Limit.
template <int Limit>
struct clips_gradients_at : Training {
  template <Scalar Real>
  static Real clipped(const Real& g) {
    return std::clamp(g, Real(-Limit), Real(Limit));
  }
  template <Scalar Real>
  static Real sgd(const Real& t, const Real& gradient, const Sgd<Real>& by) {
    return Training::sgd(t, clipped(gradient), by);
  }
  template <Scalar Real>
  static Real momentum(const Real& t, const Real& gradient, const Momentum<Real>& by,
                       Velocity<Real>& state) {
    return Training::momentum(t, clipped(gradient), by, state);
  }
};
using clips_gradients = clips_gradients_at<1>;
using clips_gradients_above_100 = clips_gradients_at<100>;

/// Gradient descent by signs.
struct descends_by_signs : Training {
  template <Scalar Real>
  static Real sgd(const Real& t, const Real& gradient, const Sgd<Real>& by) {
    const Real zero(0);
    return Training::sgd(t, Real(gradient > zero ? 1 : gradient < zero ? -1 : 0), by);
  }
};

/// A decay of 2^−40 of every entry that nobody asked for.
struct decays_a_little : Training {
  template <Scalar Real>
  static Real sgd(const Real& t, const Real& gradient, const Sgd<Real>& by) {
    return Training::sgd(t, gradient, by) - t * a_fortieth_digit<Real>();
  }
};

/// The mean of gradients in the place of their sum: 1 − μ too much.
struct averages_the_velocity : Training {
  template <Scalar Real>
  static Real momentum(const Real& t, const Real& gradient, const Momentum<Real>& by,
                       Velocity<Real>& state) {
    return Training::momentum(t, Real(gradient * Real(Real(1) - by.momentum)), by, state);
  }
};

}  // namespace embedscale::properties::mutants
