// Wrong blocks, wrong gradients of their parts and wrong ways from a block's input to the token
// table, each kind from the largest defect to the smallest.
#include <algorithm>
#include <cmath>
#include <span>
#include <utility>
#include <vector>

#include "trials.hpp"

namespace embedscale::properties::block {

using namespace testing;

namespace {

template <class Real>
using In = std::span<const Real>;
template <class Real>
using Out = std::span<Real>;

// What a mutant replaces.
constexpr auto forward = [](auto& to) -> decltype((to.apply)) { return to.apply; };
constexpr auto network_back = [](auto& to) -> decltype((to.feed_forward_gradient)) {
  return to.feed_forward_gradient;
};
constexpr auto attention_back = [](auto& to) -> decltype((to.self_attention_gradient)) {
  return to.self_attention_gradient;
};
constexpr auto block_back = [](auto& to) -> decltype((to.apply_gradient)) {
  return to.apply_gradient;
};
constexpr auto table_back = [](auto& to) -> decltype((to.add_look_up_gradient)) {
  return to.add_look_up_gradient;
};

/// The gradient of attention: right unless a part is replaced.
template <AnalyticScalar Real>
struct AttentionGradient {
  /// What comes back to the products ⟨q_i, k_j⟩ of a head of d_k channels.
  std::vector<Real> (*to_products)(const detail::Head<Real>& head,
                                   const std::vector<Real>& to_means,
                                   std::size_t d_k) = detail::to_products<Real>;
  double by_query = 1, by_key = 1, by_value = 1;  ///< what comes back by each is multiplied by

  void operator()(const BlockShape& shape, const BlockWeights<Real>& weights, In<Real> x,
                  In<Real> upstream, Out<Real> out) const {
    const std::size_t n = x.size() / shape.d_model, d_k = shape.d_model / shape.heads;
    const auto to_means = detail::each_transposed<Real>(shape, weights.output, upstream);
    std::vector<Real> to_q(x.size(), Real(0)), to_k = to_q, to_v = to_q;
    std::size_t h = 0;
    for (const auto& head : detail::heads_of<Real>(shape, weights, x)) {
      const auto to_mean = detail::columns_of_head<Real>(shape, h, to_means);
      const auto to_product = to_products(head, to_mean, d_k);
      const auto put = [&](const std::vector<Real>& a, const std::vector<Real>& by,
                           std::vector<Real>& rows) {
        detail::put_columns_of_head<Real>(shape, h, detail::mixed(n, a, by), rows);
      };
      put(to_product, head.keys, to_q);
      put(detail::transposed(n, to_product), head.queries, to_k);
      put(detail::transposed(n, head.weights), to_mean, to_v);
      ++h;
    }
    const auto q = detail::each_transposed<Real>(shape, weights.query, to_q);
    const auto k = detail::each_transposed<Real>(shape, weights.key, to_k);
    const auto v = detail::each_transposed<Real>(shape, weights.value, to_v);
    for (std::size_t i = 0; i < out.size(); ++i)
      out[i] = Real(by_query) * q[i] + Real(by_key) * k[i] + Real(by_value) * v[i];
  }
};

/// AttentionGradient with parts replaced: change(gradient, shape).
template <class Change>
constexpr auto attention_back_by(Change) {
  return replaces(attention_back, []<class Real>(auto, const BlockShape& shape, const auto& weights,
                                                 In<Real> x, In<Real> upstream, Out<Real> out) {
    AttentionGradient<Real> gradient;
    Change{}(gradient, shape);
    gradient(shape, weights, x, upstream, out);
  });
}

/// The gradient of a block, sub-layer by sub-layer: right unless a part is replaced.
template <AnalyticScalar Real>
struct BlockGradient {
  using Block = EncoderBlock<Real>;
  void (*norm_back)(const BlockShape& shape, const BlockNorm<Real>& norm, In<Real> x, In<Real> g,
                    Out<Real> out) = normalize_gradient<Real>;
  double past_attention = 1, past_network = 1;  ///< what goes past each is multiplied by

  void operator()(const Block& b, In<Real> x, In<Real> upstream, Out<Real> out) const {
    const auto attention = [&](auto from, auto to) {
      self_attention<Real>(b.shape, b.weights, from, to);
    };
    const auto network = [&](auto from, auto to) {
      feed_forward<Real>(b.shape, b.weights, from, to);
    };
    std::vector<Real> y(x.size(), Real(0)), to_y = y;
    add_sublayer<Real>(b, attention, x, y);
    step(b, past_network, network, feed_forward_gradient<Real>, y, upstream, to_y);
    step(b, past_attention, attention, self_attention_gradient<Real>, x, to_y, out);
  }

 private:
  using Back = void (*)(const BlockShape& shape, const BlockWeights<Real>& weights, In<Real> x,
                        In<Real> g, Out<Real> out);
  /// Back through a sub-layer f at x, and past it.
  void step(const Block& b, double past, const auto& f, Back back, In<Real> x, In<Real> g,
            Out<Real> out) const {
    const bool pre = b.norms == NormPlacement::pre;
    std::vector<Real> s(x.begin(), x.end()), h(g.begin(), g.end());
    if (pre) {
      normalize<Real>(b.shape, b.norm, x, s);
    } else {
      f(x, Out<Real>(s));
      for (std::size_t i = 0; i < s.size(); ++i) s[i] = x[i] + s[i];
      norm_back(b.shape, b.norm, s, h, h);
    }
    std::vector<Real> through = h;
    back(b.shape, b.weights, pre ? In<Real>(s) : x, h, through);
    if (pre) norm_back(b.shape, b.norm, x, through, through);
    if (past != 1)
      for (Real& value : h) value = Real(past) * value;
    for (std::size_t i = 0; i < h.size(); ++i) out[i] = h[i] + through[i];
  }
};

/// BlockGradient with parts replaced: change(gradient).
template <class Change>
constexpr auto block_back_by(Change) {
  return replaces(block_back, []<class Real>(auto, const EncoderBlock<Real>& block, auto x,
                                             auto upstream, Out<Real> out) {
    BlockGradient<Real> gradient;
    Change{}(gradient);
    gradient(block, x, upstream, out);
  });
}

/// Another block: change(block).
template <class Change>
constexpr auto of_another(Change) {
  return replaces(forward, [](auto was, auto block, auto x, auto out) {
    Change{}(block);
    was(block, x, out);
  });
}

void exchange(NormPlacement& norms) {
  norms = norms == NormPlacement::pre ? NormPlacement::post : NormPlacement::pre;
}

/// What c is divided by.
template <class Real>
Real divisor_of(In<Real> c, const Real& epsilon, EpsilonPlacement placement) {
  return detail::divisor(detail::mean_square_about(c, Real(0)), epsilon, placement);
}

/// x less its mean.
template <class Real>
std::vector<Real> centred(In<Real> x) {
  const Real mean = detail::mean(x);
  std::vector<Real> c(x.begin(), x.end());
  for (Real& value : c) value = value - mean;
  return c;
}

/// The same gradient in both norms: of(c, g, ε, placement, out), where c and g are centred for
/// LayerNorm.
template <class Of>
constexpr auto norms_back_by(Of) {
  return replacing([]<class Real>(Operations<Real>& to) {
    to.layer_norm_gradient = [](In<Real> x, In<Real> upstream, const Real& epsilon,
                                EpsilonPlacement placement, Out<Real> out) {
      Of{}(In<Real>(centred(x)), In<Real>(centred(upstream)), epsilon, placement, out);
    };
    to.rms_norm_gradient = Of{};
  });
}

/// g/D.
constexpr auto detached = [](auto c, auto g, const auto& epsilon, auto placement, auto out) {
  const auto divisor = divisor_of(c, epsilon, placement);
  for (std::size_t j = 0; j < c.size(); ++j) out[j] = g[j] / divisor;
};

/// W_1ᵀ diag(slope_k) W_2ᵀ g with slope(z_k, (W_2ᵀ g)_k) for the slope of unit k.
template <class Slope>
constexpr auto network_back_by(Slope) {
  return replaces(network_back,
                  []<class Real>(auto, const LinearLayer<Real>& inner,
                                 const LinearLayer<Real>& outer, auto x, auto g, Out<Real> out) {
                    const auto z = detail::before_relu<Real>(inner, x);
                    std::vector<Real> slopes(z.size(), Real(0));
                    weighted_sum<Real>(g, outer.weights, slopes);
                    for (std::size_t k = 0; k < z.size(); ++k)
                      slopes[k] = slopes[k] * Slope{}(z[k], slopes[k]);
                    weighted_sum<Real>(slopes, inner.weights, out);
                  });
}

}  // namespace

const Mutants<Primitives> mutants{
    {"normalizes_on_the_other_side",
     "The norm before the sub-layer in the place of after it, and the other way round.",
     of_another([](auto& b) { exchange(b.norms); })},

    {"attends_with_one_head", "One head of all channels.",
     of_another([](auto& b) { b.shape.heads = 1; })},

    {"keeps_negative_units", "Sizes in the place of ReLU: |z| = relu(z) + relu(−z).",
     of_another([]<class Real>(EncoderBlock<Real>& b) {
       auto& w = b.weights;
       const std::size_t d = b.shape.d_model, d_ff = b.shape.d_ff;
       for (auto* rows : {&w.inner, &w.inner_bias})
         for (std::size_t i = 0, n = rows->size(); i < n; ++i) rows->push_back(-(*rows)[i]);
       std::vector<Real> outer;
       for (std::size_t i = 0; i < d; ++i)
         for (std::size_t k = 0; k < 2 * d_ff; ++k) outer.push_back(w.outer[i * d_ff + k % d_ff]);
       w.outer = outer;
       b.shape.d_ff = 2 * d_ff;
     })},

    {"exchanges_queries_and_keys",
     "Queries for keys and keys for queries: the weights are those of the transposed product.",
     of_another([](auto& b) {
       std::swap(b.weights.query, b.weights.key);
       std::swap(b.weights.query_bias, b.weights.key_bias);
     })},

    {"scales_logits_by_all_heads", "1/√d_model for 1/√d_k.",
     of_another([]<class Real>(EncoderBlock<Real>& b) {
       const Real less(1.0 / std::sqrt(static_cast<double>(b.shape.heads)));
       for (auto* part : {&b.weights.query, &b.weights.query_bias})
         for (Real& value : *part) value = value * less;
     })},

    {"forgets_the_output_bias",
     "A bias that only a block with all of them has. (A key's would not be missed: it adds the "
     "same to all logits of a query.)",
     of_another([](auto& b) { b.weights.output_bias.clear(); })},

    {"bends_one_weight", "The first weight of the outer matrix is one part in 2^30 too large.",
     of_another([]<class Real>(EncoderBlock<Real>& b) {
       b.weights.outer[0] = b.weights.outer[0] * Real(1.0 + 0x1p-30);
     })},

    {"detaches_the_divisor", "g/D alone: the divisor's own dependence on x is left out.",
     norms_back_by(detached)},

    {"exchanges_the_norms",
     "The mean of g stays in, or goes out where it should stay: RMSNorm's gradient for "
     "LayerNorm's, and the other way round.",
     replacing([]<class Real>(Operations<Real>& to) {
       to.layer_norm_gradient = [](In<Real> x, In<Real> upstream, const Real& epsilon,
                                   EpsilonPlacement placement, Out<Real> out) {
         library<Real>.rms_norm_gradient(centred(x), upstream, epsilon, placement, out);
       };
       to.rms_norm_gradient = [](In<Real> x, In<Real> upstream, const Real& epsilon,
                                 EpsilonPlacement placement, Out<Real> out) {
         library<Real>.rms_norm_gradient(x, centred(upstream), epsilon, placement, out);
       };
     })},

    {"misplaces_epsilon", "ε inside the root for ε beside it, and the other way round.",
     norms_back_by([](auto c, auto g, const auto& epsilon, auto placement, auto out) {
       const auto other = placement == EpsilonPlacement::variance
                              ? EpsilonPlacement::standard_deviation
                              : EpsilonPlacement::variance;
       detail::divided_gradient(c, g, epsilon, other, out);
     })},

    {"squares_the_divisor",
     "D² for D·r: the same where ε is inside the root, and where there is none.",
     norms_back_by([]<class Real>(auto c, auto g, const Real& epsilon, auto placement, auto out) {
       const Real divisor = divisor_of(c, epsilon, placement);
       const Real along = dot<Real>(c, g) / Real(static_cast<int>(c.size())) / divisor / divisor;
       for (std::size_t j = 0; j < c.size(); ++j) out[j] = (g[j] - c[j] * along) / divisor;
     })},

    {"adds_a_bit_to_the_gradient_of_norms", "One part in 2^40 too much.",
     norms_back_by([]<class Real>(auto c, auto g, const Real& epsilon, auto placement, auto out) {
       detail::divided_gradient(c, g, epsilon, placement, out);
       for (Real& value : out) value = value * Real(1.0 + 0x1p-40);
     })},

    {"forgets_the_kink", "Units that are off pass their gradient as well.",
     network_back_by([]<class Real>(const Real&, const Real&) { return Real(1); })},

    {"opens_by_the_gradient", "The sign of what comes back decides, not that of what went in.",
     network_back_by(
         []<class Real>(const Real&, const Real& g) { return g > Real(0) ? Real(1) : Real(0); })},

    {"opens_without_the_bias", "The units are on or off as if there were no bias.",
     replaces(network_back,
              [](auto was, auto inner, auto outer, auto x, auto upstream, auto out) {
                was({inner.weights, {}}, outer, x, upstream, out);
              })},

    {"leaks_below_the_kink", "A unit that is off passes one part in 2^30.",
     network_back_by([]<class Real>(const Real& z, const Real&) {
       return z > Real(0) ? Real(1) : Real(0x1p-30);
     })},

    {"takes_weights_for_constants", "The weights as if they were constants: by the values alone.",
     attention_back_by(
         [](auto& gradient, const BlockShape&) { gradient.by_query = gradient.by_key = 0; })},

    {"forgets_the_way_by_keys", "Not by the keys.",
     attention_back_by([](auto& gradient, const BlockShape&) { gradient.by_key = 0; })},

    {"forgets_the_way_by_queries", "Not by the queries.",
     attention_back_by([](auto& gradient, const BlockShape&) { gradient.by_query = 0; })},

    {"forgets_the_way_by_values", "Not by the values.",
     attention_back_by([](auto& gradient, const BlockShape&) { gradient.by_value = 0; })},

    {"leaves_the_outer_product_out", "diag(w) for diag(w) − w wᵀ.",
     attention_back_by([]<class Real>(AttentionGradient<Real>& gradient, const BlockShape&) {
       gradient.to_products = [](const auto& head, const std::vector<Real>& to_means,
                                 std::size_t d_k) {
         std::vector<Real> out = head.weights;
         const std::size_t n = to_means.size() / d_k;
         for (std::size_t i = 0; i < n; ++i) {
           std::vector<Real> to_weights(n);
           logits<Real>(std::span(to_means).subspan(i * d_k, d_k), head.values, Real(1),
                        to_weights);
           for (std::size_t j = 0; j < n; ++j)
             out[i * n + j] = attention_scale<Real>(d_k) * Real(out[i * n + j] * to_weights[j]);
         }
         return out;
       };
     })},

    {"goes_back_unscaled", "No scale on the way back.",
     attention_back_by([](auto& gradient, const BlockShape& shape) {
       const auto d_k = static_cast<double>(shape.d_model / shape.heads);
       gradient.by_query = gradient.by_key = std::sqrt(d_k);
     })},

    {"goes_back_by_the_whole_width", "The scale of one head of all channels.",
     attention_back_by([](auto& gradient, const BlockShape& shape) {
       gradient.by_query = gradient.by_key = 1 / std::sqrt(static_cast<double>(shape.heads));
     })},

    {"weighs_keys_slightly_more", "What comes by the keys is one part in 2^30 too large.",
     attention_back_by([](auto& gradient, const BlockShape&) { gradient.by_key = 1.0 + 0x1p-30; })},

    {"goes_back_on_the_other_side", "The norm's side in the gradient alone.",
     replaces(block_back,
              [](auto was, auto block, auto x, auto upstream, auto out) {
                exchange(block.norms);
                was(block, x, upstream, out);
              })},

    {"forgets_the_skip_of_attention", "Through attention alone, not past it.",
     block_back_by([](auto& gradient) { gradient.past_attention = 0; })},

    {"forgets_the_skip_of_the_network", "Through the network alone, not past it.",
     block_back_by([](auto& gradient) { gradient.past_network = 0; })},

    {"takes_the_divisor_for_a_constant",
     "The norm as if its mean and its divisor were constants (detached): g/D alone.",
     block_back_by([]<class Real>(BlockGradient<Real>& gradient) {
       gradient.norm_back = [](const BlockShape& shape, const BlockNorm<Real>& norm, In<Real> x,
                               In<Real> g, Out<Real> out) {
         for (std::size_t at = 0, d = shape.d_model; at < x.size(); at += d) {
           std::vector<Real> c(x.begin() + at, x.begin() + at + d);
           if (norm.kind == NormKind::layer_norm) c = centred<Real>(c);
           detached(In<Real>(c), g.subspan(at, d), norm.epsilon, norm.placement,
                    out.subspan(at, d));
         }
       };
     })},

    {"passes_slightly_more", "What goes past attention is one part in 2^30 too large.",
     block_back_by([](auto& gradient) { gradient.past_attention = 1.0 + 0x1p-30; })},

    {"forgets_the_multiplier_of_the_table", "The gradient to x = m·e + p handed on as that to e.",
     replaces(table_back,
              []<class Real>(auto was, auto tokens, auto slopes, const Real&, std::size_t d,
                             auto gradient) { was(tokens, slopes, Real(1), d, gradient); })},

    {"multiplies_the_slopes_twice", "m² for m.",
     replaces(table_back, [](auto was, auto tokens, auto slopes, const auto& m, std::size_t d,
                             auto gradient) { was(tokens, slopes, m * m, d, gradient); })},

    {"keeps_the_last_place_of_a_token",
     "A token that comes twice has the gradient of its last place.",
     replaces(table_back,
              []<class Real>(auto was, auto tokens, auto slopes, const Real& m, std::size_t d,
                             Out<Real> gradient) {
                for (std::size_t l = 0; l < tokens.size(); ++l) {
                  std::ranges::fill(gradient.subspan(tokens[l] * d, d), Real(0));
                  was(tokens.subspan(l, 1), slopes.subspan(l * d, d), m, d, gradient);
                }
              })},

    {"averages_over_the_places_of_a_token",
     "The mean over the places of a token, as PyTorch's scale_grad_by_freq has it.",
     changes(table_back,
             []<class Real>(auto tokens, auto, const Real&, std::size_t d, Out<Real> gradient) {
               for (std::size_t i = 0; i < gradient.size(); ++i) {
                 const auto places = std::ranges::count(tokens, i / d);
                 if (places > 1) gradient[i] = gradient[i] / Real(static_cast<int>(places));
               }
             })},

    {"goes_back_by_a_multiplier_in_binary32", "√d in binary32: 6 parts in 10^8 at most.",
     replaces(table_back,
              []<class Real>(auto was, auto tokens, auto slopes, const Real&, std::size_t d,
                             auto gradient) {
                was(tokens, slopes, Real(static_cast<double>(root_multiplier<float>(d))), d,
                    gradient);
              })},
};

}  // namespace embedscale::properties::block
