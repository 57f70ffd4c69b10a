#pragma once
// The gradient of a loss with respect to a block's input, by hand: out = Jᵀ g, where g is the
// gradient with respect to the block's output (a vector–Jacobian product). With
// add_look_up_gradient of embedding.hpp it reaches the token table.
//
// Each step of the block is undone in turn, from the last to the first: what a number entered by
// two ways gets the sum of what comes back by both.
#include <embedscale/block.hpp>

#include <span>
#include <vector>

namespace embedscale {

namespace detail {
template <Scalar Real>
std::vector<Real> transposed(std::size_t n, const std::vector<Real>& a) {
  std::vector<Real> out(a.size(), Real(0));
  for (std::size_t k = 0; k < a.size(); ++k) out[k % n * n + k / n] = a[k];
  return out;
}

// Wᵀ a for each row a.
template <Scalar Real>
std::vector<Real> each_transposed(const BlockShape& shape, std::span<const Real> matrix,
                                  std::span<const Real> rows) {
  std::vector<Real> out(rows.size(), Real(0));
  each_row<Real>(shape.d_model, rows, out,
                 [&](auto from, auto to) { weighted_sum<Real>(from, matrix, to); });
  return out;
}

// s d z_ij = s (diag w_i − w_i w_iᵀ)_j <d c_i, v_j>: what comes back to <q_i, k_j>.
template <AnalyticScalar Real>
std::vector<Real> to_products(const Head<Real>& head, const std::vector<Real>& to_means,
                              std::size_t d_k) {
  const std::size_t n = to_means.size() / d_k;
  std::vector<Real> out(n * n, Real(0));
  for (std::size_t i = 0; i < n; ++i) {
    const auto row = std::span(out).subspan(i * n, n);
    logits<Real>(std::span(to_means).subspan(i * d_k, d_k), head.values, Real(1), row);
    softmax_gradient<Real>(std::span(head.weights).subspan(i * n, n), row, row);
    for (Real& value : row) value = attention_scale<Real>(d_k) * value;
  }
  return out;
}
}  // namespace detail

/// out = Jᵀ g through self_attention. With C the heads' means side by side, dC = W_Oᵀ g for each
/// token; in each head
///
///   c_i = Σ_j w_ij v_j        dv_j = Σ_i w_ij dc_i        dw_ij = <dc_i, v_j>
///   w_i = softmax(z_i)        dz_i = (diag w_i − w_i w_iᵀ) dw_i
///   z_ij = s <q_i, k_j>       dq_i = Σ_j s dz_ij k_j      dk_j = Σ_i s dz_ij q_i
///
/// and a token is query, key and value: out_l = W_Qᵀ dq_l + W_Kᵀ dk_l + W_Vᵀ dv_l. Biases enter by
/// the recomputed q, k and v alone.
///
/// Requires  as self_attention, upstream of its size; out may be x or upstream.
/// Errors    std::invalid_argument where the sizes disagree.
template <AnalyticScalar Real>
void self_attention_gradient(const BlockShape& shape, const BlockWeights<Real>& weights,
                             std::span<const Real> x, std::span<const Real> upstream,
                             std::span<Real> out) {
  detail::require_tokens(shape, x.size(), out.size());
  require_size("self_attention_gradient: upstream", upstream.size(), x.size());
  const std::size_t n = x.size() / shape.d_model, d_k = shape.d_model / shape.heads;
  const auto to_means = detail::each_transposed<Real>(shape, weights.output, upstream);
  std::vector<Real> to_q(x.size(), Real(0)), to_k = to_q, to_v = to_q;
  std::size_t h = 0;
  for (const auto& head : detail::heads_of<Real>(shape, weights, x)) {
    const auto to_mean = detail::columns_of_head<Real>(shape, h, to_means);
    const auto to_product = detail::to_products(head, to_mean, d_k);
    const auto put = [&](const std::vector<Real>& columns, std::span<Real> rows) {
      detail::put_columns_of_head<Real>(shape, h, columns, rows);
    };
    put(detail::mixed(n, to_product, head.keys), to_q);
    put(detail::mixed(n, detail::transposed(n, to_product), head.queries), to_k);
    put(detail::mixed(n, detail::transposed(n, head.weights), to_mean), to_v);
    ++h;
  }
  const auto by_query = detail::each_transposed<Real>(shape, weights.query, to_q);
  const auto by_key = detail::each_transposed<Real>(shape, weights.key, to_k);
  const auto by_value = detail::each_transposed<Real>(shape, weights.value, to_v);
  for (std::size_t i = 0; i < out.size(); ++i) {
    const Real both = by_query[i] + by_key[i];
    out[i] = both + by_value[i];
  }
}

/// out = Jᵀ g through the block's feed-forward network, each token by itself.
///
/// Requires  as feed_forward, upstream of its size; out may be x or upstream.
/// Errors    std::invalid_argument where the sizes disagree.
template <Scalar Real>
void feed_forward_gradient(const BlockShape& shape, const BlockWeights<Real>& weights,
                           std::span<const Real> x, std::span<const Real> upstream,
                           std::span<Real> out) {
  detail::require_tokens(shape, x.size(), out.size());
  require_size("feed_forward_gradient: upstream", upstream.size(), x.size());
  require_size("block: inner weights", weights.inner.size(), shape.d_ff * shape.d_model);
  for (std::size_t at = 0, d = shape.d_model; at < x.size(); at += d)
    feed_forward_gradient<Real>({weights.inner, weights.inner_bias},
                                {weights.outer, weights.outer_bias}, x.subspan(at, d),
                                upstream.subspan(at, d), out.subspan(at, d));
}

/// out = Jᵀ g through the block's normalisation. Requires and errors as layer_norm_gradient,
/// rms_norm_gradient; out may be x or upstream.
template <AnalyticScalar Real>
void normalize_gradient(const BlockShape& shape, const BlockNorm<Real>& norm,
                        std::span<const Real> x, std::span<const Real> upstream,
                        std::span<Real> out) {
  detail::require_tokens(shape, x.size(), out.size());
  require_size("normalize_gradient: upstream", upstream.size(), x.size());
  for (std::size_t at = 0, d = shape.d_model; at < x.size(); at += d) {
    const auto gradient =
        norm.kind == NormKind::layer_norm ? layer_norm_gradient<Real> : rms_norm_gradient<Real>;
    gradient(x.subspan(at, d), upstream.subspan(at, d), norm.epsilon, norm.placement,
             out.subspan(at, d));
  }
}

/// out = Jᵀ g through add_sublayer. With s = x + S(x), the way through S and the way past it add:
///
///   pre    out = g + N'(x)ᵀ S'(N(x))ᵀ g
///   post   out = h + S'(x)ᵀ h             h = N'(s)ᵀ g
///
/// `gradient` is that of S: a function of x, upstream and out, which may be upstream.
template <AnalyticScalar Real, class Sublayer, class Gradient>
void add_sublayer_gradient(const EncoderBlock<Real>& block, const Sublayer& sublayer,
                           const Gradient& gradient, std::span<const Real> x,
                           std::span<const Real> upstream, std::span<Real> out) {
  require_size("block: out", out.size(), x.size());
  require_size("block: upstream", upstream.size(), x.size());
  std::vector<Real> y(x.begin(), x.end()), past(upstream.begin(), upstream.end()), through;
  if (block.norms == NormPlacement::pre) {
    normalize<Real>(block.shape, block.norm, x, y);
    through = past;
    gradient(std::span<const Real>(y), std::span<const Real>(through), std::span<Real>(through));
    normalize_gradient<Real>(block.shape, block.norm, x, through, through);
  } else {
    sublayer(x, std::span<Real>(y));
    for (std::size_t i = 0; i < x.size(); ++i) y[i] = x[i] + y[i];
    normalize_gradient<Real>(block.shape, block.norm, y, past, past);
    through = past;
    gradient(x, std::span<const Real>(through), std::span<Real>(through));
  }
  for (std::size_t i = 0; i < x.size(); ++i) out[i] = past[i] + through[i];
}

/// out = Jᵀ g through the block: the feed-forward network's sub-layer, then attention's. What the
/// block computed on its way is computed again.
///
/// Requires  as apply, upstream of n·d_model; out may be x or upstream.
/// Errors    std::invalid_argument where the sizes disagree or a norm is 0/0.
template <AnalyticScalar Real>
void apply_gradient(const EncoderBlock<Real>& block, std::span<const Real> x,
                    std::span<const Real> upstream, std::span<Real> out) {
  const auto& shape = block.shape;
  const auto& weights = block.weights;
  const auto attention = [&](auto from, auto to) {
    self_attention<Real>(shape, weights, from, to);
  };
  const auto attention_back = [&](auto from, auto g, auto to) {
    self_attention_gradient<Real>(shape, weights, from, g, to);
  };
  const auto network = [&](auto from, auto to) { feed_forward<Real>(shape, weights, from, to); };
  const auto network_back = [&](auto from, auto g, auto to) {
    feed_forward_gradient<Real>(shape, weights, from, g, to);
  };
  std::vector<Real> y(x.size(), Real(0)), to_y(x.size(), Real(0));
  add_sublayer<Real>(block, attention, x, y);
  add_sublayer_gradient<Real>(block, network, network_back, y, upstream, to_y);
  add_sublayer_gradient<Real>(block, attention, attention_back, x, to_y, out);
}

}  // namespace embedscale
