#pragma once
// What the claims about sums and concatenations are about: the library's functions, and beside them
// a reader and a count of costs.
#include <embedscale/attention.hpp>
#include <embedscale/combination.hpp>
#include <embedscale/concatenation.hpp>
#include <embedscale/embedding.hpp>
#include <embedscale/expected/cosine.hpp>
#include <embedscale/format.hpp>

#include <cstdint>
#include <span>
#include <type_traits>
#include <vector>

#include "../domain/rationals.hpp"
#include "../over.hpp"

namespace embedscale::properties::concatenation {

/// How position and token share the width of the input.
struct Shape {
  enum class Joining { sum, concatenation };
  Joining joining;
  std::uint64_t vocabulary, positions;  ///< V, and L: keys that one query sees
  std::uint64_t token_width, position_width;

  /// d of a sum (then both widths are d), d_t + d_p of a concatenation.
  constexpr std::uint64_t width() const {
    return joining == Joining::sum ? token_width : token_width + position_width;
  }
};

/// Of the parts that depend on how position and token are joined. Parameters of the whole model,
/// operations for one token; a fused multiply-add is two. Positions are computed, not learned;
/// biases, norms, softmax and activation are left out, the feed-forward layer is four times as wide
/// as the input. The block contains its projections.
struct Costs {
  std::uint64_t table, projections, block;  ///< parameters
  std::uint64_t input_operations, projection_operations, block_operations;
  constexpr std::uint64_t parameters() const { return table + block; }
  constexpr std::uint64_t operations() const { return input_operations + block_operations; }
  friend constexpr bool operator==(const Costs&, const Costs&) = default;
};

/// [w w].
template <Scalar Real>
std::vector<Real> tied(std::span<const Real> w) {
  std::vector<Real> out(2 * w.size());
  embedscale::concatenate<Real>(w, w, out);
  return out;
}

/// Σ (x_j − y_j)².
template <Scalar Real>
Real squared_distance(std::span<const Real> x, std::span<const Real> y) {
  Real sum(0);
  for (std::size_t j = 0; j < x.size(); ++j) sum = sum + (x[j] - y[j]) * (x[j] - y[j]);
  return sum;
}

/// The first of the rows that are nearest to y.
template <Scalar Real>
std::size_t first_nearest_row(const EmbeddingTable<Real>& table, std::span<const Real> y) {
  std::size_t best = 0;
  for (std::size_t v = 1; v < table.vocabulary(); ++v)
    if (squared_distance(table.row(v), y) < squared_distance(table.row(best), y)) best = v;
  return best;
}

/// cos², which stays rational.
template <Scalar Real>
Real cosine_squared(std::span<const Real> e, std::span<const Real> p) {
  const Real inner = embedscale::dot(e, p);
  return inner * inner / (embedscale::dot(e, e) * embedscale::dot(p, p));
}

constexpr Costs costs_of(const Shape& shape) {
  const std::uint64_t d_t = shape.token_width, w = shape.width();
  const std::uint64_t additions = shape.joining == Shape::Joining::sum ? w : 0;
  return {.table = shape.vocabulary * d_t,
          .projections = 4 * w * w,
          .block = 12 * w * w,
          .input_operations = d_t + additions,
          .projection_operations = 8 * w * w,
          .block_operations = 24 * w * w + 4 * shape.positions * w};
}

template <Scalar Real>
struct Operations {
  using Vector = std::span<const Real>;
  Operation<void(Vector e, Vector p, std::span<Real> out)> concatenate =
      embedscale::concatenate<Real>;
  Operation<void(Vector e, std::span<Real> out)> pad_right = embedscale::pad_right<Real>;
  Operation<void(Vector p, std::span<Real> out)> pad_left = embedscale::pad_left<Real>;
  Operation<Real(const Real& e, const Real& p)> sum = embedscale::sum<Real>;
  Operation<Real(Vector w, Vector x)> dot = embedscale::dot<Real>;
  Operation<std::vector<Real>(Vector w)> tie = tied<Real>;
  /// What is left of a channel x if the position is known.
  Operation<Real(const Real& x, const Real& p)> without = [](const Real& x, const Real& p) {
    return Real(x - p);
  };
  Operation<std::size_t(const EmbeddingTable<Real>& table, Vector y)> nearest_row =
      first_nearest_row<Real>;
  Operation<Real(Vector e, Vector p)> squared_cosine = cosine_squared<Real>;

  void list(Members& to) {
    EMBEDSCALE_LIST(to, concatenate, pad_right, pad_left, sum, dot, tie, without, nearest_row,
                    squared_cosine);
  }
};

/// The library's.
template <Scalar Real>
inline constexpr Operations<Real> library{};

struct Primitives : Over<Operations, domain::Rational, double, float, binary16, bfloat16> {
  Operation<Costs(const Shape& shape)> costs = costs_of;
  /// P(|cos| <= size) of a normal row of d channels.
  Operation<double(std::uint64_t d, double size)> cosine_within = expected::cosine_within;

  void list(Members& to) {
    Over::list(to);
    EMBEDSCALE_LIST(to, costs, cosine_within);
  }
};

/// What a measure takes; Primitives convert.
template <Scalar Real>
using PrimitivesIn = std::type_identity_t<Operations<Real>>;

}  // namespace embedscale::properties::concatenation
