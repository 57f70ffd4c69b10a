#pragma once
// Blocks of doubles to the bit as the library's (a test compares), at a third of the time: a row of
// weights meets all tokens in tied_logits, whose sums do not wait for each other.
#include <embedscale/tied_output.hpp>

#include <algorithm>

#include "primitives.hpp"

namespace embedscale::properties::normalization {

/// linear of each token, a row of d channels.
inline std::vector<double> linear_by_rows(const LinearLayer<double>& layer, std::size_t d,
                                          std::span<const double> x) {
  const EmbeddingTable<double> tokens(x.size() / d, d, {x.begin(), x.end()});
  std::vector<double> row(tokens.vocabulary()), out(row.size() * (layer.weights.size() / d));
  for (std::size_t i = 0, width = layer.weights.size() / d; i < width; ++i) {
    tied_logits<double>(tokens, layer.weights.subspan(i * d, d), 1.0, row);
    for (std::size_t t = 0; t < row.size(); ++t)
      out[t * width + i] = layer.bias.empty() ? row[t] : row[t] + layer.bias[i];
  }
  return out;
}

inline void attention_by_rows(const BlockShape& shape, const BlockWeights<double>& w,
                              std::span<const double> x, std::span<double> out) {
  const std::size_t d = shape.d_model, n = x.size() / d, d_k = d / shape.heads;
  const auto q = linear_by_rows({w.query, w.query_bias}, d, x),
             k = linear_by_rows({w.key, w.key_bias}, d, x),
             v = linear_by_rows({w.value, w.value_bias}, d, x);
  std::vector<double> means(x.size()), a(n * n);
  for (std::size_t h = 0; h < shape.heads; ++h) {
    const auto of_head = [&](const auto& y) {
      return detail::columns_of_head<double>(shape, h, y);
    };
    const auto queries = of_head(q), keys = of_head(k);
    for (std::size_t i = 0; i < n; ++i) {
      const auto row = std::span(a).subspan(i * n, n);
      logits<double>(std::span(queries).subspan(i * d_k, d_k), keys, attention_scale<double>(d_k),
                     row);
      softmax<double>(row);
    }
    detail::put_columns_of_head<double>(shape, h, detail::mixed(n, a, of_head(v)), means);
  }
  std::ranges::copy(linear_by_rows({w.output, w.output_bias}, d, means), out.begin());
}

inline void network_by_rows(const BlockShape& shape, const BlockWeights<double>& w,
                            std::span<const double> x, std::span<double> out) {
  auto hidden = linear_by_rows({w.inner, w.inner_bias}, shape.d_model, x);
  std::ranges::transform(hidden, hidden.begin(), relu<double>);
  std::ranges::copy(linear_by_rows({w.outer, w.outer_bias}, shape.d_ff, hidden), out.begin());
}

/// The library's, these in the place of its own in double.
template <AnalyticScalar Real>
inline const BlockOperations<Real> by_rows = block_library<Real>;
template <>
inline const BlockOperations<double> by_rows<double> = {
    .attention_sublayer = sublayer<double, attention_by_rows>,
    .network_sublayer = sublayer<double, network_by_rows>,
    .branch = [](const auto& block, auto x, auto out) {
      normalize<double>(block.shape, block.norm, x, out);
      attention_by_rows(block.shape, block.weights, out, out);
    }};

}  // namespace embedscale::properties::normalization
