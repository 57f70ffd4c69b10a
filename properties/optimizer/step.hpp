#pragma once
// Measures of single steps: how far the input moves with the factor outside the table and inside
// it, and how far a table moves relative to its own entries.
#include <embedscale/format.hpp>

#include <cmath>
#include <limits>
#include <vector>

#include "path.hpp"

namespace embedscale::properties::optimizer {

/// ∂L/∂e over ∂L/∂e′ at one ∂L/∂x, of a token that occurs once.
template <Scalar Real>
Real gradient_ratio(const Real& m, const PrimitivesIn<Real>& primitives) {
  const Start<Real> start{1, {0}, {Real(0)}, {Real(1)}, {}};
  const Optimiser<Real> none = Sgd<Real>{Real(0)};
  const Training up(start, Run<Real>{Placing::up, m, none, none}, primitives);
  const Training folded(start, Run<Real>{Placing::folded, m, none, none}, primitives);
  const std::vector<Real> slope{Real(1)};
  return up.gradient(slope)[0] / folded.gradient(slope)[0];
}

/// An entry after each step by these gradients.
template <Scalar Real>
std::vector<Real> stepped(const Optimiser<Real>& by, Real t, const std::vector<Real>& gradients,
                          const PrimitivesIn<Real>& primitives) {
  std::vector<Real> all;
  Memory<Real> memory;
  for (const Real& g : gradients) {
    move(t, g, by, memory, primitives);
    all.push_back(t);
  }
  return all;
}

/// From 0, so that it is exact to the last digit, and nothing decays.
template <Scalar Real>
Real first_step(const Optimiser<Real>& by, const Real& g, const PrimitivesIn<Real>& primitives) {
  return stepped<Real>(by, Real(0), {g}, primitives)[0];
}

/// The step with the factor over that without, from one table and one ∂L/∂x = g.
///
/// Requires  g != 0.
template <AnalyticScalar Real>
Real relative_step_ratio(const Optimiser<Real>& by, const Real& g, const Real& m,
                         const PrimitivesIn<Real>& primitives) {
  return first_step(by, Real(m * g), primitives) / first_step(by, g, primitives);
}

/// How far x = m·e moves in its first step, over how far x = e′ does, at equal settings.
///
/// Requires  g != 0.
template <AnalyticScalar Real>
Real input_step_ratio(const Optimiser<Real>& by, const Real& g, const Real& m,
                      const PrimitivesIn<Real>& primitives) {
  return m * first_step(by, Real(m * g), primitives) / first_step(by, g, primitives);
}

/// How many roundings u = ε/2 a ratio of two first steps is allowed to be off by.
///
/// In the first step of Adam 1 − β is one rounded number above and below, so that â has 2 roundings
/// and b̂ 3, which the root halves, adding one; the sum with its ε, the quotient and the rate are
/// one each: 7.5 for g, and 2 more for m·g, whose rounding is in â and in √b̂. The ratio m·e/e′
/// adds 2, the stated one 6 and its comparison 1: 26 in all. Where the ratio is of the steps
/// themselves it adds 1, which is 18.
inline constexpr int step_ratio_roundings = 32;

/// The distance of the ratio, relative, from the stated one, as a share of these roundings: m²
/// under gradient descent and momentum, and under Adam m²(|g| + ε)/(m·|g| + ε).
template <AnalyticScalar Real>
double input_step_share(const Optimiser<Real>& by, const Real& g, const Real& m,
                        const PrimitivesIn<Real>& primitives) {
  using std::abs;
  const Real size = abs(g);
  const auto* adam = adam_of(by);
  const Real stated = adam == nullptr
                          ? Real(m * m)
                          : Real(m * m * (size + adam->epsilon) / (m * size + adam->epsilon));
  const Real off = abs(Real(input_step_ratio(by, g, m, primitives) / stated - Real(1)));
  return static_cast<double>(
      Real(off / (Real(step_ratio_roundings / 2) * std::numeric_limits<Real>::epsilon())));
}

/// RMS of one step over RMS of the entries it is taken from, per learning rate, for a table of
/// entries ±σ with these gradients.
template <AnalyticScalar Real>
double relative_step_of(const Optimiser<Real>& by, Real rate, Real sigma,
                        const std::vector<Real>& gradients, const PrimitivesIn<Real>& primitives) {
  double moved = 0, size = 0;
  for (std::size_t k = 0; k < gradients.size(); ++k) {
    const Real before = k % 2 == 0 ? sigma : -sigma;
    const Real after = stepped<Real>(by, before, {gradients[k]}, primitives)[0];
    const double step = static_cast<double>(after) - static_cast<double>(before);
    moved += step * step;
    size += static_cast<double>(before) * static_cast<double>(before);
  }
  return std::sqrt(moved / size) / static_cast<double>(rate);
}

/// |relative first step of Adam − 1/σ|, over its bound, ε = 0.
///
/// 1 − β is one rounded number above and below (β^1 is β), so â has 2 roundings and b̂ 3, which the
/// root halves, adding one; then quotient and rate: the step is rate·(1 + 6.5u), say 7u. Taken from
/// ±σ it is rounded once more, to u·(σ + rate) and 1 % for higher orders. The sums of squares in
/// double are no more than (n + 6) of its u.
template <AnalyticScalar Real>
double relative_step_share(const Adam<Real>& by, Real sigma, const std::vector<Real>& gradients,
                           const PrimitivesIn<Real>& primitives) {
  const double rate = static_cast<double>(by.rate), s = static_cast<double>(sigma);
  const double off =
      std::abs(relative_step_of<Real>(by, by.rate, sigma, gradients, primitives) - 1.0 / s);
  const double u = unit_roundoff<Real>, n = static_cast<double>(gradients.size());
  const double roundings = 7 * u + 1.01 * u * (s + rate) / rate + (n + 6) * unit_roundoff<double>;
  return off * s / roundings;
}

template <Scalar Real>
std::vector<Real> times(const Real& factor, std::vector<Real> gradients) {
  for (Real& g : gradients) g = factor * g;
  return gradients;
}
}  // namespace embedscale::properties::optimizer
