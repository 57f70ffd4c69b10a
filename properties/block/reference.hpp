#pragma once
// A block by its formulas, written a second time: sums over explicit indices from the last to the
// first, softmax without a shift, the variance as E x² − (E x)². Tracked says by itself how far
// these other roundings may lead.
#include <embedscale/block.hpp>

#include <vector>

#include "primitives.hpp"

namespace embedscale::properties::block {

using Rows = std::vector<std::vector<Tracked>>;  ///< one for each token

/// W x + b for each row.
inline Rows reference_linear(const std::vector<Tracked>& w, const std::vector<Tracked>& b,
                             const Rows& x) {
  Rows out;
  for (const auto& row : x) {
    const std::size_t d = row.size();
    std::vector<Tracked> y(w.size() / d, Tracked(0));
    for (std::size_t i = 0; i < y.size(); ++i) {
      if (!b.empty()) y[i] = b[i];
      for (std::size_t j = d; j-- > 0;) y[i] = y[i] + w[i * d + j] * row[j];
    }
    out.push_back(y);
  }
  return out;
}

/// A(x). The scale is the number that the library takes, as both mean the same function.
inline Rows reference_attention(const EncoderBlock<Tracked>& block, const Rows& x) {
  const auto& w = block.weights;
  const std::size_t n = x.size(), d_k = block.shape.d_model / block.shape.heads;
  const auto q = reference_linear(w.query, w.query_bias, x);
  const auto k = reference_linear(w.key, w.key_bias, x);
  const auto v = reference_linear(w.value, w.value_bias, x);
  Rows means(n, std::vector<Tracked>(block.shape.d_model, Tracked(0)));
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t c = 0; c < block.shape.d_model; ++c) {
      const std::size_t first = c / d_k * d_k;  // the head's
      Tracked above(0), below(0);
      for (std::size_t j = n; j-- > 0;) {
        Tracked product(0);
        for (std::size_t l = first; l < first + d_k; ++l) product = product + q[i][l] * k[j][l];
        const Tracked power = exp(Tracked(product * attention_scale<Tracked>(d_k)));
        above = above + power * v[j][c];
        below = below + power;
      }
      means[i][c] = above / below;
    }
  return reference_linear(w.output, w.output_bias, means);
}

/// N(x).
inline Rows reference_norm(const BlockNorm<Tracked>& norm, Rows x) {
  for (auto& row : x) {
    const Tracked n(static_cast<int>(row.size()));
    Tracked sum(0), squares(0);
    for (const auto& value : row) sum = sum + value, squares = squares + value * value;
    const Tracked mean = norm.kind == NormKind::layer_norm ? Tracked(sum / n) : Tracked(0);
    const Tracked variance = squares / n - mean * mean;
    const Tracked size = norm.placement == EpsilonPlacement::variance
                             ? Tracked(sqrt(Tracked(variance + norm.epsilon)))
                             : Tracked(sqrt(variance) + norm.epsilon);
    for (auto& value : row) value = (value - mean) / size;
  }
  return x;
}

inline Rows operator+(Rows a, const Rows& b) {
  for (std::size_t i = 0; i < a.size(); ++i)
    for (std::size_t j = 0; j < a[i].size(); ++j) a[i][j] = a[i][j] + b[i][j];
  return a;
}

/// The block of x.
inline Rows reference_block(const EncoderBlock<Tracked>& block, const Rows& x) {
  const auto& w = block.weights;
  const auto norm = [&](const Rows& rows) { return reference_norm(block.norm, rows); };
  const auto network = [&](const Rows& rows) {
    auto hidden = reference_linear(w.inner, w.inner_bias, rows);
    for (auto& row : hidden)
      for (auto& value : row) value = value > Tracked(0) ? value : Tracked(0);
    return reference_linear(w.outer, w.outer_bias, hidden);
  };
  if (block.norms == NormPlacement::pre) {
    const auto y = x + reference_attention(block, norm(x));
    return y + network(norm(y));
  }
  const auto y = norm(x + reference_attention(block, x));
  return norm(y + network(y));
}

}  // namespace embedscale::properties::block
