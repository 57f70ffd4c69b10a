#pragma once
// One query against n keys: logits, weights, and how concentrated the weights are.
//
//   z_j = <q, k_j>/√d_k      w_j = exp(z_j)/Σ exp(z_i)      H = −Σ w_j ln w_j
//
// Every sum runs from left to right in Real, one rounding per operation, so that its error can be
// bounded by n·u and its bits do not depend on a vector length.
#include <embedscale/scalar.hpp>

#include <cmath>
#include <limits>
#include <span>

namespace embedscale {

/// <q, k> = Σ q_i k_i, from left to right.
///
/// Ensures   |computed − exact| <= γ_n Σ|q_i k_i|, γ_n = n·u/(1 − n·u), without underflow.
/// Errors    std::invalid_argument where the sizes differ.
/// Source    Higham 2002, section 3.1.
template <Scalar Real>
Real dot(std::span<const Real> q, std::span<const Real> k) {
  require_size("dot: second vector", k.size(), q.size());
  Real sum = Real(0);
  for (std::size_t i = 0; i < q.size(); ++i) {
    const Real product = q[i] * k[i];
    sum = sum + product;
  }
  return sum;
}

/// out[i] = <row_i, x>, each as dot sums it; `rows` holds (n, d) in row-major order. Four at once:
/// additions of one sum wait for each other, and those of the other rows fill the time.
///
/// Requires  x of size d, out of size n, rows of size n·d; out apart from both.
/// Errors    std::invalid_argument where the sizes disagree.
template <Scalar Real>
void dots(std::span<const Real> rows, std::span<const Real> x, std::span<Real> out) {
  require_size("dots: rows", rows.size(), out.size() * x.size());
  const std::size_t d = x.size(), in_fours = out.size() - out.size() % 4;
  for (std::size_t i = 0; i < in_fours; i += 4) {
    const auto row0 = rows.subspan(i * d, d), row1 = rows.subspan((i + 1) * d, d),
               row2 = rows.subspan((i + 2) * d, d), row3 = rows.subspan((i + 3) * d, d);
    Real sum0(0), sum1(0), sum2(0), sum3(0);
    for (std::size_t j = 0; j < d; ++j) {
      sum0 = sum0 + Real(row0[j] * x[j]);
      sum1 = sum1 + Real(row1[j] * x[j]);
      sum2 = sum2 + Real(row2[j] * x[j]);
      sum3 = sum3 + Real(row3[j] * x[j]);
    }
    out[i] = sum0, out[i + 1] = sum1, out[i + 2] = sum2, out[i + 3] = sum3;
  }
  for (std::size_t i = in_fours; i < out.size(); ++i) out[i] = dot(rows.subspan(i * d, d), x);
}

/// The factor 1/√d_k. Taken in double and rounded to Real, as frameworks keep it; in Real itself
/// where that is wider than double.
///
/// Errors    std::invalid_argument where d_k is 0.
/// Source    Vaswani et al. 2017, section 3.2.1.
template <AnalyticScalar Real>
Real attention_scale(std::size_t d_k) {
  if (d_k == 0) throw std::invalid_argument("attention_scale: d_k is 0");
  if constexpr (std::numeric_limits<Real>::digits > std::numeric_limits<double>::digits) {
    using std::sqrt;
    return Real(1) / sqrt(Real(static_cast<int>(d_k)));
  } else {
    return static_cast<Real>(1.0 / std::sqrt(static_cast<double>(d_k)));
  }
}

/// out[j] = fl(scale · <q, k_j>); `keys` holds (n, d_k) in row-major order.
///
/// Requires  q of size d_k, out of size n, keys of size n·d_k.
/// Errors    std::invalid_argument where the sizes disagree.
template <Scalar Real>
void logits(std::span<const Real> q, std::span<const Real> keys, const Real& scale,
            std::span<Real> out) {
  require_size("logits: keys", keys.size(), out.size() * q.size());
  dots(keys, q, out);
  for (Real& z : out) z = scale * z;
}

/// Replaces logits by weights, w_j = exp(z_j − max z)/Σ exp(z_i − max z), in place.
///
/// The largest exponential is exp(0) = 1, so none overflows, and the sum lies in [1, n].
/// Ensures   0 <= w_j <= 1; a masked entry (z_j = −∞) gets 0; Σw = 1 up to rounding. A +∞ or NaN
///           beside a finite entry makes NaNs, as ∞ − ∞ does.
/// Errors    std::invalid_argument where no entry exceeds −∞: an empty row, or one wholly masked,
///           has no weights to give.
template <AnalyticScalar Real>
void softmax(std::span<Real> z) {
  if (z.empty()) throw std::invalid_argument("softmax: an empty row");
  Real largest = z[0];
  for (const Real& value : z)
    if (largest < value) largest = value;
  if (largest == -std::numeric_limits<Real>::infinity())
    throw std::invalid_argument("softmax: every entry is masked (-inf)");
  using std::exp;
  Real sum = Real(0);
  for (Real& value : z) {
    value = exp(Real(value - largest));
    sum = sum + value;
  }
  for (Real& value : z) value = value / sum;
}

/// The gradient of a loss to the logits from its gradient g to the weights: out = J g with the
/// softmax's Jacobian J = diag(w) − w wᵀ, so out_j = w_j (g_j − Σ w_i g_i).
///
/// Requires  weights, upstream and out of one size; out may be upstream.
/// Errors    std::invalid_argument where the sizes disagree.
template <Scalar Real>
void softmax_gradient(std::span<const Real> weights, std::span<const Real> upstream,
                      std::span<Real> out) {
  require_size("softmax_gradient: out", out.size(), weights.size());
  const Real mean = dot(weights, upstream);
  for (std::size_t j = 0; j < out.size(); ++j) out[j] = weights[j] * Real(upstream[j] - mean);
}

/// H = −Σ w_j ln w_j in nats, with 0 ln 0 = 0: 0 for a single weight 1, ln n for n equal ones.
///
/// Requires  w_j >= 0; that they sum to 1 is not checked.
template <AnalyticScalar Real>
Real entropy(std::span<const Real> weights) {
  using std::log;
  Real sum = Real(0);
  for (const Real& w : weights) {
    if (w == Real(0)) continue;  // the limit of w ln w, where log would give −∞
    const Real term = w * log(w);
    sum = sum - term;
  }
  return sum;
}

}  // namespace embedscale
