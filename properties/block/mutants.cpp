// Wrong blocks, wrong gradients of their parts and wrong ways from a block's input to the token
// table, each kind from the largest defect to the smallest.
#include <algorithm>
#include <cmath>
#include <span>
#include <vector>

#include "trials.hpp"

namespace embedscale::properties::block {

using namespace testing;

namespace {

using Real = Tracked;
using In = std::span<const Real>;
using Out = std::span<Real>;

// What a mutant replaces.
constexpr auto forward = EMBEDSCALE_OPERATION(apply);
constexpr auto network_back = EMBEDSCALE_OPERATION(feed_forward_gradient);
constexpr auto attention_back = EMBEDSCALE_OPERATION(self_attention_gradient);
constexpr auto block_back = EMBEDSCALE_OPERATION(apply_gradient);
constexpr auto table_back = EMBEDSCALE_OPERATION(add_look_up_gradient);

/// The gradient of attention, where what comes back by its weights, and not by the values, is
/// multiplied by factor(shape).
template <class Factor>
constexpr auto by_weights_times(Factor) {
  return replaces(
      attention_back, [](auto was, const BlockShape& shape, const BlockWeights<Real>& weights, In x,
                         In upstream, Out out) {
        const auto to_means = detail::each_transposed<Real>(shape, weights.output, upstream);
        std::vector<Real> to_values(x.size(), Real(0));
        std::size_t h = 0;
        for (const auto& head : detail::heads_of<Real>(shape, weights, x)) {
          const std::size_t n = x.size() / shape.d_model;
          const auto columns = detail::mixed(n, detail::transposed(n, head.weights),
                                             detail::columns_of_head<Real>(shape, h, to_means));
          detail::put_columns_of_head<Real>(shape, h++, columns, to_values);
        }
        const auto by_values = detail::each_transposed<Real>(shape, weights.value, to_values);
        was(shape, weights, x, upstream, out);
        for (std::size_t i = 0; i < out.size(); ++i)
          out[i] = by_values[i] + Real(Factor{}(shape)) * (out[i] - by_values[i]);
      });
}

/// The gradient of a block, where what goes past attention is multiplied by this.
template <class Past>
constexpr auto past_attention_times(Past) {
  return replaces(
      block_back, [](auto was, const EncoderBlock<Real>& b, In x, In upstream, Out out) {
        const auto in_block = [&b](auto f) {
          return [&b, f](auto... rows) { f(b.shape, b.weights, rows...); };
        };
        const auto attention = in_block([](auto... all) { self_attention<Real>(all...); });
        const auto network = in_block([](auto... all) { feed_forward<Real>(all...); });
        const auto back = in_block([](auto... all) { feed_forward_gradient<Real>(all...); });
        const auto nothing = [](auto, auto, auto zeros) { std::ranges::fill(zeros, Real(0)); };
        std::vector<Real> y(x.size(), Real(0)), past = y;
        add_sublayer<Real>(b, attention, x, y);
        add_sublayer_gradient<Real>(b, network, back, y, upstream, past);
        add_sublayer_gradient<Real>(b, attention, nothing, x, past, past);
        was(b, x, upstream, out);
        for (std::size_t i = 0; i < out.size(); ++i) out[i] = out[i] + Real(Past{}() - 1) * past[i];
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
Real divisor_of(In c, const Real& epsilon, EpsilonPlacement placement) {
  return detail::divisor(detail::mean_square_about(c, Real(0)), epsilon, placement);
}

/// x less its mean.
std::vector<Real> centred(In x) {
  const Real mean = detail::mean(x);
  std::vector<Real> c(x.begin(), x.end());
  for (Real& value : c) value = value - mean;
  return c;
}

/// The same gradient in both norms: of(c, g, ε, placement, out), where c and g are centred for
/// LayerNorm.
template <class Of>
constexpr auto norms_back_by(Of) {
  return replacing([](Operations<Real>& to) {
    to.layer_norm_gradient = [](In x, In upstream, const Real& epsilon, EpsilonPlacement placement,
                                Out out) {
      Of{}(In(centred(x)), In(centred(upstream)), epsilon, placement, out);
    };
    to.rms_norm_gradient = Of{};
  });
}

/// W_1ᵀ diag(slope(z_k)) W_2ᵀ g.
template <class Slope>
constexpr auto network_back_by(Slope) {
  return replaces(network_back, [](auto, const LinearLayer<Real>& inner,
                                   const LinearLayer<Real>& outer, auto x, auto g, Out out) {
    const auto z = detail::before_relu<Real>(inner, x);
    std::vector<Real> slopes(z.size(), Real(0));
    weighted_sum<Real>(g, outer.weights, slopes);
    for (std::size_t k = 0; k < z.size(); ++k) slopes[k] = slopes[k] * Slope{}(z[k]);
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
    {"opens_negative_units", "The units are on where z < 0: −relu(−z).", of_another([](auto& b) {
       for (auto* part : {&b.weights.inner, &b.weights.inner_bias, &b.weights.outer})
         for (auto& value : *part) value = -value;
     })},
    {"scales_logits_by_all_heads", "1/√d_model for 1/√d_k.", of_another([](EncoderBlock<Real>& b) {
       const Real less(1.0 / std::sqrt(static_cast<double>(b.shape.heads)));
       for (auto* part : {&b.weights.query, &b.weights.query_bias})
         for (Real& value : *part) value = value * less;
     })},
    {"forgets_the_output_bias",
     "A bias that only a block with all of them has. (A key's would not be missed: it adds the "
     "same to all logits of a query.)",
     of_another([](auto& b) { b.weights.output_bias.clear(); })},
    {"bends_one_weight", "The first weight of the outer matrix is one part in 2^30 too large.",
     of_another([](EncoderBlock<Real>& b) {
       b.weights.outer[0] = b.weights.outer[0] * Real(1.0 + 0x1p-30);
     })},
    {"detaches_the_divisor", "g/D alone: the divisor's own dependence on x is left out.",
     norms_back_by([](auto c, auto g, const auto& epsilon, auto placement, auto out) {
       const auto divisor = divisor_of(c, epsilon, placement);
       for (std::size_t j = 0; j < c.size(); ++j) out[j] = g[j] / divisor;
     })},
    {"exchanges_the_norms",
     "The mean of g stays in, or goes out where it should stay: RMSNorm's gradient for "
     "LayerNorm's, and the other way round.",
     replacing([](Operations<Real>& to) {
       to.layer_norm_gradient = [](In x, In upstream, const Real& epsilon,
                                   EpsilonPlacement placement, Out out) {
         library<Real>.rms_norm_gradient(centred(x), upstream, epsilon, placement, out);
       };
       to.rms_norm_gradient = [](In x, In upstream, const Real& epsilon, EpsilonPlacement placement,
                                 Out out) {
         library<Real>.rms_norm_gradient(x, centred(upstream), epsilon, placement, out);
       };
     })},
    {"adds_a_bit_to_the_gradient_of_norms", "One part in 2^40 too much.",
     norms_back_by([](auto c, auto g, const Real& epsilon, auto placement, auto out) {
       detail::divided_gradient(c, g, epsilon, placement, out);
       for (Real& value : out) value = value * Real(1.0 + 0x1p-40);
     })},
    {"forgets_the_kink", "Units that are off pass their gradient as well.",
     network_back_by([](const Real&) { return Real(1); })},
    {"opens_without_the_bias", "The units are on or off as if there were no bias.",
     replaces(network_back,
              [](auto was, auto inner, auto outer, auto x, auto upstream, auto out) {
                was({inner.weights, {}}, outer, x, upstream, out);
              })},
    {"leaks_below_the_kink", "A unit that is off passes one part in 2^30.",
     network_back_by([](const Real& z) { return z > Real(0) ? Real(1) : Real(0x1p-30); })},
    {"takes_weights_for_constants", "The weights as if they were constants: by the values alone.",
     by_weights_times([](const BlockShape&) { return 0.0; })},
    {"goes_back_by_the_whole_width", "The scale of one head of all channels.",
     by_weights_times(
         [](const BlockShape& shape) { return 1 / std::sqrt(static_cast<double>(shape.heads)); })},
    {"weighs_logits_slightly_more", "What comes by queries and keys is a part in 2^30 too large.",
     by_weights_times([](const BlockShape&) { return 1.0 + 0x1p-30; })},
    {"goes_back_on_the_other_side", "The norm's side in the gradient alone.",
     replaces(block_back,
              [](auto was, auto block, auto x, auto upstream, auto out) {
                exchange(block.norms);
                was(block, x, upstream, out);
              })},
    {"forgets_the_skip_of_attention", "Through attention alone, not past it.",
     past_attention_times([] { return 0.0; })},
    {"passes_slightly_more", "What goes past attention is one part in 2^30 too large.",
     past_attention_times([] { return 1.0 + 0x1p-30; })},
    {"forgets_the_multiplier_of_the_table", "The gradient to x = m·e + p handed on as that to e.",
     replaces(table_back, [](auto was, auto tokens, auto slopes, const Real&, std::size_t d,
                             auto gradient) { was(tokens, slopes, Real(1), d, gradient); })},
    {"averages_over_the_places_of_a_token",
     "The mean over the places of a token, as PyTorch's scale_grad_by_freq has it.",
     changes(table_back,
             [](auto tokens, auto, const Real&, std::size_t d, Out gradient) {
               for (std::size_t i = 0; i < gradient.size(); ++i) {
                 const auto places = std::ranges::count(tokens, i / d);
                 if (places > 1) gradient[i] = gradient[i] / Real(static_cast<int>(places));
               }
             })},
    {"goes_back_by_a_multiplier_in_binary32", "√d in binary32: 6 parts in 10^8 at most.",
     replaces(table_back,
              [](auto was, auto tokens, auto slopes, const Real&, std::size_t d, auto gradient) {
                was(tokens, slopes, Real(static_cast<double>(root_multiplier<float>(d))), d,
                    gradient);
              })},
};

}  // namespace embedscale::properties::block
