#pragma once
// The loss that a shared table starts with where the target is the input token itself, or another
// one: expectations, which the loss at the mean logits is a lower bound of (ln Σ exp is convex).
//
// Behind the final norm ‖h‖ = √d: the n = V − 1 other logits are z_i ~ N(0, s²), s = |c|·σ·√d,
// whatever the own logit z is. Given z, with Gumbel variables G_i and X_i = z_i + G_i as in
// softmax.cpp, F their distribution, and X = z + G, the loss on the input token is
// E max(X, max X_i) − E X, or
//
//   ℓ(z) = E ln(1 + Σ exp(z_i − z)) = ∫ exp(−exp(z − x))·(1 − F^n(x)) dx
//
// where nothing cancels, however small it is. On another token it is E z more, as E z_i = 0.
//
// The own logit of normal entries (own_logit.hpp) is z = sgn(m)·c·σ·√d·U. With g = e/σ = (a, b), a
// along p and of law N(0, 1), b the length of what is left, χ of n − 1 degrees, and μ = ‖p‖/(|m|σ),
//
//   U = ⟨g, g + μ⟩/‖g + μ‖ = (a(a + μ) + b²)/√((a + μ)² + b²).
#include <embedscale/expected/own_logit.hpp>

#include <cstdint>
#include <vector>

namespace embedscale::expected {

/// ℓ(z) over n independent logits of deviation s, for any z of an interval.
///
/// Ensures   error below 10^−12 of ℓ. The time to construct one grows as 1 + s.
class LossBeside {
 public:
  /// For z from `least` to `greatest`.
  ///
  /// Errors    std::invalid_argument where s is not above 0 and finite, n is 0, or they are no
  ///           interval.
  LossBeside(double s, std::uint64_t n, double least, double greatest);
  double operator()(double z) const;

 private:
  double first_;
  std::vector<double> any_above_;  ///< 1 − F^n, step by step from first_
  std::vector<double> rest_;       ///< its sums from there to the end
};

/// E[loss] of V words where the target is the input token, with p of this squared length (less its
/// mean over channels behind a LayerNorm).
///
/// Ensures   error has the change by the last halving of the step in a and ln b, and what the rule
///           then errs by for E z, as a share: some 10^−7 from d = 16 on; below, where the law of U
///           has a corner, up to some 10^−3.
/// Requires  as own_logit; V >= 2, d >= 2, and 3 for a LayerNorm.
/// Errors    std::invalid_argument.
Expectation loss_on_itself(const TiedToken& token, double position_square,
                           std::uint64_t vocabulary);

}  // namespace embedscale::expected
