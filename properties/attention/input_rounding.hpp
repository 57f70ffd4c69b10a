#pragma once
// What rounding makes of a factor at the input: measures of factor_is_a_temperature and
// projections_absorb_the_factor in floating point. A head is drawn from one index, so that a case
// is one integer.
#include <embedscale/format.hpp>
#include <embedscale/random.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include "input_logits.hpp"

namespace embedscale::properties::attention::input {

/// A head of at most 16 channels, 8 of them in q and k, with 2 to 8 keys: all entries of either
/// sign and 1/8 to 1 in size, so that with 2^−20 <= |c| <= 2^20 nothing under- or overflows in a
/// format with binary32's exponents, but for sums that cancel, which are exact where they are that
/// small.
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
  head.w_q = entries(d_k * d);
  head.w_k = entries(d_k * d);
  head.w_v = entries(d_k * d);
  for (std::size_t j = 0; j < n; ++j) head.x.push_back(entries(d));
  return without_biases(head);
}

/// s·Σ_a (Σ_i |W_Q||x_0|)(Σ_i |W_K||x_j|): what the rounding of a logit is measured by.
template <Scalar Real>
double absolute_logit(const Head<Real>& head, std::size_t j) {
  double sum = 0;
  for (std::size_t a = 0; a < head.d_k; ++a) {
    double q = 0, k = 0;
    for (std::size_t i = 0; i < head.d; ++i) {
      q += std::abs(static_cast<double>(head.w_q[a * head.d + i]) *
                    static_cast<double>(head.x[0][i]));
      k += std::abs(static_cast<double>(head.w_k[a * head.d + i]) *
                    static_cast<double>(head.x[j][i]));
    }
    sum += q * k;
  }
  return static_cast<double>(head.scale) * sum;
}

/// γ_n = nu/(1 − nu): n factors 1 + δ, |δ| <= u, or their reciprocals make at most 1 + γ_n.
template <class Real>
double gamma(std::size_t n) {
  const double nu = static_cast<double>(n) * unit_roundoff<Real>;
  return nu / (1 - nu);
}

/// Roundings that a term of a logit passes through: d in its element of q, d in that of k, d_k in
/// their product and its sum, one in the factor s.
template <Scalar Real>
std::size_t roundings(const Head<Real>& head) {
  return 2 * head.d + head.d_k + 1;
}

/// max_j |got_j − factor·z_j|, as a share of (γ_N + γ_(N+extra))·factor·absolute_logit: both sides
/// are within their γ of the exact value, `got` with `extra` roundings more. What is measured is
/// computed in double: at most 8 u′ of absolute_logit, as |z| <= 2·absolute_logit, d·u′ in that
/// itself; the unit of 64 u′ covers both and is added to the bound.
template <Scalar Real>
double share_of_bound(const Head<Real>& head, const std::vector<Real>& got,
                      const std::vector<Real>& z, double factor, std::size_t extra) {
  const std::size_t n = roundings(head);
  double worst = 0;
  for (std::size_t j = 0; j < z.size(); ++j) {
    const double apart = std::abs(static_cast<double>(got[j]) - factor * static_cast<double>(z[j]));
    const double bound =
        (gamma<Real>(n) + gamma<Real>(n + extra) + 64 * unit_roundoff<double>)*factor *
        absolute_logit(head, j);
    const double share = apart / bound;
    if (!(share <= worst)) worst = share;  // a NaN stays
  }
  return worst;
}

/// z(c·x) against c²·z(x): two roundings more, one for c·x_0 and one for c·x_j.
///
/// Requires  Real of at most 26 digits, so that c² is exact in double.
template <Scalar Real>
double temperature_share_of_bound(const Head<Real>& head, const Real& c,
                                  const PrimitivesIn<Real>& primitives) {
  const double square = static_cast<double>(c) * static_cast<double>(c);
  return share_of_bound(head, logits_of(times(head, c), primitives), logits_of(head, primitives),
                        square, 2);
}

/// The logits of c·x with W_Q/c, W_K/c against those of x: four roundings more.
template <Scalar Real>
double absorbed_share_of_bound(const Head<Real>& head, const Real& c,
                               const PrimitivesIn<Real>& primitives) {
  return share_of_bound(head, logits_of(absorbed(times(head, c), c, primitives), primitives),
                        logits_of(head, primitives), 1.0, 4);
}

/// The largest change of a logit that is left when W_Q/c and W_K/c stand against c·x, in
/// u·absolute_logit.
template <Scalar Real>
double largest_change(const Head<Real>& head, const Real& c, const PrimitivesIn<Real>& primitives) {
  const auto got = logits_of(absorbed(times(head, c), c, primitives), primitives);
  const auto z = logits_of(head, primitives);
  double worst = 0;
  for (std::size_t j = 0; j < z.size(); ++j)
    worst = std::max(worst, std::abs(static_cast<double>(got[j]) - static_cast<double>(z[j])) /
                                (unit_roundoff<Real> * absolute_logit(head, j)));
  return worst;
}

/// Whether z(c·x) has the bits of c²·z(x); so it has for c = ±2^k, where every step is shifted.
template <Scalar Real>
bool has_bits_of_temperature(const Head<Real>& head, const Real& c,
                             const PrimitivesIn<Real>& primitives) {
  return logits_of(times(head, c), primitives) == product(Real(c * c), logits_of(head, primitives));
}

/// Whether the absorbed head gives the bits of the logits and of their softmax.
template <AnalyticScalar Real>
bool has_bits_when_absorbed(const Head<Real>& head, const Real& c,
                            const PrimitivesIn<Real>& primitives) {
  auto got = logits_of(absorbed(times(head, c), c, primitives), primitives);
  auto z = logits_of(head, primitives);
  if (got != z) return false;
  primitives.softmax(std::span<Real>(got));
  primitives.softmax(std::span<Real>(z));
  return got == z;
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
                                     const Primitives& primitives) {
  auto z = logits_of(times(head, c), primitives);
  const auto [least, most] = std::ranges::minmax(z);
  const double range = most - least, n = static_cast<double>(z.size());
  primitives.of<double>().softmax(std::span<double>(z));
  const double gap = std::log(n) - entropy<double>(z);
  const double rounding = 2 * (2 * n + range + 10) * unit_roundoff<double> * (std::log(n) + 1);
  return std::max(gap, 0.0) / (range * range / 8 + rounding);
}

}  // namespace embedscale::properties::attention::input
