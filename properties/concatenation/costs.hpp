#pragma once
// The measure of costs: what the formulas say against a count of one run, number by number.
#include <compare>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "primitives.hpp"

namespace embedscale::properties::concatenation {

/// A number of which only the operations that it takes part in are counted: its value is 0.
struct Counted {
  /// Of this thread, since it began.
  static inline thread_local std::uint64_t operations = 0;

  Counted() = default;
  explicit Counted(int) {}
  static Counted one_more() { return ++operations, Counted(); }
  friend Counted operator+(Counted, Counted) { return one_more(); }
  friend Counted operator-(Counted, Counted) { return one_more(); }
  friend Counted operator*(Counted, Counted) { return one_more(); }
  friend Counted operator/(Counted, Counted) { return one_more(); }
  friend Counted operator-(Counted a) { return a; }
  friend auto operator<=>(const Counted&, const Counted&) = default;
};

/// The costs of a shape by running it once, for its last token: tables and matrices are there entry
/// by entry, and every operation is done. An inner product of d terms is d multiplications and d
/// additions, the first to 0.
inline Costs counted_costs(const Shape& shape) {
  using Row = std::vector<Counted>;
  struct Matrix {
    std::size_t rows, columns;
    Row entries;
    Matrix(std::size_t r, std::size_t c) : rows(r), columns(c), entries(r * c) {}
    Row times(const Row& x) const {
      Row out;
      for (std::size_t i = 0; i < rows; ++i)
        out.push_back(
            embedscale::dot<Counted>(std::span(entries).subspan(i * columns, columns), x));
      return out;
    }
  };
  const std::size_t d_t = shape.token_width, d_p = shape.position_width, w = shape.width();
  std::uint64_t counted_from = Counted::operations;
  const auto lap = [&] {
    const std::uint64_t from = counted_from;
    counted_from = Counted::operations;
    return counted_from - from;
  };
  const EmbeddingTable<Counted> table(shape.vocabulary, d_t, Row(shape.vocabulary * d_t));
  Row token(d_t), x(w);
  const Row position(d_p);
  table.look_up(0, Counted(1), token);
  if (shape.joining == Shape::Joining::sum)
    embedscale::combine<Counted>(token, position, x, embedscale::sum<Counted>);
  else
    embedscale::concatenate<Counted>(token, position, x);
  Costs counted{};
  counted.table = table.vocabulary() * table.width();
  counted.input_operations = lap();

  const Matrix query(w, w), key(w, w), value(w, w), output(w, w), up(4 * w, w), down(w, 4 * w);
  for (const Matrix* m : {&query, &key, &value, &output}) counted.projections += m->entries.size();
  counted.block = counted.projections + up.entries.size() + down.entries.size();
  const Row q = query.times(x), k = key.times(x), v = value.times(x);
  counted.projection_operations = lap();
  // Its L keys and values are there from the tokens before it; each was paid for by its own token.
  Row attended(w);
  for (std::uint64_t l = 0; l < shape.positions; ++l) {
    const Counted weight = embedscale::dot<Counted>(q, k);
    for (std::size_t j = 0; j < w; ++j) attended[j] = attended[j] + weight * v[j];
  }
  const std::uint64_t attention = lap();
  const Row joined = output.times(attended);
  counted.projection_operations += lap();
  (void)down.times(up.times(joined));
  counted.block_operations = counted.projection_operations + attention + lap();
  return counted;
}

/// Three models of one vocabulary: a sum of width d, and concatenations with d_p channels for
/// positions that are as wide as that, or whose tokens are.
struct Family {
  Shape sum, equal_width, equal_tokens;
};

/// Requires  1 <= d_p < d.
constexpr Family family_of(std::uint64_t vocabulary, std::uint64_t positions, std::uint64_t d,
                           std::uint64_t d_p) {
  using Joining = Shape::Joining;
  return {{Joining::sum, vocabulary, positions, d, d},
          {Joining::concatenation, vocabulary, positions, d - d_p, d_p},
          {Joining::concatenation, vocabulary, positions, d, d_p}};
}

}  // namespace embedscale::properties::concatenation
