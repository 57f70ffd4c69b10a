#pragma once
// Which token is it, from x = t + p? The measures of first_channels_unusable: a reader takes the
// row of the table that is nearest to what it makes of x.
#include <embedscale/format.hpp>

#include <algorithm>
#include <cstddef>

#include "../domain/rationals.hpp"
#include "sums.hpp"

namespace embedscale::properties::concatenation {

using domain::Rational;

/// fl(row + p).
template <Scalar Real>
Vector<Real> input_of(const EmbeddingTable<Real>& table, std::size_t token, const Vector<Real>& p,
                      const PrimitivesIn<Real>& primitives) {
  Vector<Real> x;
  for (std::size_t j = 0; j < p.size(); ++j) x.push_back(primitives.sum(table.row(token)[j], p[j]));
  return x;
}

/// Whether the row of `token` is given back, and no other, by a reader who knows the position.
///
/// Requires  the row differs from all others.
inline bool reads_with_position(const EmbeddingTable<Rational>& table, std::size_t token,
                                const Vector<Rational>& p,
                                const PrimitivesIn<Rational>& primitives) {
  auto y = input_of(table, token, p, primitives);
  for (std::size_t j = 0; j < y.size(); ++j) y[j] = primitives.without(y[j], p[j]);
  return std::ranges::equal(y, table.row(token)) && primitives.nearest_row(table, y) == token;
}

/// What a reader who knows the position makes of a rounded sum.
struct RoundedReading {
  bool condition;  ///< 2u‖t + p‖ is below the distance to the nearest other row
  bool right;
};

/// The sum is rounded in Real, all else is exact: subtraction, distances, the condition.
///
/// Each channel of fl(t + p) is off by at most u|t + p| (a sum below the normal range is exact), so
/// y = fl(t + p) − p is off t by at most u‖t + p‖, which is less than half way to any other row.
template <Scalar Real>
RoundedReading reads_rounded(const EmbeddingTable<Real>& table, std::size_t token,
                             const Vector<Real>& p, const Primitives& primitives) {
  const auto exact = [](const Real& value) { return Rational(static_cast<double>(value)); };
  Vector<Rational> rows, y;
  for (std::size_t v = 0; v < table.vocabulary(); ++v)
    for (const Real& entry : table.row(v)) rows.push_back(exact(entry));
  const EmbeddingTable<Rational> exactly(table.vocabulary(), table.width(), rows);
  const auto x = input_of(table, token, p, primitives);
  Rational length(0), nearest(-1);
  for (std::size_t j = 0; j < p.size(); ++j) {
    const Rational sum = exact(table.row(token)[j]) + exact(p[j]);
    length += sum * sum;
    y.push_back(primitives.of<Rational>().without(exact(x[j]), exact(p[j])));
  }
  for (std::size_t v = 0; v < table.vocabulary(); ++v) {
    if (v == token) continue;
    const auto gap = squared_distance(exactly.row(token), exactly.row(v));
    if (nearest < 0 || gap < nearest) nearest = gap;
  }
  const Rational u(unit_roundoff<Real>);
  return {4 * u * u * length < nearest, primitives.of<Rational>().nearest_row(exactly, y) == token};
}

}  // namespace embedscale::properties::concatenation
