#pragma once
// The attempts to refute the claims of normalization_block.hpp, for any primitives of
// BlockLibrary's shape.
#include <cmath>
#include <cstdint>

#include "../normalization_block_exact.hpp"
#include "../normalization_block_skip.hpp"
#include "generators/attention_input.hpp"
#include "property.hpp"

namespace embedscale::properties::testing {

using normalization::Biases;

/// Sizes for the comparisons of bits: 4 or 8 channels, 1 or 2 heads, 2 or 3 tokens.
struct DrawnSizes {
  BlockShape shape;
  std::size_t tokens;
};
inline DrawnSizes drawn_sizes() {
  const auto d = 4 * generators::named("d/4", generators::in_range<std::size_t>(1, 3));
  const auto heads = generators::named("heads", generators::in_range<std::size_t>(1, 3));
  const auto tokens = generators::named("tokens", generators::in_range<std::size_t>(2, 4));
  return {{d, heads, d}, tokens};
}

/// A power of two from 2^−8 to 2^8.
inline double power_of_two(const std::string& name) {
  return std::ldexp(1.0, generators::named("log2 " + name, generators::in_range(-8, 9)));
}

/// Calls same.operator()<Real>() for binary64, binary32 and bfloat16.
template <class Same>
void in_each_format(const Same& same) {
  same.template operator()<double>();
  same.template operator()<float>();
  same.template operator()<bfloat16>();
}

/// A block of wide_shape in 50 digits, drawn from a named index.
inline normalization::BlockCase<normalization::Wide> wide_block(NormPlacement norms,
                                                                Biases biases) {
  const auto i = generators::named("block", generators::draws());
  return normalization::drawn_block<normalization::Wide>(Stream(0, "normalization wide blocks"), i,
                                                         normalization::wide_shape,
                                                         normalization::wide_tokens, norms, biases);
}

/// A block that can be followed by hand: RMSNorm, two channels, one head whose matrices are 1 but
/// for W_V, as told, and a network that gives 0. Its tokens are (1, 0) and what is drawn on top.
inline normalization::BlockCase<double> simple_block(NormPlacement norms, std::size_t tokens,
                                                     const std::vector<double>& value) {
  const auto numbers = generators::named(
      "x - (1, 0) of each token",
      rc::gen::container<std::vector<int>>(2 * tokens, generators::in_range(0, 4)));
  normalization::BlockCase<double> simple;
  simple.block.shape = {2, 1, 1};
  simple.block.norms = norms;
  simple.block.norm.kind = NormKind::rms_norm;
  auto& w = simple.block.weights;
  w.query = w.key = w.output = {1, 0, 0, 1};
  w.value = value;
  w.inner = w.outer = {0, 0};
  for (std::size_t i = 0; i < numbers.size(); ++i)
    simple.x.push_back(numbers[i] + (i % 2 == 0 ? 1 : 0));
  return simple;
}

EXPENSIVE_PROPERTY(normalization, post_norm_block, compensated_to_the_bit, 4) {
  const auto i = generators::named("block", generators::draws());
  const auto [shape, tokens] = drawn_sizes();
  const double c = power_of_two("c"), a = power_of_two("a");
  covers("c above 1", c > 1, 0.25);
  covers("c below 1", c < 1, 0.25);
  const Stream stream(0, "normalization blocks");
  in_each_format([&, shape = shape, tokens = tokens]<class Real>() {
    const auto drawn = normalization::drawn_block<Real>(stream, i, shape, tokens,
                                                        NormPlacement::post, Biases::all);
    holds_exactly(normalization::has_bits_when_compensated(drawn, static_cast<Real>(c),
                                                           static_cast<Real>(a), subject));
  });
}

EXPENSIVE_PROPERTY(normalization, post_norm_block, compensated_in_50_digits, 8) {
  auto drawn = wide_block(NormPlacement::post, Biases::all);
  const normalization::Wide c(std::abs(generators::factor()));
  const int j = generators::named("8 log2 (a/c)", generators::in_range(-16, 17));
  const int k = generators::named("-log2 epsilon", generators::in_range(0, 20));
  const bool beside = generators::named("beside the root", generators::in_range(0, 2)) != 0;
  if (k > 0) drawn.block.norm.epsilon = normalization::Wide(std::ldexp(1.0, -k));
  if (beside) drawn.block.norm.placement = EpsilonPlacement::standard_deviation;
  covers("with an epsilon", k > 0, 0.5);
  holds(normalization::compensated_share(
      drawn, c, normalization::Wide(c * normalization::Wide(std::exp2(j / 8.0))), subject));
}

EXPENSIVE_PROPERTY(normalization, post_norm_block, otherwise_a_temperature, 4) {
  const auto i = generators::named("block", generators::draws());
  const auto [shape, tokens] = drawn_sizes();
  const double c = power_of_two("c");
  const Stream stream(1, "normalization blocks");
  in_each_format([&, shape = shape, tokens = tokens]<class Real>() {
    const auto drawn = normalization::drawn_block<Real>(stream, i, shape, tokens,
                                                        NormPlacement::post, Biases::none);
    holds_exactly(normalization::has_bits_of_temperature(drawn, static_cast<Real>(c), subject));
  });
}

EXPENSIVE_PROPERTY(normalization, pre_norm_block, skip_carries_it_and_branch_does_not, 4) {
  const auto i = generators::named("block", generators::draws());
  const auto [shape, tokens] = drawn_sizes();
  const double c = power_of_two("c");
  const int k = generators::named("-log2 epsilon", generators::in_range(0, 20));
  const bool beside = generators::named("beside the root", generators::in_range(0, 2)) != 0;
  covers("c above 1", c > 1, 0.25);
  covers("c below 1", c < 1, 0.25);
  covers("without an epsilon", k == 0, 0.03);
  const Stream stream(2, "normalization blocks");
  in_each_format([&, shape = shape, tokens = tokens]<class Real>() {
    auto drawn =
        normalization::drawn_block<Real>(stream, i, shape, tokens, NormPlacement::pre, Biases::all);
    if (k > 0) drawn.block.norm.epsilon = static_cast<Real>(std::ldexp(1.0, -k));
    if (beside) drawn.block.norm.placement = EpsilonPlacement::standard_deviation;
    holds_exactly(normalization::has_bits_of_branch(drawn, static_cast<Real>(c), subject));
  });
}

EXPENSIVE_PROPERTY(normalization, pre_norm_block, branch_stays_in_50_digits, 6) {
  const auto drawn = wide_block(NormPlacement::pre, Biases::all);
  const normalization::Wide c(std::abs(generators::factor()));
  holds(normalization::branch_share(drawn, c, subject));
}

EXPENSIVE_PROPERTY(normalization, pre_norm_block, absorbed_where_branches_carry_it, 6) {
  const auto i = generators::named("block", generators::draws());
  const auto [shape, tokens] = drawn_sizes();
  const double c = power_of_two("c");
  const Stream stream(3, "normalization blocks");
  in_each_format([&, shape = shape, tokens = tokens]<class Real>() {
    const auto first =
        normalization::drawn_block<Real>(stream, i, shape, tokens, NormPlacement::pre, Biases::all);
    const auto second = normalization::drawn_block<Real>(stream, i + 1, shape, tokens,
                                                         NormPlacement::pre, Biases::all);
    holds_exactly(normalization::has_bits_when_branches_carry_it(
        {first.block, second.block}, first.x, static_cast<Real>(c), subject));
  });
}

}  // namespace embedscale::properties::testing
