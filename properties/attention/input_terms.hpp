#pragma once
// The two parts of an input and the logits between them. Their means over signs: over all patterns
// of signs of W_Q, W_K and the tokens, which is an independent law of mean 0 for each, second
// moments are counted out instead of drawn. With whole numbers of few digits every sum is exact in
// double, so that what is compared is what is stated: parts are of two channels of at most 15 in
// size, factors at most 8, so that x <= 8·15 + 15, q and k <= 270, z <= 2·8·270², and Σz² over 2^8
// patterns stays below 2^8·1.4e12 < 2^53.
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "input_logits.hpp"

namespace embedscale::properties::attention::input {

/// The two parts of an input.
template <Scalar Real>
struct Parts {
  std::vector<Real> e, p;
  Parts token() const { return {e, std::vector<Real>(e.size(), Real(0))}; }
  Parts position() const { return {std::vector<Real>(e.size(), Real(0)), p}; }
};

/// The input that they make, m multiplying the first.
template <Scalar Real>
std::vector<Real> input_of(const Parts<Real>& parts, const Real& m,
                           const PrimitivesIn<Real>& primitives) {
  std::vector<Real> x;
  for (std::size_t j = 0; j < parts.e.size(); ++j)
    x.push_back(primitives.input(parts.e[j], parts.p[j], m));
  return x;
}

/// The logit of a query against a key under the head's weights, of which its x is no part.
template <Scalar Real>
Real logit_between(const Head<Real>& head, const Parts<Real>& query, const Parts<Real>& key,
                   const Real& m, const PrimitivesIn<Real>& primitives) {
  std::vector<Real> q(head.d_k, Real(0)), k = q;
  primitives.project(head.w_q, head.b_q, input_of(query, m, primitives), q);
  primitives.project(head.w_k, head.b_k, input_of(key, m, primitives), k);
  return primitives.logit(q, k, head.scale);
}

/// ±values[i] by bit first + i of the pattern.
inline std::vector<double> signed_by(std::uint64_t pattern, std::size_t first,
                                     std::vector<double> values) {
  for (std::size_t i = 0; i < values.size(); ++i)
    if ((pattern >> (first + i)) % 2 != 0) values[i] = -values[i];
  return values;
}

inline double square_of(const std::vector<double>& x) { return dot<double>(x, x); }

/// Whether the mean of z² over all signs of W_Q and W_K, of 2 channels each and entries ±1, is
/// s²·d_k·‖x_i‖²·‖x_j‖²: the mean square of one channel of W·x is ‖x‖².
inline bool moments_over_weights_are_stated(const Parts<double>& query, const Parts<double>& key,
                                            double m, double scale,
                                            const PrimitivesIn<double>& primitives) {
  constexpr std::size_t d = 2, d_k = 2, patterns = 1 << (2 * d_k * d);
  const std::vector<double> ones(d_k * d, 1.0), none(d_k, 0.0);
  const auto x = input_of(query, m, primitives), y = input_of(key, m, primitives);
  std::vector<double> q(d_k), k(d_k);
  double sum = 0;
  for (std::uint64_t pattern = 0; pattern < patterns; ++pattern) {
    primitives.project(signed_by(pattern, 0, ones), none, x, q);
    primitives.project(signed_by(pattern, d_k * d, ones), none, y, k);
    const double z = primitives.logit(q, k, scale);
    sum += z * z;
  }
  const auto square = [&](const Parts<double>& of) {
    return square_of({m * of.e[0] + of.p[0], m * of.e[1] + of.p[1]});
  };
  return sum == patterns * (scale * scale * 2 * square(query) * square(key));
}

/// What query and key have in common.
enum class Pairing {
  different_tokens,  ///< at different positions
  one_token,         ///< at different positions
  one_position       ///< i = j: token and position
};

/// Means over all signs of W_Q, W_K (one channel each) and the tokens: of z itself, and of the
/// squares of its terms, token·token to position·position, and of all of it.
struct Terms {
  double mean = 0;
  std::array<double, 5> squares{};
  bool add_up = true;  ///< whether z was the sum of its terms in every pattern
  bool operator==(const Terms&) const = default;
};

inline Terms terms_over_signs(const Parts<double>& query, const Parts<double>& other,
                              Pairing pairing, double m, double scale,
                              const PrimitivesIn<double>& primitives) {
  constexpr std::size_t d = 2, patterns = 1 << (4 * d);
  const auto& key_token = pairing == Pairing::different_tokens ? other.e : query.e;
  const auto& key_position = pairing == Pairing::one_position ? query.p : other.p;
  const std::size_t key_signs = pairing == Pairing::different_tokens ? 3 * d : 2 * d;
  const std::vector<double> ones(d, 1.0), none(d, 0.0);
  using In = std::span<const double>;
  Terms out;
  for (std::uint64_t pattern = 0; pattern < patterns; ++pattern) {
    // W·x of a token, a position and both.
    const auto projected = [&](std::size_t signs, const std::vector<double>& e,
                               const std::vector<double>& p) {
      const auto w = signed_by(pattern, signs, ones);
      std::array<double, 3> y{};
      std::size_t next = 0;
      for (const auto& [token, position] : {std::pair(&e, &none), {&none, &p}, {&e, &p}}) {
        std::array<double, d> x{};
        for (std::size_t c = 0; c < d; ++c) x[c] = primitives.input((*token)[c], (*position)[c], m);
        primitives.project(w, In(none).first(1), x, std::span(y).subspan(next++, 1));
      }
      return y;
    };
    const auto q = projected(0, signed_by(pattern, 2 * d, query.e), query.p);
    const auto k = projected(d, signed_by(pattern, key_signs, key_token), key_position);
    const auto logit = [&](std::size_t i, std::size_t j) {
      return primitives.logit(In(&q[i], 1), In(&k[j], 1), scale);
    };
    const std::array<double, 5> z{logit(0, 0), logit(0, 1), logit(1, 0), logit(1, 1), logit(2, 2)};
    out.mean += z[4] / patterns;
    for (std::size_t t = 0; t < z.size(); ++t) out.squares[t] += z[t] * z[t] / patterns;
    out.add_up = out.add_up && z[4] == z[0] + z[1] + z[2] + z[3];
  }
  return out;
}

/// Whether they are what they are meant to be: products of squared lengths; and for one token
/// 4·Σ t_c²·p_ic·p_jc in all of it, the mean of (2⟨t, p_i⟩)·(2⟨t, p_j⟩).
inline bool terms_are_stated(const Parts<double>& query, const Parts<double>& other,
                             Pairing pairing, double m, double scale,
                             const PrimitivesIn<double>& primitives) {
  const bool one_token = pairing != Pairing::different_tokens;
  const auto& p = pairing == Pairing::one_position ? query.p : other.p;
  const double s = scale * scale, t_i = m * m * square_of(query.e), p_i = square_of(query.p);
  const double t_j = one_token ? t_i : m * m * square_of(other.e), p_j = square_of(p);
  double shared = 0;
  if (one_token)
    for (std::size_t c = 0; c < p.size(); ++c)
      shared += 4 * m * m * query.e[c] * query.e[c] * query.p[c] * p[c];
  const Terms stated{0,
                     {s * t_i * t_j, s * t_i * p_j, s * p_i * t_j, s * p_i * p_j,
                      s * ((t_i + p_i) * (t_j + p_j) + shared)}};
  return terms_over_signs(query, other, pairing, m, scale, primitives) == stated;
}

}  // namespace embedscale::properties::attention::input
