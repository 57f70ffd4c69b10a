// Wrong blocks, wrong gradients of their parts and wrong ways from a block's input to the token
// table, each kind from the largest defect to the smallest.
#include <algorithm>
#include <cmath>
#include <utility>

#include "replacements.hpp"
#include "trials.hpp"

namespace embedscale::properties::block {

using namespace testing;

const Mutants<Primitives> mutants{
    {"normalizes_on_the_other_side",
     "The norm before the sub-layer in the place of after it, and the other way round.",
     of_another([](auto& b) {
       b.norms = b.norms == NormPlacement::pre ? NormPlacement::post : NormPlacement::pre;
     })},

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
     norms_back_by([]<class Real>(std::span<const Real> c, std::span<const Real> g,
                                  const Real& epsilon, EpsilonPlacement placement,
                                  std::span<Real> out) {
       const Real divisor = divisor_of(c, epsilon, placement);
       for (std::size_t j = 0; j < c.size(); ++j) out[j] = g[j] / divisor;
     })},

    {"exchanges_the_norms",
     "The mean of g stays in, or goes out where it should stay: RMSNorm's gradient for "
     "LayerNorm's, and the other way round.",
     replacing([]<class Real>(Operations<Real>& to) {
       using In = std::span<const Real>;
       to.layer_norm_gradient = [](In x, In upstream, const Real& epsilon,
                                   EpsilonPlacement placement, std::span<Real> out) {
         library<Real>.rms_norm_gradient(centred(x), upstream, epsilon, placement, out);
       };
       to.rms_norm_gradient = [](In x, In upstream, const Real& epsilon, EpsilonPlacement placement,
                                 std::span<Real> out) {
         library<Real>.rms_norm_gradient(x, centred(upstream), epsilon, placement, out);
       };
     })},

    {"misplaces_epsilon", "ε inside the root for ε beside it, and the other way round.",
     norms_back_by([]<class Real>(std::span<const Real> c, std::span<const Real> g,
                                  const Real& epsilon, EpsilonPlacement placement,
                                  std::span<Real> out) {
       const auto other = placement == EpsilonPlacement::variance
                              ? EpsilonPlacement::standard_deviation
                              : EpsilonPlacement::variance;
       embedscale::detail::divided_gradient<Real>(c, g, epsilon, other, out);
     })},

    {"squares_the_divisor",
     "D² for D·r: the same where ε is inside the root, and where there is none.",
     norms_back_by([]<class Real>(std::span<const Real> c, std::span<const Real> g,
                                  const Real& epsilon, EpsilonPlacement placement,
                                  std::span<Real> out) {
       const Real divisor = divisor_of(c, epsilon, placement);
       const Real along = dot<Real>(c, g) / Real(static_cast<int>(c.size())) / divisor / divisor;
       for (std::size_t j = 0; j < c.size(); ++j) out[j] = (g[j] - c[j] * along) / divisor;
     })},

    {"adds_a_bit_to_the_gradient_of_norms", "One part in 2^40 too much.",
     norms_back_by([]<class Real>(std::span<const Real> c, std::span<const Real> g,
                                  const Real& epsilon, EpsilonPlacement placement,
                                  std::span<Real> out) {
       embedscale::detail::divided_gradient<Real>(c, g, epsilon, placement, out);
       for (Real& value : out) value = value * Real(1.0 + 0x1p-40);
     })},

    {"forgets_the_kink", "Units that are off pass their gradient as well.",
     network_back_by([]<class Real>(const Real&, const Real&) { return Real(1); })},

    {"opens_by_the_gradient", "The sign of what comes back decides, not that of what went in.",
     network_back_by(
         []<class Real>(const Real&, const Real& g) { return g > Real(0) ? Real(1) : Real(0); })},

    {"opens_without_the_bias", "The units are on or off as if there were no bias.",
     replacing([]<class Real>(Operations<Real>& to) {
       to.feed_forward_gradient = [](const LinearLayer<Real>& inner, const LinearLayer<Real>& outer,
                                     std::span<const Real> x, std::span<const Real> upstream,
                                     std::span<Real> out) {
         library<Real>.feed_forward_gradient({inner.weights, {}}, outer, x, upstream, out);
       };
     })},

    {"leaks_below_the_kink", "A unit that is off passes one part in 2^30.",
     network_back_by([]<class Real>(const Real& z, const Real&) {
       return z > Real(0) ? Real(1) : Real(0x1p-30);
     })},

    {"takes_weights_for_constants", "The weights as if they were constants: by the values alone.",
     attention_back_by([](auto& gradient) { gradient.by_query = gradient.by_key = 0; })},

    {"forgets_the_way_by_keys", "Not by the keys.",
     attention_back_by([](auto& gradient) { gradient.by_key = 0; })},

    {"forgets_the_way_by_queries", "Not by the queries.",
     attention_back_by([](auto& gradient) { gradient.by_query = 0; })},

    {"forgets_the_way_by_values", "Not by the values.",
     attention_back_by([](auto& gradient) { gradient.by_value = 0; })},

    {"leaves_the_outer_product_out", "diag(w) for diag(w) − w wᵀ.",
     attention_back_by([]<class Real>(AttentionGradient<Real>& gradient) {
       gradient.through_softmax = [](std::span<const Real> w, std::span<const Real> g,
                                     std::span<Real> out) {
         for (std::size_t j = 0; j < w.size(); ++j) out[j] = w[j] * g[j];
       };
     })},

    {"goes_back_unscaled", "No scale on the way back.", attention_back_by([](auto& gradient) {
       gradient.scale = [](const BlockShape&) { return 1.0; };
     })},

    {"goes_back_by_the_whole_width", "The scale of one head of all channels.",
     attention_back_by([](auto& gradient) {
       gradient.scale = [](const BlockShape& shape) {
         return attention_scale<double>(shape.d_model);
       };
     })},

    {"weighs_keys_slightly_more", "What comes by the keys is one part in 2^30 too large.",
     attention_back_by([](auto& gradient) { gradient.by_key = 1.0 + 0x1p-30; })},

    {"goes_back_on_the_other_side", "The norm's side in the gradient alone.",
     replacing([]<class Real>(Operations<Real>& to) {
       to.apply_gradient = [](const EncoderBlock<Real>& block, std::span<const Real> x,
                              std::span<const Real> upstream, std::span<Real> out) {
         auto b = block;
         b.norms = b.norms == NormPlacement::pre ? NormPlacement::post : NormPlacement::pre;
         library<Real>.apply_gradient(b, x, upstream, out);
       };
     })},

    {"forgets_the_skip_of_attention", "Through attention alone, not past it.",
     back_by([]<class Real>(BlockGradient<Real>& gradient) {
       gradient.past_attention = [](const Real&) { return Real(0); };
     })},

    {"forgets_the_skip_of_the_network", "Through the network alone, not past it.",
     back_by([]<class Real>(BlockGradient<Real>& gradient) {
       gradient.past_network = [](const Real&) { return Real(0); };
     })},

    {"takes_the_divisor_for_a_constant",
     "The norm as if its mean and its divisor were constants (detached): g/D alone.",
     back_by([]<class Real>(BlockGradient<Real>& gradient) {
       gradient.norm = [](const EncoderBlock<Real>& b, std::span<const Real> x,
                          std::span<const Real> g, std::span<Real> out) {
         const std::size_t d = b.shape.d_model;
         for (std::size_t at = 0; at < x.size(); at += d) {
           const auto row = x.subspan(at, d);
           const Real centre =
               b.norm.kind == NormKind::layer_norm ? embedscale::detail::mean(row) : Real(0);
           const Real divisor =
               embedscale::detail::divisor(embedscale::detail::mean_square_about(row, centre),
                                           b.norm.epsilon, b.norm.placement);
           for (std::size_t j = at; j < at + d; ++j) out[j] = g[j] / divisor;
         }
       };
     })},

    {"passes_slightly_more", "What goes past attention is one part in 2^30 too large.",
     back_by([]<class Real>(BlockGradient<Real>& gradient) {
       gradient.past_attention = [](const Real& g) { return Real(g * Real(1.0 + 0x1p-30)); };
     })},

    {"forgets_the_multiplier_of_the_table", "The gradient to x = m·e + p handed on as that to e.",
     to_table_by([]<class Real>(const Real&, std::size_t) { return Real(1); })},

    {"multiplies_the_slopes_twice", "m² for m.",
     to_table_by([]<class Real>(const Real& m, std::size_t) { return Real(m * m); })},

    {"keeps_the_last_place_of_a_token",
     "A token that comes twice has the gradient of its last place.",
     replacing([]<class Real>(Operations<Real>& to) {
       to.add_look_up_gradient = [](std::span<const std::size_t> tokens,
                                    std::span<const Real> slopes, const Real& m, std::size_t d,
                                    std::span<Real> gradient) {
         for (std::size_t l = 0; l < tokens.size(); ++l) {
           std::ranges::fill(gradient.subspan(tokens[l] * d, d), Real(0));
           library<Real>.add_look_up_gradient(tokens.subspan(l, 1), slopes.subspan(l * d, d), m, d,
                                              gradient);
         }
       };
     })},

    {"averages_over_the_places_of_a_token",
     "The mean over the places of a token, as PyTorch's scale_grad_by_freq has it.",
     replacing([]<class Real>(Operations<Real>& to) {
       to.add_look_up_gradient = [](std::span<const std::size_t> tokens,
                                    std::span<const Real> slopes, const Real& m, std::size_t d,
                                    std::span<Real> gradient) {
         library<Real>.add_look_up_gradient(tokens, slopes, m, d, gradient);
         for (std::size_t i = 0; i < gradient.size(); ++i) {
           const auto places = std::count(tokens.begin(), tokens.end(), i / d);
           if (places > 1) gradient[i] = gradient[i] / Real(static_cast<int>(places));
         }
       };
     })},

    {"goes_back_by_a_multiplier_in_binary32", "√d in binary32: 6 parts in 10^8 at most.",
     to_table_by([]<class Real>(const Real&, std::size_t d) {
       return Real(static_cast<double>(root_multiplier<float>(d)));
     })},
};

}  // namespace embedscale::properties::block
