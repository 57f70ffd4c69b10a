#pragma once
// The token table, its look-up with the gradient of that, and its multiplier.
#include <embedscale/scalar.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

namespace embedscale {

/// m = fl(√d): the real root rounded once to Real, as `sqrt(d)` cast to the model's format is.
///
/// Requires  d < 2^52. The root is taken in double first, and below that no root of an integer lies
///           so close to a midpoint of a format with at most 24 digits that double could tip it;
///           from there on some do (d = (2^26 + 4)² + 1 in binary32). Overflows to infinity in
///           binary16 from d = 65520² on. What is wider than double gets no more than its digits.
template <Scalar Real>
Real root_multiplier(std::uint64_t d) {
  return static_cast<Real>(std::sqrt(static_cast<double>(d)));
}

/// A (V, d) table of token vectors in row-major order.
template <Scalar Real>
class EmbeddingTable {
 public:
  /// Errors    std::invalid_argument where `values` is not V·d long or d is 0.
  EmbeddingTable(std::size_t vocabulary, std::size_t d, std::vector<Real> values)
      : d_(d), values_(std::move(values)) {
    if (d == 0) throw std::invalid_argument("EmbeddingTable: d is 0");
    require_size("EmbeddingTable: values", values_.size(), vocabulary * d);
  }

  std::size_t vocabulary() const { return values_.size() / d_; }
  std::size_t width() const { return d_; }
  /// All rows, one after another.
  std::span<const Real> values() const { return values_; }

  /// The row of `token`, d channels.  Errors    std::out_of_range for a token >= V.
  std::span<const Real> row(std::size_t token) const {
    if (token >= vocabulary())
      throw std::out_of_range("EmbeddingTable: token " + std::to_string(token) +
                              " in a vocabulary of " + std::to_string(vocabulary()));
    return std::span(values_).subspan(token * d_, d_);
  }

  /// out = fl(m·row(token)).  Requires out of size d.
  void look_up(std::size_t token, const Real& m, std::span<Real> out) const {
    const auto e = row(token);
    require_size("EmbeddingTable: output", out.size(), d_);
    for (std::size_t j = 0; j < d_; ++j) out[j] = m * e[j];
  }

  /// out = x·E, the rows weighted by x and summed from the first to the last: what a linear layer
  /// without a bias makes of x. Of a one-hot x it is the row of that token.
  ///
  /// Requires  x of size V, out of size d.
  void multiply(std::span<const Real> x, std::span<Real> out) const {
    require_size("EmbeddingTable: input", x.size(), vocabulary());
    require_size("EmbeddingTable: output", out.size(), d_);
    std::fill(out.begin(), out.end(), Real(0));
    for (std::size_t v = 0; v < x.size(); ++v)
      for (std::size_t j = 0; j < d_; ++j) out[j] = out[j] + Real(x[v] * values_[v * d_ + j]);
  }

 private:
  std::size_t d_;
  std::vector<Real> values_;
};

/// The gradient of a loss with respect to a (V, d) table whose rows were looked up, given its
/// slopes ∂L/∂x with respect to what came out, a row of d for each of `tokens`: row v of `gradient`
/// grows by fl(m·slope) for each time that v was looked up, in their order; all others stay.
///
/// Requires  slopes of size tokens·d.
/// Errors    std::out_of_range for a token that `gradient` has no row for.
template <Scalar Real>
void add_look_up_gradient(std::span<const std::size_t> tokens, std::span<const Real> slopes,
                          const Real& m, std::size_t d, std::span<Real> gradient) {
  require_size("add_look_up_gradient: slopes", slopes.size(), tokens.size() * d);
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    if (d == 0 || tokens[i] >= gradient.size() / d)
      throw std::out_of_range("add_look_up_gradient: token " + std::to_string(tokens[i]));
    for (std::size_t j = 0; j < d; ++j) {
      Real& entry = gradient[tokens[i] * d + j];
      entry = entry + m * slopes[i * d + j];
    }
  }
}

}  // namespace embedscale
