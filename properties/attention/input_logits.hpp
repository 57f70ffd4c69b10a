#pragma once
// What a factor does to logits and outputs: decided without a tolerance, by rationals or in whole
// numbers that double holds exactly, and what rounding makes of it. Measures of
// root_d_model_does_not_cancel, factor_is_a_temperature and projections_absorb_the_factor.
#include <embedscale/format.hpp>
#include <embedscale/random.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include "../evidence/rounding.hpp"
#include "primitives.hpp"

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

template <Scalar Real>
std::vector<Real> product(const Real& c, std::vector<Real> values) {
  for (Real& value : values) value = c * value;
  return values;
}

/// The same head on c·x.
template <Scalar Real>
Head<Real> times(Head<Real> head, const Real& c) {
  for (auto& x : head.x) x = product(c, x);
  return head;
}

/// The same inputs with W_Q and W_K of the head that undoes c, or with these matrices.
template <Scalar Real>
Head<Real> absorbing(Head<Real> head, const Real& c, const PrimitivesIn<Real>& primitives,
                     std::initializer_list<std::vector<Real> Head<Real>::*> matrices = {
                         &Head<Real>::w_q, &Head<Real>::w_k}) {
  for (const auto w : matrices)
    for (Real& value : head.*w) value = primitives.absorbed(value, c);
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
  std::vector<Real> q(head.d_k, Real(0)), k = q, z;
  primitives.project(head.w_q, head.b_q, head.x[0], q);
  for (const auto& x : head.x) {
    primitives.project(head.w_k, head.b_k, x, k);
    z.push_back(primitives.logit(q, k, head.scale));
  }
  return z;
}

/// Σ_j a_j·W_V x_j, for any weights a.
template <Scalar Real>
std::vector<Real> output_of(const Head<Real>& head, const std::vector<Real>& weights,
                            const PrimitivesIn<Real>& primitives) {
  const std::vector<Real> none(head.d_k, Real(0));
  std::vector<Real> rows, row = none, out = none;
  for (const auto& x : head.x) {
    primitives.project(head.w_v, none, x, row);
    rows.insert(rows.end(), row.begin(), row.end());
  }
  primitives.mix(weights, rows, out);
  return out;
}

/// s·⟨c·W_Q x_0 + b_Q, c·W_K x_j + b_K⟩ by its terms in c², c and 1: what a logit of c·x is meant
/// to be, written without the primitives under test.
inline domain::Rational meant_logit(const Head<domain::Rational>& head, std::size_t j,
                                    const domain::Rational& c) {
  domain::Rational square = 0, linear = 0, constant = 0;
  for (std::size_t a = 0; a < head.d_k; ++a) {
    domain::Rational q = 0, k = 0;
    for (std::size_t i = 0; i < head.d; ++i) {
      q += head.w_q[a * head.d + i] * head.x[0][i];
      k += head.w_k[a * head.d + i] * head.x[j][i];
    }
    square += q * k;
    linear += q * head.b_k[a] + head.b_q[a] * k;
    constant += head.b_q[a] * head.b_k[a];
  }
  return head.scale * (c * c * square + c * linear + constant);
}

/// Whether z(c·x) = c²·z(x) for each key, without biases; in floating point, whether it has the
/// bits of it: so it has for c = ±2^k, where every step is shifted.
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

/// Whether W_Q/c and W_K/c give c·x the logits that x had: in floating point, their bits.
template <Scalar Real>
bool logits_are_absorbed(const Head<Real>& head, const Real& c,
                         const PrimitivesIn<Real>& primitives) {
  return logits_of(absorbing(times(head, c), c, primitives), primitives) ==
         logits_of(head, primitives);
}

/// A head of at most 16 channels, 8 of them in q and k, with 2 to 8 keys, drawn from one index, so
/// that a case is one integer: all entries of either sign and 1/8 to 1 in size, so that with
/// 2^−20 <= |c| <= 2^20 nothing under- or overflows in a format with binary32's exponents, but for
/// sums that cancel, which are exact where they are that small.
template <Scalar Real>
Head<Real> drawn_head(const Stream& stream, std::uint64_t index) {
  const auto sizes = stream.block(index, 1);
  const std::size_t d = 1 + sizes[0] % 16, d_k = 1 + sizes[1] % 8, n = 2 + sizes[2] % 7;
  std::uint64_t next = 2;
  const auto entries = [&](std::size_t size) {
    std::vector<Real> out;
    for (std::size_t i = 0; i < size; i += 4)
      for (const auto word : stream.block(index, next++))
        if (out.size() < size) {
          const double unit = static_cast<double>(word >> 12) * 0x1p-52;
          const double entry = 0.125 + 0.875 * unit;
          out.push_back(static_cast<Real>(word % 2 == 0 ? entry : -entry));
        }
    return out;
  };
  Head<Real> head{
      d, d_k, static_cast<Real>(1 / std::sqrt(static_cast<double>(d_k))), {}, {}, {}, {}, {}, {}};
  for (auto* w : {&head.w_q, &head.w_k, &head.w_v}) *w = entries(d_k * d);
  for (std::size_t j = 0; j < n; ++j) head.x.push_back(entries(d));
  return without_biases(head);
}

/// s·Σ_a (Σ_i |W_Q||x_0|)(Σ_i |W_K||x_j|) of each key: what the rounding of a logit is measured by.
template <Scalar Real>
std::vector<double> absolute_logits(const Head<Real>& head) {
  const auto sizes = [](const std::vector<Real>& values) {
    std::vector<double> out;
    for (const Real& value : values) out.push_back(std::abs(static_cast<double>(value)));
    return out;
  };
  Head<double> absolute{
      head.d, head.d_k, static_cast<double>(head.scale), sizes(head.w_q), sizes(head.w_k), {}, {},
      {},     {}};
  for (const auto& x : head.x) absolute.x.push_back(sizes(x));
  return logits_of(without_biases(absolute), library<double>);
}

/// max_j |got_j − factor·z_j| in so many units of factor·absolute_logits; a NaN stays.
template <Scalar Real>
double largest_change(const Head<Real>& head, const std::vector<Real>& got,
                      const std::vector<Real>& z, double factor, double units) {
  const auto sizes = absolute_logits(head);
  double worst = 0;
  for (std::size_t j = 0; j < z.size(); ++j) {
    const double apart = std::abs(static_cast<double>(got[j]) - factor * static_cast<double>(z[j]));
    const double share = apart / (units * factor * sizes[j]);
    if (!(share <= worst)) worst = share;
  }
  return worst;
}

/// γ_N + γ_(N+more), where each of two logits is within its γ of the exact value and one has so
/// many roundings more. A term of a logit passes through N: d in its element of q, d in that of k,
/// d_k in their product and its sum, one in the factor s. What is measured is computed in double:
/// at most 8 u′ of absolute_logits, as |z| <= 2·absolute_logits, d·u′ in that itself; the unit of
/// 64 u′ covers both.
template <Scalar Real>
double rounding_of(const Head<Real>& head, std::size_t more) {
  const std::size_t n = 2 * head.d + head.d_k + 1;
  return gamma<Real>(n) + gamma<Real>(n + more) + 64 * unit_roundoff<double>;
}

/// z(c·x) against c²·z(x): two roundings more, one for c·x_0 and one for c·x_j.
///
/// Requires  Real of at most 26 digits, so that c² is exact in double.
template <Scalar Real>
double temperature_share_of_bound(const Head<Real>& head, const Real& c,
                                  const PrimitivesIn<Real>& primitives) {
  return largest_change(head, logits_of(times(head, c), primitives), logits_of(head, primitives),
                        static_cast<double>(c) * static_cast<double>(c), rounding_of(head, 2));
}

/// The largest change of a logit that is left when W_Q/c and W_K/c stand against c·x, in so many
/// units of absolute_logits: u, or the bound of four roundings more.
template <Scalar Real>
double largest_change_absorbed(const Head<Real>& head, const Real& c, double units,
                               const PrimitivesIn<Real>& primitives) {
  return largest_change(head, logits_of(absorbing(times(head, c), c, primitives), primitives),
                        logits_of(head, primitives), 1.0, units);
}
template <Scalar Real>
double absorbed_share_of_bound(const Head<Real>& head, const Real& c,
                               const PrimitivesIn<Real>& primitives) {
  return largest_change_absorbed(head, c, rounding_of(head, 4), primitives);
}

/// ln n − H of the weights of c·x, as a share of R²/8, R the range of their logits.
///
/// With w_β the softmax of βz, d(ln n − H)/dβ = β·Var_{w_β}(z) and Var <= R²/4 (Popoviciu), so that
/// ln n − H <= ∫ β R²/4 dβ = R²/8 at β = 1. Equality is approached by two keys as R → 0.
///
/// Rounding: a weight is off by t = (n + R + 4)u relatively (exp of a rounded difference, a sum of
/// n, a quotient), w ln w by t(|ln w| + 1)·w, whose sum is at most t(ln n + 1); logarithm, product
/// and sum add (n + 3)u·ln n, ln n and the difference 3u·ln n. In all (2n + R + 10)u·(ln n + 1),
/// doubled for higher orders. Logits count as given.
inline double entropy_share_of_bound(const Head<double>& head, double c,
                                     const PrimitivesIn<double>& primitives) {
  auto z = logits_of(times(head, c), primitives);
  const auto [least, most] = std::ranges::minmax(z);
  const double range = most - least, n = static_cast<double>(z.size());
  primitives.softmax(z);
  const double gap = std::log(n) - entropy<double>(z);
  const double rounding = 2 * (2 * n + range + 10) * unit_roundoff<double> * (std::log(n) + 1);
  return std::max(gap, 0.0) / (range * range / 8 + rounding);
}

}  // namespace embedscale::properties::attention::input
