#pragma once
// What comes back through the softmax: its Jacobian J = diag(a) − a·aᵀ, the gradient to the query,
// and how both are measured.
#include <embedscale/format.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numbers>
#include <span>
#include <vector>

#include "saturation.hpp"

namespace embedscale::properties::attention {

/// ‖J‖² (Frobenius) and tr J.
template <Scalar Real>
struct JacobianSize {
  Real square, trace;
  friend bool operator==(const JacobianSize&, const JacobianSize&) = default;
};

/// All weights but the largest, each over their sum b = 1 − max a: Σw² and Σw³. As the largest
/// logit moves, b does, and these stay.
template <Scalar Real>
struct Others {
  Real b{0}, squares{0}, cubes{0};

  Others() = default;
  /// Of a row of weights.  Requires  Σa = 1.
  explicit Others(std::span<const Real> a) {
    std::size_t top = 0;
    for (std::size_t j = 1; j < a.size(); ++j)
      if (a[top] < a[j]) top = j;
    for (std::size_t j = 0; j < a.size(); ++j)
      if (j != top) b = b + a[j];
    for (std::size_t j = 0; j < a.size() && !(b == Real(0)); ++j)
      if (j != top) add(a[j] / b);
  }
  void add(const Real& w) {
    const Real square = w * w;
    squares = squares + square;
    cubes = cubes + square * w;
  }
  /// ‖J‖²/b² and tr J/b, without cancellation where b is small. ‖J‖² rises with b up to ½: its
  /// terms go with b²(1 − b)², b³(1 − b) and b⁴, whose factors are not negative: Σw² >= Σw³, and
  /// the last is ‖·‖² of the others' own Jacobian.
  JacobianSize<Real> at(const Real& b) const {
    const Real a = Real(1) - b, two(2);
    return {a * a * (Real(1) + Real(3) * squares) + two * a * b * (squares - cubes) +
                b * b * (squares - two * cubes + squares * squares),
            two - b * (Real(1) + squares)};
  }
};

/// From sums of powers of all: ‖J‖² = Σa² − 2Σa³ + (Σa²)², tr J = 1 − Σa².
template <Scalar Real>
JacobianSize<Real> jacobian_size_by_powers(std::span<const Real> a) {
  Others<Real> sums;
  for (const Real& w : a) sums.add(w);
  const Real& squares = sums.squares;
  return {squares - Real(2) * sums.cubes + squares * squares, Real(1) - squares};
}

/// From the others of the largest.
template <Scalar Real>
JacobianSize<Real> jacobian_size(std::span<const Real> a) {
  const Others<Real> row(a);
  const auto size = row.at(row.b);
  return {size.square * row.b * row.b, size.trace * row.b};
}

/// The same from J's n columns, J e_j, as the primitive gives them.
template <Scalar Real>
JacobianSize<Real> jacobian_size_by_columns(std::span<const Real> a,
                                            const PrimitivesIn<Real>& primitives) {
  std::vector<Real> unit(a.size(), Real(0)), column(a.size());
  JacobianSize<Real> size{Real(0), Real(0)};
  for (std::size_t j = 0; j < a.size(); ++j) {
    unit[j] = Real(1);
    primitives.gradient(a, unit, column);
    for (const Real& x : column) size.square = size.square + x * x;
    size.trace = size.trace + column[j];
    unit[j] = Real(0);
  }
  return size;
}

/// |primitive − central difference| of the derivative of ⟨g, softmax(z)⟩ to each logit, as a share
/// of its bound, in 50 digits.
///
/// With a step of 2^−50 the difference quotient errs by h²/6 times a third derivative, below
/// 26·max|g|: that of a weight is one of its moments, (a_i(1 − a_i)) times a polynomial below 26.
/// Cancellation adds 2^−160 at most. In all 2^−97·max|g|.
inline double derivative_share_of_bound(const std::vector<double>& z, const std::vector<double>& g,
                                        const PrimitivesIn<exact::Decimal50>& primitives) {
  using Wide = exact::Decimal50;
  std::vector<Wide> upstream(g.begin(), g.end()), a(z.begin(), z.end()), out(z.size());
  primitives.softmax(a);
  primitives.gradient(a, upstream, out);
  const Wide step(0x1p-50);
  const auto loss = [&](std::size_t j, const Wide& moved) {
    std::vector<Wide> w(z.begin(), z.end());
    w[j] = w[j] + moved;
    primitives.softmax(w);
    Wide sum(0);
    for (std::size_t i = 0; i < w.size(); ++i) sum = sum + w[i] * upstream[i];
    return sum;
  };
  double worst = 0, largest = 0;
  for (const double x : g) largest = std::max(largest, std::abs(x));
  for (std::size_t j = 0; j < z.size(); ++j) {
    const Wide slope = (loss(j, step) - loss(j, Wide(-step))) / (Wide(2) * step);
    worst = std::max(worst, double(Wide(abs(Wide(slope - out[j])))));
  }
  return largest == 0 ? (worst == 0 ? 0.0 : HUGE_VAL) : worst / (0x1p-97 * largest);
}

/// The largest of three quotients, each at most 1 over the reals: ‖J‖/tr J, tr J/2(1 − max a), and
/// (1 − max a)/((n − 1)·exp(−gap)); 1 − max a and tr J are sums of positive terms here. Over what
/// rounding allows: e of sharper_share_of_bound for each weight, twice for the quotient, and n + 8.
///
/// ‖J‖ <= tr J as J is positive semidefinite, with all its eigenvalues in the trace.
inline double gap_share_of_bound(std::vector<double> z, const PrimitivesIn<double>& primitives) {
  const std::size_t n = z.size();
  const auto top = static_cast<std::size_t>(std::max_element(z.begin(), z.end()) - z.begin());
  double gap = HUGE_VAL, range = 0;
  for (std::size_t j = 0; j < n; ++j) {
    if (j != top) gap = std::min(gap, z[top] - z[j]);
    range = std::max(range, z[top] - z[j]);
  }
  primitives.softmax(z);
  const auto& a = z;
  const double square = jacobian_size_by_columns<double>(a, primitives).square;
  double trace = 0, others = 0;
  for (std::size_t j = 0; j < n; ++j) {
    double rest = 0;
    for (std::size_t i = 0; i < n; ++i) rest += i == j ? 0 : a[i];
    trace += a[j] * rest;
    others += j == top ? 0 : a[j];
  }
  // 1 − a_j of the primitive's own column cancels where a_j is near 1: absolute, 2u of each entry.
  const double u = unit_roundoff<double>, count = static_cast<double>(n);
  const double e = 1.01 * (4 * range + count + 6) * u, slack = 1 + 3 * e + (count + 8) * u;
  const double norm = std::max(0.0, std::sqrt(square) - 2 * count * u);
  return std::max({norm / trace, trace / (2 * others), others / ((count - 1) * std::exp(-gap))}) /
         slack;
}

/// ‖J‖ and tr J at logits s·ξ: far out b is small, and its square would be 0.
struct Jacobian {
  double norm, trace;
};
inline Jacobian jacobian(std::span<const double> xi, double s,
                         const PrimitivesIn<double>& primitives) {
  auto a = scaled(xi, s);
  primitives.softmax(a);
  const Others<double> row(a);
  const auto size = row.at(row.b);
  return {std::sqrt(size.square) * row.b, size.trace * row.b};
}

/// ‖J‖ of two logits as far apart as half of all pairs are, of deviation s: |N(0, 2s²)| has the
/// median 0.674…·√2·s.
inline double median_norm_of_two(double s, const PrimitivesIn<double>& primitives) {
  std::vector<double> a{0.67448975019608174 * std::numbers::sqrt2 * s, 0.0};
  primitives.softmax(a);
  return std::sqrt(jacobian_size_by_columns<double>(a, primitives).square);
}

/// The largest ξ at which ‖J‖ = x and b <= ½, given the others in falling order, at logits s·ξ: a
/// larger one makes ‖J‖ smaller. Others that are exp(−40) of the first are left out.
///
/// Where x <= 1/(2·√(n − 1)), n keys in all, ‖J‖ <= x exactly from there on: b > ½ makes tr J = 1 −
/// Σa² more than ½, and ‖J‖ >= tr J/√(n − 1), the rank of J being n − 1.
inline double largest_at_norm(double x, std::span<const double> others, double s) {
  double sum = 0;
  Others<double> row;
  for (const double xi : others) {
    const double w = std::exp(s * (xi - others[0]));
    if (w < 4e-18) break;
    sum += w, row.add(w);
  }
  row.squares /= sum * sum, row.cubes /= sum * sum * sum;
  double low = 0, high = 0.5;  // b
  while (high - low > 0x1p-50 * high) {
    const double b = (low + high) / 2;
    (std::sqrt(row.at(b).square) * b < x ? low : high) = b;
  }
  return others[0] + (std::log((1 - high) / high) + std::log(sum)) / s;
}

/// |largest ξ − that which ‖J‖ tells of it|, in logits, as a share of what rounding may make of it.
///
/// With weights off by a factor within 1 ± e, e of sharper_share_of_bound, and b <= ¼: the sizes of
/// the terms of ‖J‖² add up to 1.45 times it, each of four weights, so that ‖J‖ is off by 2.9e, and
/// by less than 1.8e for the sums. It goes at least with b^⅔, and (1 − b)/b moves by 4/3 of what b
/// does: 9.4e. The two logarithms, their sum and the halving make less than 2.6e.
///
/// Requires  ξ in falling order.
inline double largest_share_of_bound(std::span<const double> xi, double s,
                                     const PrimitivesIn<double>& primitives) {
  const double n = static_cast<double>(xi.size());
  const double e = 1.01 * (4 * s * (xi.front() - xi.back()) + n + 6) * unit_roundoff<double>;
  const double told = largest_at_norm(jacobian(xi, s, primitives).norm, xi.subspan(1), s);
  return s * std::abs(told - xi[0]) / (12 * e);
}

/// ‖∂loss/∂q‖ for z = c·⟨q, k_j⟩ with c = s/√d_k and ‖q‖ = √d_k, at n logits s·ξ_j and an upstream
/// gradient g of length 1: ∂loss/∂q = c·Σ_j (Jg)_j k_j. Its part along q is (s/√d_k)·⟨ξ, Jg⟩, as
/// ξ_j is the part of k_j along q; across it the keys are normal and independent of the logits, so
/// that its length is (s/√d_k)·‖Jg‖ times that of d_k − 1 normal numbers, `across`: in law the same
/// as with keys drawn in full.
///
/// Requires  d_k >= 1; g and ξ of one size, ‖g‖ = 1.
inline double query_gradient(std::span<const double> xi, std::span<const double> g, double across,
                             double s, std::uint64_t d_k, const PrimitivesIn<double>& primitives) {
  auto a = scaled(xi, s);
  primitives.softmax(a);
  std::vector<double> jg(a.size());
  primitives.gradient(a, g, jg);
  double along = 0, square = 0;
  for (std::size_t j = 0; j < jg.size(); ++j) along += xi[j] * jg[j], square += jg[j] * jg[j];
  const double c = s / std::sqrt(static_cast<double>(d_k));
  return c * std::sqrt(along * along + square * across * across);
}

}  // namespace embedscale::properties::attention
