#pragma once
// Measures of a look-up as the product of a sparse vector and a table, and of its gradient.
#include <embedscale/format.hpp>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <vector>

#include "../conventions/scale.hpp"
#include "../evidence/rounding.hpp"
#include "variance.hpp"

namespace embedscale::properties::embedding {

/// Whether one-hot times table is what a look-up without a factor gives, in any format: the other
/// rows add zeros, which no rounding sees.
template <Scalar Real>
bool one_hot_is_row(const EmbeddingTable<Real>& table, std::size_t token,
                    const PrimitivesIn<Real>& primitives) {
  std::vector<Real> x(table.vocabulary(), Real(0)), product(table.width(), Real(0));
  x[token] = Real(1);
  primitives.multiply(table, x, product);
  return product == conventions::looked_up(table, token, Real(1), primitives) &&
         std::ranges::equal(product, table.row(token));
}

/// Variance of one channel of x·E over tables of independent entries ±σ, by going through all: as
/// the 2^V channels of one table they are all equally likely, so that the entries are independent,
/// of mean 0 and variance σ², exactly.
inline Rational variance_over_tables(const std::vector<Rational>& x, const Rational& sigma,
                                     const PrimitivesIn<Rational>& primitives) {
  const std::size_t tables = std::size_t{1} << x.size();
  std::vector<Rational> values, out(tables);
  for (std::size_t v = 0; v < x.size(); ++v)
    for (std::size_t j = 0; j < tables; ++j) values.push_back((j >> v) % 2 == 0 ? sigma : -sigma);
  primitives.multiply({x.size(), tables, values}, x, out);
  return FiniteDistribution{out, std::vector<Rational>(tables, 1)}.variance();
}

/// What a loss sees of a batch: L = Σ (w·x + c·x²/2) over the channels of all looked-up vectors.
struct Batch {
  std::vector<std::size_t> tokens;
  std::vector<Rational> w;  ///< a row of d for each token
  Rational c;
};

inline std::vector<Rational> inputs(const EmbeddingTable<Rational>& table, const Batch& batch,
                                    const Rational& m, const PrimitivesIn<Rational>& primitives) {
  std::vector<Rational> x;
  for (const std::size_t token : batch.tokens)
    std::ranges::copy(conventions::looked_up(table, token, m, primitives), std::back_inserter(x));
  return x;
}

/// The gradient of the loss with respect to the table, by the primitive, given ∂L/∂x = w + c·x.
inline std::vector<Rational> gradient(const EmbeddingTable<Rational>& table, const Batch& batch,
                                      const Rational& m, const PrimitivesIn<Rational>& primitives) {
  auto slopes = inputs(table, batch, m, primitives);
  for (std::size_t i = 0; i < slopes.size(); ++i) slopes[i] = batch.w[i] + batch.c * slopes[i];
  std::vector<Rational> out(table.vocabulary() * table.width());
  primitives.add_look_up_gradient(batch.tokens, slopes, m, table.width(), out);
  return out;
}

/// Whether one entry of that gradient is the loss's own derivative, and m·Σ∂L/∂x over the positions
/// of its token, 0 without one. L is quadratic: (L(e + h) − L(e − h))/(2h) is its derivative
/// exactly, for every h.
inline bool gradient_is_of_the_loss(const std::vector<Rational>& entries, std::size_t d,
                                    const Batch& batch, std::size_t entry, const Rational& m,
                                    const PrimitivesIn<Rational>& primitives) {
  const auto moved = [&](int by) {
    auto values = entries;
    values[entry] += by;
    return EmbeddingTable<Rational>(entries.size() / d, d, values);
  };
  const auto loss = [&](const EmbeddingTable<Rational>& table) {
    const auto x = inputs(table, batch, m, primitives);
    Rational sum;
    for (std::size_t i = 0; i < x.size(); ++i) sum += batch.w[i] * x[i] + batch.c * x[i] * x[i] / 2;
    return sum;
  };
  Rational sum;
  for (std::size_t i = 0; i < batch.tokens.size(); ++i)
    if (batch.tokens[i] == entry / d)
      sum += batch.w[i * d + entry % d] + batch.c * m * entries[entry];
  const Rational computed = gradient(moved(0), batch, m, primitives)[entry];
  return computed == (loss(moved(1)) - loss(moved(-1))) / 2 && computed == m * sum;
}

/// The gradient of one entry whose token was looked up as often as there are slopes.
template <Scalar Real>
Real gradient_of_entry(const std::vector<Real>& slopes, const Real& m,
                       const PrimitivesIn<Real>& primitives) {
  std::vector<Real> out(1, Real(0));
  const std::vector<std::size_t> tokens(slopes.size(), 0);
  primitives.add_look_up_gradient(tokens, slopes, m, 1, out);
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
