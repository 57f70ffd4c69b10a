#pragma once
// Measures of a look-up as the product of a sparse vector and a table, and of its gradient.
#include <embedscale/format.hpp>

#include <cmath>
#include <cstdint>
#include <span>
#include <vector>

#include "../evidence/rounding.hpp"
#include "primitives.hpp"

namespace embedscale::properties::embedding {

/// Whether one-hot times table is what a look-up without a factor gives, in any format: the other
/// rows add zeros, which no rounding sees.
template <Scalar Real>
bool one_hot_is_row(const EmbeddingTable<Real>& table, std::size_t token,
                    const PrimitivesIn<Real>& primitives) {
  std::vector<Real> x(table.vocabulary(), Real(0));
  x[token] = Real(1);
  std::vector<Real> product(table.width(), Real(0)), row(table.width(), Real(0));
  primitives.multiply(table, std::span<const Real>(x), std::span<Real>(product));
  primitives.look_up(table, token, Real(1), std::span<Real>(row));
  for (std::size_t j = 0; j < row.size(); ++j)
    if (!(product[j] == row[j] && row[j] == table.row(token)[j])) return false;
  return true;
}

/// All tables of V entries ±σ as the 2^V channels of one: over channels they are all equally
/// likely, so that the entries are independent, of mean 0 and variance σ², exactly.
template <Scalar Real>
EmbeddingTable<Real> every_table_of_signs(std::size_t vocabulary, const Real& sigma) {
  std::vector<Real> values;
  for (std::size_t v = 0; v < vocabulary; ++v)
    for (std::size_t j = 0; j < std::size_t{1} << vocabulary; ++j)
      values.push_back((j >> v) % 2 == 0 ? sigma : Real(-sigma));
  return {vocabulary, std::size_t{1} << vocabulary, std::move(values)};
}

/// Variance of one channel of x·E over tables of independent entries ±σ, by going through all.
template <Scalar Real>
Real variance_over_tables(const std::vector<Real>& x, const Real& sigma,
                          const PrimitivesIn<Real>& primitives) {
  const auto tables = every_table_of_signs(x.size(), sigma);
  std::vector<Real> out(tables.width(), Real(0));
  primitives.multiply(tables, std::span<const Real>(x), std::span<Real>(out));
  Real sum(0), squares(0);
  for (const Real& y : out) {
    sum = sum + y;
    squares = squares + y * y;
  }
  const Real n(static_cast<int>(out.size()));
  return squares / n - sum / n * (sum / n);
}

/// Whether that is σ²·‖x‖².
template <Scalar Real>
bool variance_is_of_the_input(const std::vector<Real>& x, const Real& sigma,
                              const PrimitivesIn<Real>& primitives) {
  Real square(0);
  for (const Real& a : x) square = square + a * a;
  return variance_over_tables(x, sigma, primitives) == sigma * sigma * square;
}

/// What a loss sees of a batch: L = Σ (w·x + c·x²/2) over the channels of all looked-up vectors.
template <Scalar Real>
struct Batch {
  std::vector<std::size_t> tokens;
  std::vector<Real> w;  ///< a row of d for each token
  Real c;
};

template <Scalar Real>
std::vector<Real> inputs(const EmbeddingTable<Real>& table, const Batch<Real>& batch, const Real& m,
                         const PrimitivesIn<Real>& primitives) {
  const std::size_t d = table.width();
  std::vector<Real> x(batch.tokens.size() * d, Real(0));
  for (std::size_t i = 0; i < batch.tokens.size(); ++i)
    primitives.look_up(table, batch.tokens[i], m, std::span<Real>(x).subspan(i * d, d));
  return x;
}

template <Scalar Real>
Real loss(const EmbeddingTable<Real>& table, const Batch<Real>& batch, const Real& m,
          const PrimitivesIn<Real>& primitives) {
  const auto x = inputs(table, batch, m, primitives);
  Real sum(0);
  for (std::size_t i = 0; i < x.size(); ++i)
    sum = sum + batch.w[i] * x[i] + batch.c * x[i] * x[i] / Real(2);
  return sum;
}

/// The gradient of the loss with respect to the table, by the primitive, given ∂L/∂x = w + c·x.
template <Scalar Real>
std::vector<Real> gradient(const EmbeddingTable<Real>& table, const Batch<Real>& batch,
                           const Real& m, const PrimitivesIn<Real>& primitives) {
  auto slopes = inputs(table, batch, m, primitives);
  for (std::size_t i = 0; i < slopes.size(); ++i) slopes[i] = batch.w[i] + batch.c * slopes[i];
  std::vector<Real> out(table.vocabulary() * table.width(), Real(0));
  primitives.add_look_up_gradient(std::span<const std::size_t>(batch.tokens),
                                  std::span<const Real>(slopes), m, table.width(),
                                  std::span<Real>(out));
  return out;
}

/// Whether one entry of that gradient is the loss's own derivative, and m·Σ∂L/∂x over the positions
/// of its token, 0 without one. L is quadratic: (L(e + h) − L(e − h))/(2h) is its derivative
/// exactly, for every h.
template <Scalar Real>
bool gradient_is_of_the_loss(const std::vector<Real>& entries, std::size_t d,
                             const Batch<Real>& batch, std::size_t entry, const Real& m,
                             const PrimitivesIn<Real>& primitives) {
  const std::size_t vocabulary = entries.size() / d;
  const auto moved = [&](const Real& by) {
    auto values = entries;
    values[entry] = values[entry] + by;
    return loss(EmbeddingTable<Real>(vocabulary, d, values), batch, m, primitives);
  };
  const Real h(1), derivative = (moved(h) - moved(Real(-h))) / Real(2);
  const EmbeddingTable<Real> table(vocabulary, d, entries);
  Real sum(0);
  for (std::size_t i = 0; i < batch.tokens.size(); ++i)
    if (batch.tokens[i] == entry / d)
      sum = sum + batch.w[i * d + entry % d] + batch.c * m * entries[entry];
  const Real computed = gradient(table, batch, m, primitives)[entry];
  return computed == derivative && computed == m * sum;
}

/// The gradient of one entry whose token was looked up as often as there are slopes.
template <Scalar Real>
Real gradient_of_entry(const std::vector<Real>& slopes, const Real& m,
                       const PrimitivesIn<Real>& primitives) {
  std::vector<Real> out(1, Real(0));
  primitives.add_look_up_gradient(
      std::span<const std::size_t>(std::vector<std::size_t>(slopes.size(), 0)),
      std::span<const Real>(slopes), m, 1, std::span<Real>(out));
  return out[0];
}

/// |computed − m·Σ slopes| over its bound, in a format of at most 24 digits.
///
/// n products, each rounded once or off by half of the smallest subnormal, and n − 1 sums (the
/// first is with 0): n·u·|m|·Σ|slope| without higher orders (Jeannerod and Rump 2018), as for a dot
/// product. The exact sum is taken in double, where the products are exact: n·u′ more.
///
/// Requires  no overflow.
template <AnalyticScalar Real>
double gradient_share_of_bound(const std::vector<Real>& slopes, const Real& m,
                               const PrimitivesIn<Real>& primitives) {
  double exact = 0, size = 0;
  for (const Real& slope : slopes) {
    const double product = static_cast<double>(m) * static_cast<double>(slope);
    exact += product;
    size += std::abs(product);
  }
  const auto n = static_cast<double>(slopes.size());
  const double bound =
      n * (unit_roundoff<Real> + unit_roundoff<double>)*size + n * half_ulp<Real>(0.0);
  const double off =
      std::abs(static_cast<double>(gradient_of_entry(slopes, m, primitives)) - exact);
  return off == 0.0 ? 0.0 : off / bound;
}

}  // namespace embedscale::properties::embedding
