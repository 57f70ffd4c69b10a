#pragma once
// The logit that a shared table gives at initialisation to the very token that was put in.
//
// The state is x = m·e + p behind the final norm (ε = 0; what the blocks' branches add is left
// out), h = x/RMS(x), and the token's own logit z = c·⟨e, h⟩. Entries of e have mean 0 and
// deviation σ and are uncorrelated: E⟨e, m·e + p⟩ = m·d·σ² exactly, and to leading order in 1/d
//
//   E z = c·m·d·σ²/√q,   q the mean square of x
//
// For normal entries it is exact. With g = e/σ, y = g + p/(mσ) and μ = ‖p‖/(|m|σ),
//
//   E z = sgn(m)·c·σ·√d·J(d, μ)     J(n, μ) = E⟨g, y⟩/‖y‖ = (n − 1)·E 1/‖y‖
//
// as E g_j f(g) = E ∂f/∂g_j (Stein 1981). With 1/‖y‖ = π^−½ ∫ t^−½ exp(−t‖y‖²) dt, a Gaussian
// integral over y and 2t = tan²θ,
//
//   E 1/‖y‖ = √(2/π) ∫_0^{π/2} cos^{n−2}θ exp(−μ² sin²θ/2) dθ     n >= 2
//
// A LayerNorm takes a dimension away: x, p and e less their means over channels, n = d − 1.
// The other tokens' logits are normal of mean 0 and deviation |c|·σ·√d, whatever x is.
#include <embedscale/expected/normalization.hpp>
#include <embedscale/expected/softmax.hpp>

#include <cstddef>
#include <cstdint>

namespace embedscale::expected {

/// J(n, μ) = E⟨g, g + μ⟩/‖g + μ‖ over g ~ N(0, I_n), for a vector of length μ.
///
/// Requires  n >= 1, μ >= 0 and finite.   Errors  std::invalid_argument.
Expectation aligned_normal(std::uint64_t n, double mu);

/// A token of a shared table on its way from look-up to output.
struct TiedToken {
  std::size_t width = 1;         ///< d
  double deviation = 1;          ///< σ of the table's entries
  double multiplier = 1;         ///< m, of a row on the way in; not 0
  double output_multiplier = 1;  ///< c, of the logits
  Norm::Kind final_norm = Norm::Kind::rms_norm;
};

/// E z to leading order in 1/d, for entries of any law: `mean_square` is that of x, less its mean
/// over channels where the norm is a LayerNorm, which also takes 1/d of ⟨e, e⟩.
///
/// Requires  mean_square > 0.
double own_logit_to_leading_order(const TiedToken& token, double mean_square);

/// E z for normal entries, with p of this squared length (less its mean over channels where the
/// norm is a LayerNorm).
///
/// Requires  σ > 0, m ≠ 0, position_square >= 0; d >= 2 for a LayerNorm.
Expectation own_logit(const TiedToken& token, double position_square);

/// |c|·σ·√d: the deviation of every other token's logit, for a state of RMS 1.
double other_logit_deviation(const TiedToken& token);

}  // namespace embedscale::expected
