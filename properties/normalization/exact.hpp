#pragma once
// What a factor does to a norm, decided without a tolerance: by exact numbers with a square root,
// domain::Surd. A polynomial identity in x, c, ε and one root that holds for all rationals holds
// for all reals.
#include <cstddef>
#include <cstdint>
#include <vector>

#include "primitives.hpp"

namespace embedscale::properties::normalization {

/// From 1/8 to 1, by a random word whose last bit is left for the sign.
inline double size_of_entry(std::uint64_t word) {
  return 0.125 + 0.875 * static_cast<double>(word >> 12) * 0x1p-52;
}

/// As the closed forms have it.
inline expected::Norm expected_of(const BlockNorm<double>& norm) {
  using Kind = expected::Norm::Kind;
  return {norm.kind == NormKind::layer_norm ? Kind::layer_norm : Kind::rms_norm, norm.epsilon,
          norm.placement};
}

template <AnalyticScalar Real>
std::vector<Real> normalized(const std::vector<Real>& x, const BlockNorm<Real>& norm,
                             const PrimitivesIn<Real>& primitives) {
  std::vector<Real> y(x.size(), Real(0));
  const auto& by = norm.kind == NormKind::layer_norm ? primitives.layer_norm : primitives.rms_norm;
  by(x, norm.epsilon, norm.placement, y);
  return y;
}

template <Scalar Real>
std::vector<Real> product(const Real& c, std::vector<Real> x) {
  for (Real& value : x) value = c * value;
  return x;
}

template <Scalar Real>
std::vector<Real> sum(std::vector<Real> x, const std::vector<Real>& y) {
  for (std::size_t j = 0; j < x.size(); ++j) x[j] = x[j] + y[j];
  return x;
}

/// What a norm divides: x, less its mean for LayerNorm.
template <Scalar Real>
std::vector<Real> divided(std::vector<Real> x, NormKind kind) {
  if (kind == NormKind::rms_norm) return x;
  Real total(0);
  for (const Real& value : x) total = total + value;
  const Real mean = total / Real(static_cast<int>(x.size()));
  for (Real& value : x) value = value - mean;
  return x;
}

/// s, the mean of its squares.
template <Scalar Real>
Real mean_square(const std::vector<Real>& x) {
  Real squares(0);
  for (const Real& value : x) squares = squares + value * value;
  return squares / Real(static_cast<int>(x.size()));
}

using Surds = std::vector<Surd>;

/// Rationals as exact numbers that have roots.
inline Surds surds(const std::vector<Rational>& x) { return {x.begin(), x.end()}; }

/// Whether x and y lie on one line: all 2×2 minors vanish.
inline bool are_parallel(const Surds& x, const Surds& y) {
  for (std::size_t i = 0; i < x.size(); ++i)
    for (std::size_t j = 0; j < i; ++j)
      if (!(x[i] * y[j] == x[j] * y[i])) return false;
  return true;
}

/// Whether y is a positive multiple of x, for x ≠ 0.
inline bool points_along(const Surds& x, const Surds& y) {
  return are_parallel(x, y) && dot<Surd>(x, y) > Surd(0);
}

/// Whether N(c·x) = sign(c)·N(x) with ε = 0; and N(x) points along what is divided, so that a norm
/// which forgets everything does not pass. (A norm that divides by n − 1 in the place of n does.)
///
/// Requires  c ≠ 0; something of x left to be divided.
inline bool forgets_the_factor(const Surds& x, const BlockNorm<Surd>& norm, const Surd& c,
                               const Primitives& primitives) {
  const auto y = normalized(x, norm, primitives);
  const auto z = normalized(product(c, x), norm, primitives);
  return points_along(divided(x, norm.kind), y) && z == (c > Surd(0) ? y : product(Surd(-1), y));
}

/// y = x + W·N(x): what leaves a residual connection whose branch is a norm and a matrix, given by
/// rows.
inline Surds with_skip(const Surds& x, const Surds& w, const BlockNorm<Surd>& norm,
                       const Primitives& primitives) {
  const auto n = normalized(x, norm, primitives);
  auto y = x;
  for (std::size_t i = 0; i < x.size(); ++i)
    for (std::size_t j = 0; j < x.size(); ++j) y[i] = y[i] + w[i * x.size() + j] * n[j];
  return y;
}

/// Whether c·x + W·N(c·x) points where x + W·N(x) does, so that a later RMSNorm could absorb c.
inline bool skip_forgets_the_factor(const Surds& x, const Surds& w, const BlockNorm<Surd>& norm,
                                    const Surd& c, const Primitives& primitives) {
  return points_along(with_skip(x, w, norm, primitives),
                      with_skip(product(c, x), w, norm, primitives));
}

/// Whether N_ε(x) is what is divided over √(s + ε), or over √s + ε: N_0(x) times one factor, at
/// most 1. Compared by squares in the first case, where N_0 and N_ε have different roots.
inline bool epsilon_only_shrinks(const Surds& x, const BlockNorm<Surd>& norm,
                                 const Primitives& primitives) {
  const auto parts = divided(x, norm.kind), y = normalized(x, norm, primitives);
  const Surd s = mean_square(parts), zero(0);
  for (std::size_t j = 0; j < x.size(); ++j) {
    const Surd& part = parts[j];
    const bool met = norm.placement == EpsilonPlacement::variance
                         ? y[j] * y[j] * (s + norm.epsilon) == part * part && y[j] * part >= zero
                         : y[j] == part / (sqrt(s) + norm.epsilon);
    if (!met) return false;
  }
  return true;
}

}  // namespace embedscale::properties::normalization
