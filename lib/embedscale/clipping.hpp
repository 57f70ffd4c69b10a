#pragma once
// Clipping by the norm of all gradients together: one factor for all of them.
#include <embedscale/attention.hpp>
#include <embedscale/scalar.hpp>

#include <span>

namespace embedscale {

/// The gradient of one parameter, and how much it counts: a parameter that was multiplied by s has
/// 1/s of the gradient, so that it counts as it did with the weight s.
template <Scalar Real>
struct GradientPart {
  std::span<const Real> gradient;
  Real weight = Real(1);
};

/// What every gradient of a step is multiplied by, so that their norm is at most max_norm:
///
///   min(1, max_norm/N)        N = √Σ (weight·‖gradient‖)²
///
/// and 1 for N = 0, whatever max_norm is.
///
/// PyTorch's clip_grad_norm_ has N + 10^−6 in the place of N, and no weights.
///
/// Requires  max_norm >= 0, which is not checked.
/// Ensures   with weights 1, another factor once a part was multiplied and a step clips; the same
///           one where each part's weight is what its parameter was multiplied by
///           [porting.global_clipping_parts]: to the bit where that is a power of two and nothing
///           under- or overflows, as squares of small gradients do.
/// Source    Pascanu, Mikolov and Bengio 2013, algorithm 1.
template <AnalyticScalar Real>
Real clipping_factor(std::span<const GradientPart<Real>> parts, const Real& max_norm) {
  using std::sqrt;
  Real squares(0);
  for (const auto& part : parts) {
    const Real square = dot(part.gradient, part.gradient);
    squares = squares + Real(Real(part.weight * part.weight) * square);
  }
  const Real norm = sqrt(squares);
  return norm > max_norm ? Real(max_norm / norm) : Real(1);
}

}  // namespace embedscale
