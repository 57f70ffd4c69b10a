#pragma once
// One encoder block: attention and a feed-forward network, each with a residual connection and a
// normalisation before it or after it, for n tokens of d_model channels in row-major order.
//
//   pre    y = x + A(N(x))      out = y + F(N(y))
//   post   y = N(x + A(x))      out = N(y + F(y))
//
// Gain 1 and bias 0 in N, as at initialisation; no mask, no dropout. Sums run from left to right in
// Real, one rounding per operation; block_gradient.hpp has the gradients.
#include <embedscale/attention.hpp>
#include <embedscale/feed_forward.hpp>
#include <embedscale/linear.hpp>
#include <embedscale/norm_placement.hpp>
#include <embedscale/normalization.hpp>
#include <embedscale/scalar.hpp>

#include <span>
#include <utility>
#include <vector>

namespace embedscale {

enum class NormKind { layer_norm, rms_norm };

/// Requires heads to divide d_model: d_k = d_model/heads.
struct BlockShape {
  std::size_t d_model, heads, d_ff;
};

/// Matrices are (out, in) in row-major order; an empty bias: none.
template <Scalar Real>
struct BlockWeights {
  std::vector<Real> query, key, value, output;  ///< (d_model, d_model)
  std::vector<Real> inner, outer;               ///< (d_ff, d_model), (d_model, d_ff)
  std::vector<Real> query_bias, key_bias, value_bias, output_bias, inner_bias, outer_bias;
};

template <Scalar Real>
struct BlockNorm {
  NormKind kind = NormKind::layer_norm;
  Real epsilon = Real(0);
  EpsilonPlacement placement = EpsilonPlacement::variance;
};

template <AnalyticScalar Real>
struct EncoderBlock {
  BlockShape shape;
  NormPlacement norms;
  BlockNorm<Real> norm;
  BlockWeights<Real> weights;
};

namespace detail {
// out's row = f(x's row), for each row of d.
template <Scalar Real, class Function>
void each_row(std::size_t d, std::span<const Real> x, std::span<Real> out, const Function& f) {
  for (std::size_t at = 0; at < x.size(); at += d) f(x.subspan(at, d), out.subspan(at, d));
}

inline void require_tokens(const BlockShape& shape, std::size_t x, std::size_t out) {
  if (shape.d_model == 0 || shape.heads == 0 || shape.d_model % shape.heads != 0)
    throw std::invalid_argument("block: heads do not divide d_model");
  if (x % shape.d_model != 0) throw std::invalid_argument("block: x is no whole number of tokens");
  require_size("block: out", out, x);
}

template <Scalar Real>
std::vector<Real> each_linear(const BlockShape& shape, const LinearLayer<Real>& layer,
                              std::span<const Real> x) {
  std::vector<Real> out(x.size(), Real(0));
  each_row<Real>(shape.d_model, x, out, [&](auto from, auto to) { linear<Real>(layer, from, to); });
  return out;
}

// Channels head·d_k … of each of n rows of d_model, as n rows of d_k.
template <Scalar Real>
std::vector<Real> columns_of_head(const BlockShape& shape, std::size_t head,
                                  std::span<const Real> rows) {
  const std::size_t d_k = shape.d_model / shape.heads;
  std::vector<Real> columns;
  for (std::size_t row = 0; row < rows.size(); row += shape.d_model)
    for (std::size_t j = 0; j < d_k; ++j) columns.push_back(rows[row + head * d_k + j]);
  return columns;
}

// The way back.
template <Scalar Real>
void put_columns_of_head(const BlockShape& shape, std::size_t head,
                         const std::vector<Real>& columns, std::span<Real> rows) {
  const std::size_t d_k = shape.d_model / shape.heads;
  for (std::size_t k = 0; k < columns.size(); ++k)
    rows[k / d_k * shape.d_model + head * d_k + k % d_k] = columns[k];
}

// Σ_j a_ij row_j for each i: a is (n, n), the rows and the result are (n, d_k).
template <Scalar Real>
std::vector<Real> mixed(std::size_t n, const std::vector<Real>& a, const std::vector<Real>& rows) {
  std::vector<Real> out(rows.size(), Real(0));
  for (std::size_t i = 0, d_k = n == 0 ? 0 : rows.size() / n; i < n; ++i)
    weighted_sum<Real>(std::span(a).subspan(i * n, n), rows, std::span(out).subspan(i * d_k, d_k));
  return out;
}

// What one head sees: its d_k channels of each token, and the (n, n) weights, a row for each query.
template <Scalar Real>
struct Head {
  std::vector<Real> queries, keys, values, weights;
};

template <AnalyticScalar Real>
std::vector<Head<Real>> heads_of(const BlockShape& shape, const BlockWeights<Real>& weights,
                                 std::span<const Real> x) {
  const std::size_t n = x.size() / shape.d_model, d_k = shape.d_model / shape.heads;
  const auto q = each_linear<Real>(shape, {weights.query, weights.query_bias}, x);
  const auto k = each_linear<Real>(shape, {weights.key, weights.key_bias}, x);
  const auto v = each_linear<Real>(shape, {weights.value, weights.value_bias}, x);
  std::vector<Head<Real>> heads;
  for (std::size_t h = 0; h < shape.heads; ++h) {
    Head<Real> head{columns_of_head<Real>(shape, h, q), columns_of_head<Real>(shape, h, k),
                    columns_of_head<Real>(shape, h, v), std::vector<Real>(n * n, Real(0))};
    for (std::size_t i = 0; i < n; ++i) {
      const auto row = std::span(head.weights).subspan(i * n, n);
      logits<Real>(std::span(head.queries).subspan(i * d_k, d_k), head.keys,
                   attention_scale<Real>(d_k), row);
      softmax<Real>(row);
    }
    heads.push_back(std::move(head));
  }
  return heads;
}
}  // namespace detail

/// Attention of each token to all n, itself included: the heads' means of values, side by side,
/// through the output's linear layer.
///
/// Requires  x and out of n·d_model, out may be x; heads divide d_model.
/// Errors    std::invalid_argument where the sizes disagree.
/// Source    Vaswani et al. 2017, section 3.2.2.
template <AnalyticScalar Real>
void self_attention(const BlockShape& shape, const BlockWeights<Real>& weights,
                    std::span<const Real> x, std::span<Real> out) {
  detail::require_tokens(shape, x.size(), out.size());
  const std::size_t n = x.size() / shape.d_model;
  std::vector<Real> means(x.size(), Real(0));
  std::size_t h = 0;
  for (const auto& head : detail::heads_of<Real>(shape, weights, x))
    detail::put_columns_of_head<Real>(shape, h++, detail::mixed(n, head.weights, head.values),
                                      means);
  detail::each_row<Real>(shape.d_model, means, out, [&](auto from, auto to) {
    linear<Real>({weights.output, weights.output_bias}, from, to);
  });
}

/// The feed-forward network of the block on each token by itself.
///
/// Requires  x and out of n·d_model, out may be x.
/// Errors    std::invalid_argument where the sizes disagree.
template <Scalar Real>
void feed_forward(const BlockShape& shape, const BlockWeights<Real>& weights,
                  std::span<const Real> x, std::span<Real> out) {
  detail::require_tokens(shape, x.size(), out.size());
  require_size("block: inner weights", weights.inner.size(), shape.d_ff * shape.d_model);
  detail::each_row<Real>(shape.d_model, x, out, [&](auto from, auto to) {
    feed_forward<Real>({weights.inner, weights.inner_bias}, {weights.outer, weights.outer_bias},
                       from, to);
  });
}

/// The block's normalisation of each token by itself. Requires and errors as layer_norm, rms_norm;
/// out may be x.
template <AnalyticScalar Real>
void normalize(const BlockShape& shape, const BlockNorm<Real>& norm, std::span<const Real> x,
               std::span<Real> out) {
  detail::require_tokens(shape, x.size(), out.size());
  detail::each_row<Real>(shape.d_model, x, out, [&](auto from, auto to) {
    if (norm.kind == NormKind::layer_norm)
      layer_norm<Real>(from, norm.epsilon, norm.placement, to);
    else
      rms_norm<Real>(from, norm.epsilon, norm.placement, to);
  });
}

/// One sub-layer S with its residual connection: x + S(N(x)), or N(x + S(x)).
///
/// S is a function of (std::span<const Real>, std::span<Real>); out may be x.
template <AnalyticScalar Real, class Sublayer>
void add_sublayer(const EncoderBlock<Real>& block, const Sublayer& sublayer,
                  std::span<const Real> x, std::span<Real> out) {
  std::vector<Real> branch(x.begin(), x.end());
  const bool pre = block.norms == NormPlacement::pre;
  if (pre) normalize<Real>(block.shape, block.norm, x, branch);
  sublayer(std::span<const Real>(branch), std::span<Real>(branch));
  require_size("block: out", out.size(), x.size());
  for (std::size_t i = 0; i < x.size(); ++i) out[i] = x[i] + branch[i];
  if (!pre) normalize<Real>(block.shape, block.norm, out, out);
}

/// The block: attention, then the feed-forward network, each with residual and norm.
///
/// Requires  x and out of n·d_model, out may be x; what self_attention, feed_forward, normalize do.
/// Errors    std::invalid_argument where the sizes disagree or a norm is 0/0.
/// Source    post-norm: Vaswani et al. 2017, section 3.1; pre-norm: Xiong et al. 2020, table 1.
template <AnalyticScalar Real>
void apply(const EncoderBlock<Real>& block, std::span<const Real> x, std::span<Real> out) {
  const auto attention = [&](auto from, auto to) {
    self_attention<Real>(block.shape, block.weights, from, to);
  };
  const auto network = [&](auto from, auto to) {
    feed_forward<Real>(block.shape, block.weights, from, to);
  };
  std::vector<Real> y(x.size(), Real(0));
  add_sublayer<Real>(block, attention, x, y);
  add_sublayer<Real>(block, network, y, out);
}

}  // namespace embedscale
