#pragma once
// What a compensated post-norm block may have otherwise, and whether it then still gives c·x what
// the block gives x.

#include "block.hpp"

namespace embedscale::properties::normalization {

/// One thing that is changed of the compensated block for c·x: by itself, or back to what was
/// drawn.
struct Change {
  const char* name;
  Biases biases;
  void (*to)(EncoderBlock<Wide>& block, const BlockWeights<Wide>& drawn, const Wide& c);
};

/// Changes that the output does not see. Entries stay at most 1 in size, or 2 of b_O, as the bound
/// on what rounding does wants it.
inline constexpr Change harmless_changes[] = {
    {"all of the condition, every bias drawn", Biases::all, [](auto&...) {}},
    {"the same, another b_K", Biases::all,
     [](auto& block, auto&, auto&) { multiply(block.weights.key_bias, Wide(-1)); }},
    {"the same, b_V moved and b_O by what W_O makes of that", Biases::all,
     [](auto& block, auto&, auto&) {
       auto& w = block.weights;
       const std::size_t d = w.value_bias.size();
       for (std::size_t i = 0; i < d; ++i)
         w.output_bias[i] = w.output_bias[i] + w.output[i * d] * w.value_bias[0];
       w.value_bias[0] = Wide(0);
     }}};

/// Changes that it sees where c is not 1.
inline constexpr Change harmful_changes[] = {
    {"no biases, W_Q and W_K as they were", Biases::none,
     [](auto& block, auto& drawn, auto&) { block.weights = drawn; }},
    {"no biases, W_Q divided by c, W_K as it was", Biases::none,
     [](auto& block, auto& drawn, auto& c) {
       block.weights = drawn;
       divide(block.weights.query, c);
     }},
    {"b_V as it was", Biases::all,
     [](auto& block, auto& drawn, auto&) { block.weights.value_bias = drawn.value_bias; }},
    {"b_O as it was", Biases::all,
     [](auto& block, auto& drawn, auto&) { block.weights.output_bias = drawn.output_bias; }},
    {"b_Q times c beside what it should be", Biases::all,
     [](auto& block, auto&, auto& c) { multiply(block.weights.query_bias, c); }},
    {"the network's b_1 times c", Biases::all,
     [](auto& block, auto&, auto& c) { multiply(block.weights.inner_bias, c); }},
    {"ε = 2^−10 in both norms, as it was", Biases::all,
     [](auto& block, auto&, auto&) { block.norm.epsilon = Wide(0x1p-10); }}};

/// The compensated block, changed.
inline EncoderBlock<Wide> changed(const BlockCase<Wide>& drawn, const Wide& c, const Wide& a,
                                  const Change& change, const BlockPrimitives& primitives) {
  auto block = compensated(drawn.block, c, a, primitives);
  change.to(block, drawn.block.weights, c);
  return block;
}

/// It on c·x against the block on x, with the first norm's ε for c.
///
/// Requires  1/4 <= a/c <= 4, a harmless change.
inline double compensated_share(const BlockCase<Wide>& drawn, const Wide& c, const Wide& a,
                                const Change& change, const BlockPrimitives& primitives) {
  const auto other = changed(drawn, c, a, change, primitives);
  auto first = other;
  first.norm.epsilon = expected::rescaled_epsilon(drawn.block.norm.epsilon, Wide(Wide(1) / c),
                                                  drawn.block.norm.placement);
  return share_of_bound(drawn, through(first, other, product(c, drawn.x), primitives),
                        through(drawn.block, drawn.x, primitives), 1);
}

/// Whether its output for c·x is that for x, with the same norms, as far as 50 digits tell.
inline bool output_stays(const BlockCase<Wide>& drawn, const Wide& c, const Wide& a,
                         const Change& change, const BlockPrimitives& primitives) {
  const auto other = changed(drawn, c, a, change, primitives);
  auto same = drawn.block;
  same.norm = other.norm;
  return share_of_bound(drawn, through(other, product(c, drawn.x), primitives),
                        through(same, drawn.x, primitives), static_cast<double>(Wide(c * c))) <= 1;
}

/// Whether the network of another block gives other values than the drawn one's, of what that
/// reads: a bias is not seen where all hidden channels are below 0.
inline bool networks_differ(const BlockCase<Wide>& drawn, const EncoderBlock<Wide>& other) {
  std::vector<Wide> y(drawn.x.size(), Wide(0)), one = y, two = y;
  attention_sublayer<Wide>(drawn.block, drawn.x, y);
  feed_forward<Wide>(drawn.block.shape, drawn.block.weights, y, one);
  feed_forward<Wide>(other.shape, other.weights, y, two);
  return one != two;
}

}  // namespace embedscale::properties::normalization
