#pragma once
// What the first projections make of an input x_l = t_l + p_l at initialisation, t random, p not:
// the variance of W·x, and how a first logit's mean square divides among its four terms.
//
//   z = s·⟨W_Q x_i, W_K x_j⟩ = z_tt + z_tp + z_pt + z_pp,  E z² = s²·d_k·σ_Q²·σ_K²·‖x_i‖²·‖x_j‖²
//
// over independent entries of W_Q and W_K of mean 0 and deviations σ_Q, σ_K. Over tokens of
// independent entries of mean 0, too, the cross products vanish, and each term has its own share.
// Every function here is a few operations on doubles: exact but for their roundings, each relative.
#include <embedscale/initializer.hpp>

#include <cstddef>

namespace embedscale::expected {

/// Shares of E z², the first word the query's side, the second the key's.
struct TermShares {
  double token_token, token_position, position_token, position_position;
};

/// The shares at mean squares T of the tokens and P of the positions, per channel, for different
/// tokens at different positions: T², TP, PT, P² over (T + P)².  Within 6 roundings.
///
/// Requires  T, P >= 0.
/// Errors    std::invalid_argument where both are 0: 0/0.
TermShares term_shares(double token, double position);

/// How many times E z² of different tokens it is at i = j: E‖x‖⁴/(E‖x‖²)², for token entries of
/// this kurtosis E t⁴/(E t²)² and any p of mean square P. As E‖t‖⁴ = d²T² + (κ − 1)dT² and
/// E⟨t, p⟩² = T·dP; odd moments of a symmetric law are 0.
double at_one_position(double token, double position, double kurtosis, std::size_t d);

/// The same for one token at two positions of ⟨p_i, p_j⟩ = overlap·d.
double of_one_token(double token, double position, double kurtosis, double overlap, std::size_t d);

/// Where the entries of W_Q (and W_K) come from.
enum class ProjectionLaw {
  xavier,           ///< uniform, 2/(fan_in + fan_out) on the (h·d_k, d) matrix of all heads
  xavier_per_head,  ///< the same on a (d_k, d) matrix for each head
  packed_xavier,    ///< the same on a (3·h·d_k, d) matrix of queries, keys and values
  nn_linear,        ///< PyTorch's nn.Linear, kaiming_uniform(a = √5): uniform, 1/(3·fan_in)
  normal,           ///< N(0, σ²), σ told
  normal_by_width   ///< N(0, 1/d)
};
struct ProjectionShape {
  std::size_t d_model = 1, d_k = 1, heads = 1;
};

/// The law of one entry.
///
/// Requires  sizes >= 1; σ > 0 where the law is `normal`, which alone reads it.
Initializer initializer_of(ProjectionLaw law, const ProjectionShape& shape, double sigma);

/// Var (W·x)_a = σ_W²·E‖x‖² over W, tokens and positions.
double projection_variance(double weight_variance, std::size_t d, double mean_square);

/// d ln/d ln d of the mean square 1/d + 1/2 of tokens of deviation d^−½ beside sinusoids, and so of
/// their first logits' deviation where σ_W² ∝ 1/d: no power law, −1 at small d and 0 at large.
double unscaled_exponent(double d);

}  // namespace embedscale::expected
