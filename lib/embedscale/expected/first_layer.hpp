#pragma once
// What the first attention sees at initialisation: second moments of its input, and of its logits.
//
// The input at position l is x_l = t_l + p_l + s: a token part drawn afresh for each position, a
// position part, and a part s that is the same at all positions (a segment). Entries of t and s are
// independent with mean 0; a learned p is, too; a sinusoidal p is what it is. Then come no, one or
// more norms. With W_Q, W_K independent with mean 0, a logit of query i and key j ≠ i,
// z = scale·⟨W_Q x_i, W_K x_j⟩ over d_k channels, has
//
//   E z² = scale²·d_k·σ_q²·σ_k²·E‖x_i‖²·E‖x_j‖²  =  (scale·√d_k·σ_q·σ_k·d·A)²     A = E‖x‖²/d
//
// and its deviation from the mean over one query's keys, with x_j less the mean key in x_j's place,
// the same with √(A·D) for A, where d·D = mean_l E‖x_l‖² − E‖mean_l x_l‖²: softmax sees only that.
//
// Without norms A and D are exact. That E‖x_i‖²‖x_j‖² = E‖x_i‖²·E‖x_j‖² is so where nothing is
// shared; a common part, and the query's own key among the L, correlate the two lengths, which adds
// terms of order 1/d. Behind norms, which divide by the sample's own mean square and not by its
// expectation, all of it is to leading order in 1/d.
#include <embedscale/expected/normalization.hpp>
#include <embedscale/expected/position_table.hpp>

#include <cstddef>
#include <cstdint>
#include <span>
#include <variant>

namespace embedscale::expected {

/// Nothing is added for the position; L is the number of keys all the same.
struct NoTable {
  std::int64_t length = 1;
  friend bool operator==(const NoTable&, const NoTable&) = default;
};
/// A learned table: entries independent, mean 0, mean square as given.
struct LearnedTable {
  double mean_square = 0;
  std::int64_t length = 1;
  friend bool operator==(const LearnedTable&, const LearnedTable&) = default;
};

/// The sum that the first norm or the first block sees. Mean squares are per channel of the whole
/// width d, so that they add up: a part in half of the channels counts with half its own.
struct Input {
  std::size_t width = 1;          ///< d
  double token_mean_square = 0;   ///< of t
  double common_mean_square = 0;  ///< of s
  std::variant<NoTable, LearnedTable, SinusoidalTable> position = NoTable{};

  friend bool operator==(const Input&, const Input&) = default;
};

/// Mean squares per channel, over positions, of what the first attention sees.
struct InputMoments {
  double all;        ///< A
  double over_keys;  ///< D: of the deviation from the mean over positions
  double token;      ///< the token part of A
  double position;   ///< the position part of A
};

/// Whether a norm takes the mean over channels away.
bool centres(std::span<const Norm> norms);

/// What the norms, one after another, multiply a sum by that has mean square q, and v once its mean
/// over channels is taken away.
double factor_of(std::span<const Norm> norms, double q, double v);

/// q: the mean square of the sum.
double mean_square(const Input& input);

/// v: the mean square of the sum less its mean over channels, q − E(mean over channels)². O(d·L)
/// for sinusoids, whose mean over channels μ_l depends on the position.
double centred_mean_square(const Input& input);

/// The moments of an input behind `norms`, which stand in this order before the first attention.
/// O(d·L) where a LayerNorm sees sinusoids, else O(d).
///
/// Requires  d >= 1, L >= 1; no more sinusoidal channels than d.
/// Errors    std::invalid_argument where a norm would divide 0 by 0.
InputMoments input_moments(const Input& input, std::span<const Norm> norms);

/// |scale|·√d_k·σ_q·σ_k·d·√(a·b): root mean square of a logit over weights, queries and keys, with
/// the mean squares a of the query's and b of the key's input.
double logit_std(double scale, double d_k, double sigma_q, double sigma_k, std::size_t d,
                 double query_mean_square, double key_mean_square);

}  // namespace embedscale::expected
