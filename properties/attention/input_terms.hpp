#pragma once
// The two parts of an input and the logits between them. Their means over signs: over all patterns
// of signs of W_Q, W_K and the tokens, which is an independent law of mean 0 for each, second
// moments are counted out instead of drawn. With whole numbers of few digits every sum is exact in
// double, so that what is compared is what is stated: parts are of two channels of at most 15 in
// size, factors at most 8, so that x <= 8·15 + 15, q and k <= 270, z <= 2·8·270², and Σz² over 2^8
// patterns stays below 2^8·1.4e12 < 2^53.
#include <array>
#include <cstddef>
#include <span>
#include <vector>

#include "input_logits.hpp"
#include "moments.hpp"

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

inline double square_of(const std::vector<double>& x) { return dot<double>(x, x); }

/// Whether the mean of z² over all signs of W_Q and W_K, of 2 channels each and entries ±1, is
/// s²·d_k·‖x_i‖²·‖x_j‖²: the mean square of one channel of W·x is ‖x‖².
inline bool moments_over_weights_are_stated(const Parts<double>& query, const Parts<double>& key,
                                            double m, double scale,
                                            const PrimitivesIn<double>& primitives) {
  const auto square = [&](const Parts<double>& of) {
    return square_of({m * of.e[0] + of.p[0], m * of.e[1] + of.p[1]});
  };
  return scale * scale * 2 * square(query) * square(key) ==
         mean_square_over_signs(
             input_of(query, m, primitives), input_of(key, m, primitives), 2, Projections::separate,
             primitives,
             [&](const auto& q, const auto& k) { return primitives.logit(q, k, scale); });
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
  constexpr std::size_t d = 2, signs = 1 << d;
  using Three = std::array<double, 3>;  // W·x of a token, a position and both
  const auto projected = [&](const std::vector<double>& e, const std::vector<double>& p) {
    const std::vector<double> ones(d, 1.0), none(1, 0.0);
    std::array<std::array<Three, signs>, signs> all{};  // by the signs of W and of the token
    for (std::size_t w = 0; w < signs; ++w)
      for (std::size_t t = 0; t < signs; ++t) {
        const Parts<double> both{signed_by(t, 0, e), p};
        std::size_t next = 0;
        for (const auto& part : {both.token(), both.position(), both})
          primitives.project(signed_by(w, 0, ones), none, input_of(part, m, primitives),
                             std::span(all[w][t]).subspan(next++, 1));
      }
    return all;
  };
  Terms out;
  double count = 0;
  const auto add = [&](const Three& q, const Three& k) {
    const auto logit = [&](std::size_t i, std::size_t j) {
      return primitives.logit(std::span(q).subspan(i, 1), std::span(k).subspan(j, 1), scale);
    };
    const std::array<double, 5> z{logit(0, 0), logit(0, 1), logit(1, 0), logit(1, 1), logit(2, 2)};
    out.mean += z[4];
    for (std::size_t i = 0; i < z.size(); ++i) out.squares[i] += z[i] * z[i];
    out.add_up = out.add_up && z[4] == z[0] + z[1] + z[2] + z[3];
    ++count;
  };
  const bool different = pairing == Pairing::different_tokens;
  const auto of_q = projected(query.e, query.p);
  const auto of_k = projected(different ? other.e : query.e,
                              pairing == Pairing::one_position ? query.p : other.p);
  for (const auto& q : of_q)
    for (const auto& k : of_k)
      for (std::size_t t = 0; t < signs; ++t)
        for (std::size_t u = 0; u < signs; ++u)
          if (different || t == u) add(q[t], k[u]);
  out.mean /= count;
  for (double& square : out.squares) square /= count;
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
