#pragma once
// Means over signs: over all patterns of signs of W_Q, W_K and the tokens, which is an independent
// law of mean 0 for each, second moments are counted out instead of drawn. With whole numbers of
// few digits every sum is exact in double, so that what is compared is what is stated.
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "input_logits.hpp"

namespace embedscale::properties::attention::input {

/// Whole numbers of at most 15 in size, so that Σz² over 2^8 patterns stays below 2^53 with d = 2
/// and factors of at most 8: x <= 8·15 + 15, q and k <= 270, z <= 2·8·270², z² <= 1.4e12.
struct Channels {
  static constexpr std::size_t d = 2;
  std::vector<double> e, p;  ///< of d channels: sizes of the token's entries, and a position
  double norm_of_token(double m) const { return m * m * (e[0] * e[0] + e[1] * e[1]); }
  double norm_of_position() const { return p[0] * p[0] + p[1] * p[1]; }
};

namespace detail {
inline double sign(std::uint64_t pattern, std::size_t bit) {
  return (pattern >> bit) % 2 == 0 ? 1.0 : -1.0;
}
inline std::vector<double> signs(std::uint64_t pattern, std::size_t first, std::size_t n) {
  std::vector<double> out(n);
  for (std::size_t i = 0; i < n; ++i) out[i] = sign(pattern, first + i);
  return out;
}
}  // namespace detail

/// The mean of z² over all signs of W_Q and W_K of 2 channels each, whose entries are ±1.
inline double mean_square_over_weights(const Channels& query, const Channels& key, double m,
                                       double scale, const Primitives& primitives) {
  constexpr std::size_t d = Channels::d, d_k = 2, patterns = 1 << (2 * d_k * d);
  Head<double> head{d, d_k, scale, {}, {}, {}, {}, {}, {}};
  head.b_q = head.b_k = {0, 0};
  head.x = {Parts<double>{query.e, query.p}.whole(m, primitives),
            Parts<double>{key.e, key.p}.whole(m, primitives)};
  double sum = 0;
  for (std::uint64_t pattern = 0; pattern < patterns; ++pattern) {
    head.w_q = detail::signs(pattern, 0, d_k * d);
    head.w_k = detail::signs(pattern, d_k * d, d_k * d);
    const double z = logits_of(head, primitives)[1];
    sum += z * z;
  }
  return sum / static_cast<double>(patterns);
}

/// Whether it is s²·d_k·‖x_i‖²·‖x_j‖², and the mean square of one channel of W·x is ‖x‖².
inline bool moments_over_weights_are_stated(const Channels& query, const Channels& key, double m,
                                            double scale, const Primitives& primitives) {
  const auto norm = [&](const Channels& c) {
    double sum = 0;
    for (std::size_t j = 0; j < Channels::d; ++j) {
      const double x = m * c.e[j] + c.p[j];
      sum += x * x;
    }
    return sum;
  };
  return mean_square_over_weights(query, key, m, scale, primitives) ==
         scale * scale * 2 * norm(query) * norm(key);
}

/// Whether the mean of (W·x)_a² over all signs of W and of the token is ‖t‖² + ‖p‖².
inline bool projection_moment_is_stated(const Channels& c, double m, const Primitives& primitives) {
  constexpr std::size_t d = Channels::d;
  const std::vector<double> none{0};
  double sum = 0;
  for (std::uint64_t pattern = 0; pattern < 16; ++pattern) {
    const auto w = detail::signs(pattern, 0, d);
    auto e = c.e;
    for (std::size_t j = 0; j < d; ++j) e[j] *= detail::sign(pattern, d + j);
    const auto x = Parts<double>{e, c.p}.whole(m, primitives);
    std::vector<double> out(1);
    primitives.of<double>().project(std::span<const double>(w), std::span<const double>(none),
                                    std::span<const double>(x), std::span<double>(out));
    sum += out[0] * out[0];
  }
  return sum == 16 * (c.norm_of_token(m) + c.norm_of_position());
}

/// What query and key have in common.
enum class Pairing {
  different_tokens,  ///< at different positions
  one_token,         ///< at different positions
  one_position       ///< i = j: token and position
};

/// Means over all signs of W_Q, W_K (one channel each) and the tokens: of z itself, of its four
/// terms' squares, and of z².
struct Terms {
  double mean = 0, token_token = 0, token_position = 0, position_token = 0, position_position = 0,
         all = 0;
  bool add_up = true;  ///< whether z was the sum of its terms in every pattern
  bool operator==(const Terms&) const = default;
};

inline Terms terms_over_signs(const Channels& query, const Channels& other, Pairing pairing,
                              double m, double scale, const Primitives& primitives) {
  constexpr std::size_t d = Channels::d, patterns = 1 << (4 * d);
  const Channels& key_token = pairing == Pairing::different_tokens ? other : query;
  const auto& key_position = pairing == Pairing::one_position ? query.p : other.p;
  const std::size_t key_signs = pairing == Pairing::different_tokens ? 3 * d : 2 * d;
  Terms out;
  Head<double> head{d, 1, scale, {}, {}, {}, {0}, {0}, {}};
  const auto mean = [](double& sum, double value) { sum += value / patterns; };
  for (std::uint64_t pattern = 0; pattern < patterns; ++pattern) {
    Parts<double> i{query.e, query.p}, j{key_token.e, key_position};
    for (std::size_t c = 0; c < d; ++c) {
      i.e[c] *= detail::sign(pattern, 2 * d + c);
      j.e[c] *= detail::sign(pattern, key_signs + c);
    }
    head.w_q = detail::signs(pattern, 0, d);
    head.w_k = detail::signs(pattern, d, d);
    const auto logit = [&](std::vector<double> q, std::vector<double> k) {
      head.x = {std::move(q), std::move(k)};
      return logits_of(head, primitives)[1];
    };
    const auto t_i = i.token(m, primitives), p_i = i.position(m, primitives);
    const auto t_j = j.token(m, primitives), p_j = j.position(m, primitives);
    const double tt = logit(t_i, t_j), tp = logit(t_i, p_j), pt = logit(p_i, t_j);
    const double pp = logit(p_i, p_j), z = logit(i.whole(m, primitives), j.whole(m, primitives));
    mean(out.mean, z);
    mean(out.token_token, tt * tt);
    mean(out.token_position, tp * tp);
    mean(out.position_token, pt * pt);
    mean(out.position_position, pp * pp);
    mean(out.all, z * z);
    out.add_up = out.add_up && z == tt + tp + pt + pp;
  }
  return out;
}

/// What they are meant to be: products of squared lengths; and for one token 4·Σ t_c²·p_ic·p_jc in
/// all of it, the mean of (2⟨t, p_i⟩)·(2⟨t, p_j⟩).
inline Terms stated_terms(const Channels& query, const Channels& other, Pairing pairing, double m,
                          double scale) {
  const double s = scale * scale, t_i = query.norm_of_token(m), p_i = query.norm_of_position();
  const double t_j = pairing == Pairing::different_tokens ? other.norm_of_token(m) : t_i;
  const auto& p = pairing == Pairing::one_position ? query : other;
  const double p_j = p.norm_of_position();
  double shared = 0;
  if (pairing != Pairing::different_tokens)
    for (std::size_t c = 0; c < Channels::d; ++c)
      shared += 4 * m * m * query.e[c] * query.e[c] * query.p[c] * p.p[c];
  return {.mean = 0,
          .token_token = s * t_i * t_j,
          .token_position = s * t_i * p_j,
          .position_token = s * p_i * t_j,
          .position_position = s * p_i * p_j,
          .all = s * ((t_i + p_i) * (t_j + p_j) + shared)};
}

inline bool terms_are_stated(const Channels& query, const Channels& other, Pairing pairing,
                             double m, double scale, const Primitives& primitives) {
  return terms_over_signs(query, other, pairing, m, scale, primitives) ==
         stated_terms(query, other, pairing, m, scale);
}

}  // namespace embedscale::properties::attention::input
