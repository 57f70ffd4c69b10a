#pragma once
// What the mutants are made of: the gradients of attention and of a block a second time, with parts
// to be replaced, and the replacements of one kind each.
#include <algorithm>
#include <span>
#include <vector>

#include "primitives.hpp"
#include "trials.hpp"

namespace embedscale::properties::block {

/// The gradient of attention: right unless a part is replaced.
template <AnalyticScalar Real>
struct AttentionGradient {
  void (*through_softmax)(std::span<const Real> w, std::span<const Real> g,
                          std::span<Real> out) = softmax_gradient<Real>;
  double (*scale)(const BlockShape& shape) = [](const BlockShape& shape) {
    return attention_scale<double>(shape.d_model / shape.heads);
  };
  double by_query = 1, by_key = 1, by_value = 1;  ///< what comes back by each is multiplied by

  void operator()(const BlockShape& shape, const BlockWeights<Real>& weights,
                  std::span<const Real> x, std::span<const Real> upstream,
                  std::span<Real> out) const {
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
        through_softmax(std::span(head.weights).subspan(i * n, n), row, row);
        for (Real& value : row) value = Real(scale(shape)) * value;
      }
      const auto put = [&](const std::vector<Real>& columns, std::span<Real> rows) {
        parts::put_columns_of_head<Real>(shape, h, columns, rows);
      };
      put(parts::mixed(n, to_product, head.keys), to_q);
      put(parts::mixed(n, parts::transposed(n, to_product), head.queries), to_k);
      put(parts::mixed(n, parts::transposed(n, head.weights), to_mean), to_v);
      ++h;
    }
    const auto q = parts::each_transposed<Real>(shape, weights.query, to_q);
    const auto k = parts::each_transposed<Real>(shape, weights.key, to_k);
    const auto v = parts::each_transposed<Real>(shape, weights.value, to_v);
    for (std::size_t i = 0; i < out.size(); ++i)
      out[i] = Real(by_query) * q[i] + Real(by_key) * k[i] + Real(by_value) * v[i];
  }
};

/// The gradient of a block, sub-layer by sub-layer: right unless a part is replaced.
template <AnalyticScalar Real>
struct BlockGradient {
  using In = std::span<const Real>;
  using Out = std::span<Real>;
  using Block = EncoderBlock<Real>;
  void (*norm)(const Block& b, In x, In g, Out out) = [](const Block& b, In x, In g, Out out) {
    normalize_gradient<Real>(b.shape, b.norm, x, g, out);
  };
  Real (*past_attention)(const Real& g) = [](const Real& g) { return g; };
  Real (*past_network)(const Real& g) = [](const Real& g) { return g; };

  void operator()(const Block& b, In x, In upstream, Out out) const {
    const auto attention = [&](In from, Out to) {
      self_attention<Real>(b.shape, b.weights, from, to);
    };
    std::vector<Real> y(x.size(), Real(0));
    add_sublayer<Real>(b, attention, x, y);
    const auto to_y = step(
        b, y, upstream, past_network,
        [&](In from, Out to) { feed_forward<Real>(b.shape, b.weights, from, to); },
        [&](In from, In g, Out to) {
          feed_forward_gradient<Real>(b.shape, b.weights, from, g, to);
        });
    const auto to_x = step(b, x, to_y, past_attention, attention, [&](In from, In g, Out to) {
      self_attention_gradient<Real>(b.shape, b.weights, from, g, to);
    });
    std::ranges::copy(to_x, out.begin());
  }

 private:
  /// Back through a sub-layer f at x, and past it.
  std::vector<Real> step(const Block& b, In x, In g, Real (*past)(const Real&), const auto& f,
                         const auto& back) const {
    const bool pre = b.norms == NormPlacement::pre;
    std::vector<Real> s(x.begin(), x.end()), h(g.begin(), g.end());
    if (pre) {
      normalize<Real>(b.shape, b.norm, x, s);
    } else {
      f(x, Out(s));
      for (std::size_t i = 0; i < s.size(); ++i) s[i] = x[i] + s[i];
      norm(b, s, g, h);
    }
    std::vector<Real> through = h;
    back(pre ? In(s) : x, In(h), Out(through));
    if (pre) norm(b, x, through, through);
    for (std::size_t i = 0; i < h.size(); ++i) h[i] = past(h[i]) + through[i];
    return h;
  }
};

/// Another block: change(block).
template <class Change>
constexpr auto of_another(Change) {
  return testing::replacing([]<class Real>(Operations<Real>& to) {
    to.apply = [](const EncoderBlock<Real>& block, std::span<const Real> x, std::span<Real> out) {
      auto changed = block;
      Change{}(changed);
      library<Real>.apply(changed, x, out);
    };
  });
}

/// What c is divided by.
template <class Real>
Real divisor_of(std::span<const Real> c, const Real& epsilon, EpsilonPlacement placement) {
  return embedscale::detail::divisor(embedscale::detail::mean_square_about(c, Real(0)), epsilon,
                                     placement);
}

/// x less its mean.
template <class Real>
std::vector<Real> centred(std::span<const Real> x) {
  const Real mean = embedscale::detail::mean(x);
  std::vector<Real> c;
  for (const Real& value : x) c.push_back(value - mean);
  return c;
}

/// The same gradient in both norms: of(c, g, ε, placement, out), where c and g are centred for
/// LayerNorm.
template <class Of>
constexpr auto norms_back_by(Of) {
  return testing::replacing([]<class Real>(Operations<Real>& to) {
    using In = std::span<const Real>;
    to.layer_norm_gradient = [](In x, In upstream, const Real& epsilon, EpsilonPlacement placement,
                                std::span<Real> out) {
      Of{}(In(centred(x)), In(centred(upstream)), epsilon, placement, out);
    };
    to.rms_norm_gradient = [](In x, In upstream, const Real& epsilon, EpsilonPlacement placement,
                              std::span<Real> out) { Of{}(x, upstream, epsilon, placement, out); };
  });
}

/// W_1ᵀ diag(slope_k) W_2ᵀ g with slope(z_k, (W_2ᵀ g)_k) for the slope of unit k.
template <class Slope>
constexpr auto network_back_by(Slope) {
  return testing::replacing([]<class Real>(Operations<Real>& to) {
    to.feed_forward_gradient = [](const LinearLayer<Real>& inner, const LinearLayer<Real>& outer,
                                  std::span<const Real> x, std::span<const Real> upstream,
                                  std::span<Real> out) {
      const auto z = embedscale::detail::before_relu<Real>(inner, x);
      std::vector<Real> slopes(z.size(), Real(0));
      weighted_sum<Real>(upstream, outer.weights, slopes);
      for (std::size_t k = 0; k < z.size(); ++k) slopes[k] = slopes[k] * Slope{}(z[k], slopes[k]);
      weighted_sum<Real>(slopes, inner.weights, out);
    };
  });
}

/// AttentionGradient with parts replaced: change(gradient).
template <class Change>
constexpr auto attention_back_by(Change) {
  return testing::replacing([]<class Real>(Operations<Real>& to) {
    to.self_attention_gradient = [](const BlockShape& shape, const BlockWeights<Real>& weights,
                                    std::span<const Real> x, std::span<const Real> upstream,
                                    std::span<Real> out) {
      AttentionGradient<Real> gradient;
      Change{}(gradient);
      gradient(shape, weights, x, upstream, out);
    };
  });
}

/// BlockGradient with parts replaced: change(gradient).
template <class Change>
constexpr auto back_by(Change) {
  return testing::replacing([]<class Real>(Operations<Real>& to) {
    to.apply_gradient = [](const EncoderBlock<Real>& block, std::span<const Real> x,
                           std::span<const Real> upstream, std::span<Real> out) {
      BlockGradient<Real> gradient;
      Change{}(gradient);
      gradient(block, x, upstream, out);
    };
  });
}

/// To the table by another multiplier: of(m, d).
template <class Of>
constexpr auto to_table_by(Of) {
  return testing::replacing([]<class Real>(Operations<Real>& to) {
    to.add_look_up_gradient = [](std::span<const std::size_t> tokens, std::span<const Real> slopes,
                                 const Real& m, std::size_t d, std::span<Real> gradient) {
      library<Real>.add_look_up_gradient(tokens, slopes, Of{}(m, d), d, gradient);
    };
  });
}

}  // namespace embedscale::properties::block
