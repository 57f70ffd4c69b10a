#pragma once
// One step of four optimisers on one parameter t with gradient g, each as its paper has it. They
// act on every entry of a table by itself; what they remember of an entry is in a small struct.
//
//   sgd        t ← t − α·g
//   momentum   v ← μ·v + g                 t ← t − α·v
//   adam       a ← β₁·a + (1 − β₁)·g       b ← β₂·b + (1 − β₂)·g²
//              t ← t − α·â/(√b̂ + ε)        â = a/(1 − β₁^k), b̂ = b/(1 − β₂^k) at step k = 1, 2, …
//   adamw      t ← t − η·(α·â/(√b̂ + ε) + λ·t)
//
// A penalty adds penalty·t to g first, as the loss's own term penalty·t²/2 would (L2, "coupled").
#include <embedscale/scalar.hpp>

namespace embedscale {

template <Scalar Real>
struct Sgd {
  Real rate;  ///< α
  Real penalty = Real(0);
};

template <Scalar Real>
struct Momentum {
  Real rate, momentum;  ///< α, μ
  Real penalty = Real(0);
};

template <Scalar Real>
struct Adam {
  Real rate, beta_1, beta_2, epsilon;
  Real penalty = Real(0);
};

/// In the paper α stands in adam.rate and η is a schedule, 1 or what falls from it; PyTorch's
/// learning rate is η, with adam.rate = 1, so that it multiplies the decay as well.
template <Scalar Real>
struct AdamW {
  Adam<Real> adam;
  Real decay;               ///< λ
  Real schedule = Real(1);  ///< η
};

template <Scalar Real>
struct Velocity {
  Real v = Real(0);
};

template <Scalar Real>
struct Moments {
  Real first = Real(0), second = Real(0);     ///< a, b
  Real power_1 = Real(1), power_2 = Real(1);  ///< β₁^k, β₂^k after k steps, as products
};

/// α·g less than t, one rounding per operation, as in all below.
template <Scalar Real>
Real sgd(const Real& t, const Real& gradient, const Sgd<Real>& by) {
  const Real pull = by.penalty * t, g = gradient + pull;
  const Real change = by.rate * g;
  return t - change;
}

/// Source    Polyak 1964 (heavy ball), in the form of Sutskever et al. 2013 with the rate outside
///           of v: the same at a constant rate.
template <Scalar Real>
Real momentum(const Real& t, const Real& gradient, const Momentum<Real>& by,
              Velocity<Real>& state) {
  const Real pull = by.penalty * t, g = gradient + pull;
  const Real kept = by.momentum * state.v;
  state.v = kept + g;
  const Real change = by.rate * state.v;
  return t - change;
}

namespace detail {
// α·â/(√b̂ + ε) after the moments have taken g in; 0 where all gradients so far were 0, which is
// the limit ε → 0 of a quotient that is 0 for every ε > 0.
template <AnalyticScalar Real>
Real adam_change(const Real& g, const Adam<Real>& by, Moments<Real>& state) {
  using std::sqrt;
  const Real one(1), square = g * g;
  const Real kept_1 = by.beta_1 * state.first, kept_2 = by.beta_2 * state.second;
  const Real new_1 = Real(one - by.beta_1) * g, new_2 = Real(one - by.beta_2) * square;
  state.first = kept_1 + new_1;
  state.second = kept_2 + new_2;
  state.power_1 = state.power_1 * by.beta_1;
  state.power_2 = state.power_2 * by.beta_2;
  const Real mean = state.first / Real(one - state.power_1);
  const Real mean_square = state.second / Real(one - state.power_2);
  const Real divisor = Real(sqrt(mean_square)) + by.epsilon;
  if (divisor == Real(0)) return Real(0);
  const Real quotient = mean / divisor;
  return by.rate * quotient;
}
}  // namespace detail

/// Requires  0 <= β₁, β₂ < 1, ε >= 0.
/// Ensures   at ε = 0 a common factor of all gradients changes nothing, and the first step is α
///           against the gradient's sign [optimizer.relative_step].
/// Source    Kingma and Ba 2015, algorithm 1.
template <AnalyticScalar Real>
Real adam(const Real& t, const Real& gradient, const Adam<Real>& by, Moments<Real>& state) {
  const Real pull = by.penalty * t, g = gradient + pull;
  return t - detail::adam_change(g, by, state);
}

/// Source    Loshchilov and Hutter 2019, algorithm 2 with decoupled weight decay.
template <AnalyticScalar Real>
Real adamw(const Real& t, const Real& gradient, const AdamW<Real>& by, Moments<Real>& state) {
  const Real pull = by.adam.penalty * t, g = gradient + pull;
  const Real change = detail::adam_change(g, by.adam, state);
  const Real decayed = by.decay * t, both = change + decayed;
  const Real moved = by.schedule * both;
  return t - moved;
}

/// The settings that make a table m·E without a multiplier go the way that E goes with the
/// multiplier m: its entries stay m times those of E [optimizer.folded_sgd_step].
///
/// Requires  m > 0, as all below.
template <Scalar Real>
Sgd<Real> folded(const Sgd<Real>& by, const Real& m) {
  const Real square = m * m;
  return {Real(square * by.rate), Real(by.penalty / square)};
}

template <Scalar Real>
Momentum<Real> folded(const Momentum<Real>& by, const Real& m) {
  const Real square = m * m;
  return {Real(square * by.rate), by.momentum, Real(by.penalty / square)};
}

/// α is m times as large, ε a m-th, as √b̂ is, and the penalty a m²-th: with t it is a m-th, as the
/// gradient is [optimizer.folded_adam_step].
template <Scalar Real>
Adam<Real> folded(const Adam<Real>& by, const Real& m) {
  return {Real(m * by.rate), by.beta_1, by.beta_2, Real(by.epsilon / m),
          Real(by.penalty / Real(m * m))};
}

/// In the paper's spelling α takes the factor; η and λ stay.
template <Scalar Real>
AdamW<Real> folded(const AdamW<Real>& by, const Real& m) {
  return {folded(by.adam, m), by.decay, by.schedule};
}

/// Where the learning rate is η, which decay is multiplied by, λ is a m-th.
template <Scalar Real>
AdamW<Real> folded_by_schedule(const AdamW<Real>& by, const Real& m) {
  Adam<Real> adam = folded(by.adam, m);
  adam.rate = by.adam.rate;
  return {adam, Real(by.decay / m), Real(m * by.schedule)};
}

}  // namespace embedscale
