#pragma once
// How the residual stream of a pre-norm stack grows at initialisation, block by block, and what is
// left in it of the token that was put in.
//
// Each branch ends in a matrix of mean 0 that is drawn apart from all before it. So E⟨e, branch⟩ =
// E⟨x, branch⟩ = 0 exactly, for the token's row e and the state x: the overlap ⟨e, x⟩ keeps its
// mean at every depth, and the mean square of x grows by that of the branch. Both norms make
// ‖N(x)‖² = d. With Xavier's matrices of any symmetric law, variance 2/(fan-in + fan-out), no
// biases and r = d_ff/d the two branches of a block have, exactly,
//
//   network     2r/(1 + r)²: 8/25 for r = 4, as E relu(y)² = E y²/2
//   attention   A = E Σ a_j a_k ⟨N(x_j), N(x_k)⟩/d, of the mean of n states under the weights a: 1
//               for a single token, and never more
//
// A depends on the products of different tokens' states. To leading order in 1/d, with one
// correlation ρ for all pairs, the logits of a query are normal with covariance ρ + (1 − ρ)δ_jk,
// and those of two queries with ρ times that, so that with S = E Σ a_j² of n independent logits of
// variance 1 − ρ
//
//   A = ρ + (1 − ρ)·S           and for two queries  ρ + (1 − ρ)·E Σ a_j a′_j
//
// where (n·S)^ρ/n stands for E Σ a_j a′_j: right at ρ = 0 and 1, between to leading order in 1/n.
// Two tokens of correlation ρ leave the network with the product 2r/(1 + r)²·κ(ρ),
// κ(ρ) = (√(1 − ρ²) + ρ·(π − arccos ρ))/π (Cho and Saul 2009).
#include <cstdint>

namespace embedscale::expected {

/// Means over channels: of a state's square, and of the product of two tokens' states.
struct ResidualStream {
  double square, product;
};

/// 2r/(1 + r)².
constexpr double network_mean_square(double inner_over_width) {
  const double r = inner_over_width;
  return 2 * r / ((1 + r) * (1 + r));
}

/// Behind one more block, to leading order in 1/d.
///
/// Requires  |product| <= square, square > 0, n >= 1, r >= 0.
ResidualStream behind_block(const ResidualStream& at, std::uint64_t tokens,
                            double inner_over_width);

/// The share of a token of mean square `token_square` in the mean square of a stream that starts as
/// `start`, behind `blocks` more blocks: the quotient of both means, to leading order in 1/d.
///
/// Requires  0 <= token_square <= start.square, and what behind_block does; for the bounds n states
///           that can have one correlation: product >= −square/(n − 1).
/// Ensures   between token_square over start.square + blocks·(1 + network_mean_square) and over
///           start.square + blocks·network_mean_square: normalization.token_share_after_blocks
double token_share(double token_square, ResidualStream start, std::uint64_t blocks,
                   std::uint64_t tokens, double inner_over_width);

}  // namespace embedscale::expected
