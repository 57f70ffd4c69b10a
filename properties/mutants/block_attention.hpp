#pragma once
// Wrong gradients of self-attention, from the largest defect to the smallest.
#include <cmath>
#include <span>
#include <vector>

#include "../block.hpp"

namespace embedscale::properties::mutants {

/// What a wrong gradient weighs or leaves out in the place of this, which is right.
struct RightAttention {
  template <Scalar Real>
  static void through_softmax(std::span<const Real> w, std::span<const Real> g,
                              std::span<Real> out) {
    softmax_gradient<Real>(w, g, out);
  }
  static constexpr double query = 1, key = 1, value = 1;
  static double scale(const BlockShape& shape) {
    return attention_scale<double>(shape.d_model / shape.heads);
  }
};

template <class Way>
struct AttendsBack : block::Library {
  template <AnalyticScalar Real>
  static void self_attention_gradient(const BlockShape& shape, const BlockWeights<Real>& weights,
                                      std::span<const Real> x, std::span<const Real> upstream,
                                      std::span<Real> out) {
    namespace parts = embedscale::detail;
    const std::size_t n = x.size() / shape.d_model, d_k = shape.d_model / shape.heads;
    const auto to_means = parts::each_transposed<Real>(shape, weights.output, upstream);
    std::vector<Real> to_q(x.size(), Real(0)), to_k = to_q, to_v = to_q;
    std::size_t h = 0;
    for (const auto& head : parts::heads_of<Real>(shape, weights, x)) {
      const auto to_mean = parts::columns_of_head<Real>(shape, h, to_means);
      std::vector<Real> to_product(n * n, Real(0));
      for (std::size_t i = 0; i < n; ++i) {
        const auto row = std::span(to_product).subspan(i * n, n);
        logits<Real>(std::span(to_mean).subspan(i * d_k, d_k), head.values, Real(1), row);
        Way::template through_softmax<Real>(std::span(head.weights).subspan(i * n, n), row, row);
        for (Real& value : row) value = Real(Way::scale(shape)) * value;
      }
      parts::put_columns_of_head<Real>(shape, h, parts::mixed(n, to_product, head.keys), to_q);
      parts::put_columns_of_head<Real>(
          shape, h, parts::mixed(n, parts::transposed(n, to_product), head.queries), to_k);
      parts::put_columns_of_head<Real>(
          shape, h, parts::mixed(n, parts::transposed(n, head.weights), to_mean), to_v);
      ++h;
    }
    const auto q = parts::each_transposed<Real>(shape, weights.query, to_q);
    const auto k = parts::each_transposed<Real>(shape, weights.key, to_k);
    const auto v = parts::each_transposed<Real>(shape, weights.value, to_v);
    for (std::size_t i = 0; i < out.size(); ++i)
      out[i] = Real(Way::query) * q[i] + Real(Way::key) * k[i] + Real(Way::value) * v[i];
  }
};

/// The weights as if they were constants: back by the values alone.
struct ByValuesAlone : RightAttention {
  static constexpr double query = 0, key = 0;
};
using takes_weights_for_constants = AttendsBack<ByValuesAlone>;

/// Not by the keys.
struct NotByKeys : RightAttention {
  static constexpr double key = 0;
};
using forgets_the_way_by_keys = AttendsBack<NotByKeys>;

/// Not by the queries.
struct NotByQueries : RightAttention {
  static constexpr double query = 0;
};
using forgets_the_way_by_queries = AttendsBack<NotByQueries>;

/// Not by the values.
struct NotByValues : RightAttention {
  static constexpr double value = 0;
};
using forgets_the_way_by_values = AttendsBack<NotByValues>;

/// diag(w) for diag(w) − w wᵀ.
struct WithoutTheOuterProduct : RightAttention {
  template <Scalar Real>
  static void through_softmax(std::span<const Real> w, std::span<const Real> g,
                              std::span<Real> out) {
    for (std::size_t j = 0; j < w.size(); ++j) out[j] = w[j] * g[j];
  }
};
using leaves_the_outer_product_out = AttendsBack<WithoutTheOuterProduct>;

/// No scale on the way back.
struct Unscaled : RightAttention {
  static double scale(const BlockShape&) { return 1.0; }
};
using goes_back_unscaled = AttendsBack<Unscaled>;

/// The scale of one head of all channels.
struct ScaledByAll : RightAttention {
  static double scale(const BlockShape& shape) { return attention_scale<double>(shape.d_model); }
};
using goes_back_by_the_whole_width = AttendsBack<ScaledByAll>;

/// What comes by the keys is one part in 2^30 too large.
struct SlightlyMoreByKeys : RightAttention {
  static constexpr double key = 1.0 + 0x1p-30;
};
using weighs_keys_slightly_more = AttendsBack<SlightlyMoreByKeys>;

}  // namespace embedscale::properties::mutants
