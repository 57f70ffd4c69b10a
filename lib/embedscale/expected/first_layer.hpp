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

#include <algorithm>
#include <cstddef>
#include <span>
#include <variant>
#include <vector>

namespace embedscale::expected {

/// Nothing is added for the position; L is the number of keys all the same.
struct NoTable {
  std::int64_t length = 1;
};
/// A learned table: entries independent, mean 0, mean square as given.
struct LearnedTable {
  double mean_square = 0;
  std::int64_t length = 1;
};

/// The sum that the first norm or the first block sees. Mean squares are per channel of the whole
/// width d, so that they add up: a part in half of the channels counts with half its own.
struct Input {
  std::size_t width = 1;          ///< d
  double token_mean_square = 0;   ///< of t
  double common_mean_square = 0;  ///< of s
  std::variant<NoTable, LearnedTable, SinusoidalTable> position = NoTable{};
};

/// Mean squares per channel, over positions, of what the first attention sees.
struct InputMoments {
  double all;        ///< A
  double over_keys;  ///< D: of the deviation from the mean over positions
  double token;      ///< the token part of A
  double position;   ///< the position part of A
};

/// Whether a norm takes the mean over channels away.
inline bool centres(std::span<const Norm> norms) {
  return std::ranges::any_of(norms, [](const Norm& n) { return n.kind == Norm::Kind::layer_norm; });
}

/// What the norms, one after another, multiply a sum by that has mean square q, and v once its mean
/// over channels is taken away.
inline double factor_of(std::span<const Norm> norms, double q, double v) {
  double factor = 1;
  bool centred = false;
  for (const Norm& norm : norms) {
    centred = centred || norm.kind == Norm::Kind::layer_norm;
    factor *= normalizing_factor((centred ? v : q) * factor * factor, norm);
  }
  return factor;
}

namespace detail {
struct PositionMoments {
  double mean_square, constant_share, length;
};
inline PositionMoments moments_of(const NoTable& table, std::size_t) {
  return {0, 0, static_cast<double>(table.length)};
}
inline PositionMoments moments_of(const LearnedTable& table, std::size_t) {
  const auto length = static_cast<double>(table.length);
  return {table.mean_square, 1 / length, length};
}
inline PositionMoments moments_of(const SinusoidalTable& table, std::size_t width) {
  return {mean_square(table) * (2.0 * static_cast<double>(table.frequencies.size())) /
              static_cast<double>(width),
          constant_share(table), static_cast<double>(table.length)};
}
inline PositionMoments moments_of(const Input& input) {
  return std::visit([&](const auto& table) { return moments_of(table, input.width); },
                    input.position);
}

/// Mean over channels of a sinusoidal position vector that fills some of `width` channels.
inline double channel_mean(std::span<const std::complex<double>> pairs, double width) {
  double sum = 0;
  for (const auto& pair : pairs) sum += pair.real() + pair.imag();
  return sum / width;
}
}  // namespace detail

/// q: the mean square of the sum.
inline double mean_square(const Input& input) {
  return input.token_mean_square + input.common_mean_square + detail::moments_of(input).mean_square;
}

/// v: the mean square of the sum less its mean over channels, q − E(mean over channels)². O(d·L)
/// for sinusoids, whose mean over channels μ_l depends on the position.
inline double centred_mean_square(const Input& input) {
  const auto d = static_cast<double>(input.width);
  const auto* table = std::get_if<SinusoidalTable>(&input.position);
  if (!table) return mean_square(input) * (1 - 1 / d);
  double squares = 0;
  for_each_position(*table, [&](std::span<const std::complex<double>> pairs) {
    const double mu = detail::channel_mean(pairs, d);
    squares += mu * mu;
  });
  const double random = input.token_mean_square + input.common_mean_square;
  return mean_square(input) - random / d - squares / static_cast<double>(table->length);
}

namespace detail {
/// LayerNorm over sinusoids: ‖p_l‖ is the same at every position, but μ_l is not, so v_l and with
/// it the norms' factor g_l differ. The mean key is mean_l g_l·(p_l − μ_l), and what is left of t
/// and s.
inline InputMoments centred_sinusoids(const Input& input, std::span<const Norm> norms,
                                      const SinusoidalTable& table) {
  const auto d = static_cast<double>(input.width), length = static_cast<double>(table.length);
  const double q = mean_square(input), p = moments_of(input).mean_square, centring = 1 - 1 / d;
  const double fresh = input.token_mean_square * centring;
  const double common = input.common_mean_square * centring;
  std::vector<std::complex<double>> mean(table.frequencies.size());
  double shift = 0, g_mean = 0, g2_mean = 0, spread_mean = 0;
  for_each_position(table, [&](std::span<const std::complex<double>> pairs) {
    const double mu = channel_mean(pairs, d), spread = p - mu * mu;
    const double g = factor_of(norms, q, fresh + common + spread);
    for (std::size_t i = 0; i < pairs.size(); ++i) mean[i] += g / length * pairs[i];
    shift += g / length * mu;
    g_mean += g / length;
    g2_mean += g * g / length;
    spread_mean += g * g / length * spread;
  });
  double constant = -shift * shift;
  for (const auto& pair : mean) constant += std::norm(pair) / d;
  const double all = (fresh + common) * g2_mean + spread_mean;
  return {.all = all,
          .over_keys = all - constant - fresh * g2_mean / length - common * g_mean * g_mean,
          .token = fresh * g2_mean,
          .position = spread_mean};
}
}  // namespace detail

/// The moments of an input behind `norms`, which stand in this order before the first attention.
/// O(d·L) where a LayerNorm sees sinusoids, else O(d).
///
/// Requires  d >= 1, L >= 1; no more sinusoidal channels than d.
/// Errors    std::invalid_argument where a norm would divide 0 by 0.
inline InputMoments input_moments(const Input& input, std::span<const Norm> norms) {
  const auto* table = std::get_if<SinusoidalTable>(&input.position);
  if (table && centres(norms)) return detail::centred_sinusoids(input, norms, *table);
  const auto p = detail::moments_of(input);
  const double q = mean_square(input);
  const double centring = centres(norms) ? 1 - 1 / static_cast<double>(input.width) : 1.0;
  const double factor = factor_of(norms, q, q * centring), scale = factor * factor * centring;
  return {.all = scale * q,
          .over_keys = scale * ((1 - 1 / p.length) * input.token_mean_square +
                                (1 - p.constant_share) * p.mean_square),
          .token = scale * input.token_mean_square,
          .position = scale * p.mean_square};
}

/// |scale|·√d_k·σ_q·σ_k·d·√(a·b): root mean square of a logit over weights, queries and keys, with
/// the mean squares a of the query's and b of the key's input.
inline double logit_std(double scale, double d_k, double sigma_q, double sigma_k, std::size_t d,
                        double query_mean_square, double key_mean_square) {
  return std::abs(scale) * std::sqrt(d_k) * sigma_q * sigma_k * static_cast<double>(d) *
         std::sqrt(query_mean_square) * std::sqrt(key_mean_square);
}

}  // namespace embedscale::expected
