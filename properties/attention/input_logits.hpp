#pragma once
// What a factor does to logits and outputs, decided without a tolerance: by rationals, or in whole
// numbers that double holds exactly. Measures of root_d_model_does_not_cancel,
// factor_is_a_temperature and projections_absorb_the_factor.
#include <embedscale/scalar.hpp>

#include <cstddef>
#include <span>
#include <vector>

#include "input_primitives.hpp"

namespace embedscale::properties::attention::input {

/// One head and its inputs. The first of them is the query, too.
template <Scalar Real>
struct Head {
  std::size_t d, d_k;
  Real scale;
  std::vector<Real> w_q, w_k, w_v;   ///< (d_k, d), row-major
  std::vector<Real> b_q, b_k;        ///< d_k
  std::vector<std::vector<Real>> x;  ///< keys of d channels
};

/// The same head on c·x.
template <Scalar Real>
Head<Real> times(Head<Real> head, const Real& c) {
  for (auto& x : head.x)
    for (Real& value : x) value = c * value;
  return head;
}

/// The same inputs with W_Q and W_K of the head that undoes c.
template <Scalar Real>
Head<Real> absorbed(Head<Real> head, const Real& c, const PrimitivesIn<Real>& primitives) {
  for (auto* w : {&head.w_q, &head.w_k})
    for (Real& value : *w) value = primitives.absorbed(value, c);
  return head;
}

/// With W_V in its place, too.
template <Scalar Real>
Head<Real> value_absorbed(Head<Real> head, const Real& c, const PrimitivesIn<Real>& primitives) {
  for (Real& value : head.w_v) value = primitives.absorbed(value, c);
  return head;
}

template <Scalar Real>
Head<Real> without_biases(Head<Real> head) {
  head.b_q.assign(head.d_k, Real(0));
  head.b_k.assign(head.d_k, Real(0));
  return head;
}

/// z_j of the query against each key.
template <Scalar Real>
std::vector<Real> logits_of(const Head<Real>& head, const PrimitivesIn<Real>& primitives) {
  const auto view = [](const std::vector<Real>& v) { return std::span<const Real>(v); };
  std::vector<Real> q(head.d_k, Real(0)), k(head.d_k, Real(0)), z;
  primitives.project(view(head.w_q), view(head.b_q), view(head.x[0]), std::span<Real>(q));
  for (const auto& x : head.x) {
    primitives.project(view(head.w_k), view(head.b_k), view(x), std::span<Real>(k));
    z.push_back(primitives.logit(view(q), view(k), head.scale));
  }
  return z;
}

/// Σ_j a_j·W_V x_j, for any weights a.
template <Scalar Real>
std::vector<Real> output_of(const Head<Real>& head, const std::vector<Real>& weights,
                            const PrimitivesIn<Real>& primitives) {
  const std::vector<Real> none(head.d_k, Real(0));
  std::vector<Real> rows(head.x.size() * head.d_k, Real(0)), out(head.d_k, Real(0));
  for (std::size_t j = 0; j < head.x.size(); ++j)
    primitives.project(std::span<const Real>(head.w_v), std::span<const Real>(none),
                       std::span<const Real>(head.x[j]),
                       std::span<Real>(rows).subspan(j * head.d_k, head.d_k));
  primitives.mix(std::span<const Real>(weights), std::span<const Real>(rows), std::span<Real>(out));
  return out;
}

template <Scalar Real>
std::vector<Real> product(const Real& c, std::vector<Real> values) {
  for (Real& value : values) value = c * value;
  return values;
}

/// s·⟨c·W_Q x_0 + b_Q, c·W_K x_j + b_K⟩ by its terms in c², c and 1: what a logit of c·x is meant
/// to be, written without the primitives under test.
template <Scalar Real>
Real meant_logit(const Head<Real>& head, std::size_t j, const Real& c) {
  Real square(0), linear(0), constant(0);
  for (std::size_t a = 0; a < head.d_k; ++a) {
    Real q(0), k(0);
    for (std::size_t i = 0; i < head.d; ++i) {
      q = q + head.w_q[a * head.d + i] * head.x[0][i];
      k = k + head.w_k[a * head.d + i] * head.x[j][i];
    }
    square = square + q * k;
    linear = linear + q * head.b_k[a] + head.b_q[a] * k;
    constant = constant + head.b_q[a] * head.b_k[a];
  }
  return head.scale * (c * c * square + c * linear + constant);
}

/// Whether every logit of c·x is what it is meant to be, biases or not.
template <Scalar Real>
bool logits_are_meant(const Head<Real>& head, const Real& c, const PrimitivesIn<Real>& primitives) {
  const auto z = logits_of(times(head, c), primitives);
  for (std::size_t j = 0; j < z.size(); ++j)
    if (!(z[j] == meant_logit(head, j, c))) return false;
  return true;
}

/// Whether z(c·x) = c²·z(x) for each key, without biases.
template <Scalar Real>
bool is_a_temperature(const Head<Real>& biased, const Real& c,
                      const PrimitivesIn<Real>& primitives) {
  const auto head = without_biases(biased);
  return logits_of(times(head, c), primitives) == product(Real(c * c), logits_of(head, primitives));
}

/// Whether two rows of logits have one softmax: they differ by the same number at each key.
template <Scalar Real>
bool same_weights(const std::vector<Real>& z, const std::vector<Real>& y) {
  for (std::size_t j = 1; j < z.size(); ++j)
    if (!(z[j] - z[0] == y[j] - y[0])) return false;
  return true;
}

/// Whether W_Q/c and W_K/c give c·x the logits that x had.
template <Scalar Real>
bool logits_are_absorbed(const Head<Real>& head, const Real& c,
                         const PrimitivesIn<Real>& primitives) {
  return logits_of(absorbed(times(head, c), c, primitives), primitives) ==
         logits_of(head, primitives);
}

/// Whether the output of c·x under the same weights is c times that of x, and with W_V/c the same.
template <Scalar Real>
bool values_keep_the_factor(const Head<Real>& head, const std::vector<Real>& weights, const Real& c,
                            const PrimitivesIn<Real>& primitives) {
  const auto scaled = times(head, c);
  const auto out = output_of(head, weights, primitives);
  return output_of(scaled, weights, primitives) == product(c, out) &&
         output_of(value_absorbed(scaled, c, primitives), weights, primitives) == out;
}

/// The two parts of an input, and what multiplies the first.
template <Scalar Real>
struct Parts {
  std::vector<Real> e, p;
  std::vector<Real> token(const Real& m, const PrimitivesIn<Real>& primitives) const {
    return each(m, primitives, e, std::vector<Real>(e.size(), Real(0)));
  }
  std::vector<Real> position(const Real& m, const PrimitivesIn<Real>& primitives) const {
    return each(m, primitives, std::vector<Real>(e.size(), Real(0)), p);
  }
  std::vector<Real> whole(const Real& m, const PrimitivesIn<Real>& primitives) const {
    return each(m, primitives, e, p);
  }

 private:
  static std::vector<Real> each(const Real& m, const PrimitivesIn<Real>& primitives,
                                const std::vector<Real>& e, const std::vector<Real>& p) {
    std::vector<Real> x;
    for (std::size_t j = 0; j < e.size(); ++j) x.push_back(primitives.input(e[j], p[j], m));
    return x;
  }
};

/// Whether m multiplies the token·token part of the logit by m² and s the whole of it by s. `head`
/// has the weights; its x, biases and scale are not looked at.
template <Scalar Real>
bool factors_multiply_as_stated(Head<Real> head, const Parts<Real>& query, const Parts<Real>& key,
                                const Real& m, const Real& s,
                                const PrimitivesIn<Real>& primitives) {
  head = without_biases(head);
  const auto logit = [&](const Real& multiplier, const Real& scale, const auto& part) {
    head.scale = scale;
    head.x = {part(query, multiplier), part(key, multiplier)};
    return logits_of(head, primitives)[1];
  };
  const auto token = [&](const Parts<Real>& x, const Real& by) { return x.token(by, primitives); };
  const auto whole = [&](const Parts<Real>& x, const Real& by) { return x.whole(by, primitives); };
  const Real one(1);
  return logit(m, s, token) == m * m * s * logit(one, one, token) &&
         logit(m, s, whole) == s * logit(m, one, whole);
}

}  // namespace embedscale::properties::attention::input
