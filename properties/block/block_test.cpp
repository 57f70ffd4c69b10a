// One encoder block and what it consists of, down to linear layers: what these may overwrite and
// what they refuse; in which order a linear layer adds, and a network at its kink. Values are
// properties: properties.cpp, attention/value_properties.cpp.
#include <embedscale/block.hpp>
#include <embedscale/block_gradient.hpp>

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <limits>
#include <span>
#include <string>
#include <vector>

#include "sample.hpp"

namespace {

using namespace embedscale;
using namespace properties::block;
using Numbers = std::vector<double>;

EncoderBlock<double> any(NormPlacement norms, NormKind kind = NormKind::layer_norm) {
  const BlockShape shape{4, 2, 5};
  return block_of({shape, 2, norms, kind, EpsilonPlacement::variance, 0.125, Biases::all, 7});
}

using In = std::span<const double>;
using Out = std::span<double>;

/// A block or what it consists of, and its gradient.
struct Part {
  std::string name;
  std::function<void(In x, Out out)> forward;
  std::function<void(In x, In upstream, Out out)> back;
};

std::vector<Part> parts_of(const EncoderBlock<double>& b) {
  return {
      {"block", [&](In x, Out out) { apply<double>(b, x, out); },
       [&](In x, In g, Out out) { apply_gradient<double>(b, x, g, out); }},
      {"attention", [&](In x, Out out) { self_attention<double>(b.shape, b.weights, x, out); },
       [&](In x, In g, Out out) {
         self_attention_gradient<double>(b.shape, b.weights, x, g, out);
       }},
      {"network", [&](In x, Out out) { feed_forward<double>(b.shape, b.weights, x, out); },
       [&](In x, In g, Out out) { feed_forward_gradient<double>(b.shape, b.weights, x, g, out); }},
      {"norm", [&](In x, Out out) { normalize<double>(b.shape, b.norm, x, out); },
       [&](In x, In g, Out out) { normalize_gradient<double>(b.shape, b.norm, x, g, out); }}};
}

TEST(block, may_write_over_what_it_reads) {
  const auto x = Normals(1, "x")(8), g = Normals(1, "g")(8);
  for (const auto& block : {any(NormPlacement::pre), any(NormPlacement::post),
                            any(NormPlacement::pre, NormKind::rms_norm)})
    for (const auto& [name, forward, back] : parts_of(block)) {
      Numbers out(8), over = x;
      forward(x, out);
      forward(over, over);
      EXPECT_EQ(over, out) << name;
      auto over_x = x, over_g = g;
      back(x, g, out);
      back(over_x, g, over_x);
      back(x, over_g, over_g);
      EXPECT_EQ(over_x, out) << name;
      EXPECT_EQ(over_g, out) << name;
    }
}

void refuses(const EncoderBlock<double>& block, const Numbers& x) {
  Numbers out(x.size());
  EXPECT_THROW(apply<double>(block, x, out), std::invalid_argument);
  EXPECT_THROW(apply_gradient<double>(block, x, x, out), std::invalid_argument);
}

TEST(block, refuses_shapes_and_weights_that_disagree_and_norms_of_0_over_0) {
  using W = BlockWeights<double>;
  const auto x = Normals(1, "x")(8);
  for (const auto norms : {NormPlacement::pre, NormPlacement::post}) {
    const auto right = any(norms);
    for (const BlockShape shape : {BlockShape{4, 3, 5}, BlockShape{4, 0, 5}, BlockShape{0, 1, 5},
                                   BlockShape{4, 2, 4}, BlockShape{4, 2, 6}, BlockShape{2, 2, 5}}) {
      auto block = right;
      block.shape = shape;
      refuses(block, x);
    }
    for (auto part : {&W::query, &W::key, &W::value, &W::output, &W::inner, &W::outer,
                      &W::query_bias, &W::key_bias, &W::value_bias, &W::inner_bias}) {
      auto block = right;
      (block.weights.*part).push_back(0);
      refuses(block, x);
    }
    for (auto part : {&W::output_bias, &W::outer_bias}) {  // no gradient sees these
      auto block = right;
      Numbers out(8);
      (block.weights.*part).push_back(0);
      EXPECT_THROW(apply<double>(block, x, out), std::invalid_argument);
    }
  }
  auto block = any(NormPlacement::pre);
  block.norm.epsilon = 0;
  refuses(block, Numbers(8, 3.0));
}

// Each part by itself, before it reads or writes anything.
TEST(block, parts_refuse_what_does_not_fit) {
  const auto block = any(NormPlacement::pre);
  const Numbers x(8), broken(7);
  Numbers out(8), less(4), short_of(7);
  for (const auto& [name, forward, back] : parts_of(block)) {
    EXPECT_THROW(forward(x, less), std::invalid_argument) << name;
    EXPECT_THROW(forward(broken, short_of), std::invalid_argument) << name;
    EXPECT_THROW(back(x, x, less), std::invalid_argument) << name;
    EXPECT_THROW(back(x, less, out), std::invalid_argument) << name;
  }
}

// 1/u + 1 is a tie that goes back to 1/u: the bias comes last.
TEST(linear, the_bias_comes_last) {
  const double big = 0x1p53;
  const Numbers ones(2, 1.0);
  Numbers out(1);
  linear<double>({Numbers{big, 1}, Numbers{-big}}, ones, out);
  EXPECT_EQ(out, Numbers{0});
  linear<double>({Numbers{big, -big}, Numbers{1}}, ones, out);
  EXPECT_EQ(out, Numbers{1});
}

TEST(linear, refuses_shapes_that_disagree) {
  const auto layer = [](std::size_t weights, std::size_t bias, std::size_t x, std::size_t out) {
    Numbers y(out);
    linear<double>({Numbers(weights), Numbers(bias)}, Numbers(x), y);
  };
  EXPECT_NO_THROW(layer(6, 2, 3, 2));
  EXPECT_THROW(layer(5, 2, 3, 2), std::invalid_argument);
  EXPECT_THROW(layer(6, 1, 3, 2), std::invalid_argument);
  EXPECT_THROW(layer(6, 2, 2, 2), std::invalid_argument);
  EXPECT_THROW(layer(6, 2, 3, 3), std::invalid_argument);
  Numbers out(2), longer(3);
  EXPECT_NO_THROW(weighted_sum<double>(Numbers(3), Numbers(6), out));
  EXPECT_THROW(weighted_sum<double>(Numbers(3), Numbers(6), longer), std::invalid_argument);
}

TEST(feed_forward, relu_cuts_below_0_and_hides_no_nan) {
  EXPECT_EQ(relu(2.5), 2.5);
  EXPECT_EQ(relu(-2.5), 0.0);
  EXPECT_EQ(relu(0.0), 0.0);
  EXPECT_EQ(relu(std::numeric_limits<double>::infinity()), std::numeric_limits<double>::infinity());
  EXPECT_TRUE(std::isnan(relu(std::nan(""))));
}

/// Two channels, three units: z = (x_1 + 2 x_2, x_1 − x_2, −x_1) + (0, 1, 0).
const Numbers inner{1, 2, 1, -1, -1, 0}, inner_bias{0, 1, 0};
const Numbers outer{1, 2, 4, 8, 16, 32};

TEST(feed_forward, passes_nothing_at_a_kink_and_without_units_its_bias_alone) {
  const Numbers none, bias{3, 4}, x{1, 2};
  Numbers out(2);
  // The second unit is at its kink: the first, 1 + 80 times (1, 2).
  feed_forward_gradient<double>({inner, inner_bias}, {outer, {}}, x, Numbers{1, 10}, out);
  EXPECT_EQ(out, (Numbers{81, 162}));
  feed_forward<double>({none, none}, {none, bias}, x, out);
  EXPECT_EQ(out, bias);
  feed_forward_gradient<double>({none, none}, {none, bias}, x, x, out);
  EXPECT_EQ(out, (Numbers{0, 0}));
}

TEST(feed_forward, refuses_shapes_that_disagree) {
  const auto of_sizes = [](std::size_t w, std::size_t b, std::size_t v, std::size_t x,
                           std::size_t out) {
    Numbers y(out);
    feed_forward<double>({Numbers(w), Numbers(b)}, {Numbers(v), {}}, Numbers(x), y);
  };
  EXPECT_NO_THROW(of_sizes(6, 3, 6, 2, 2));
  EXPECT_THROW(of_sizes(5, 3, 6, 2, 2), std::invalid_argument);
  EXPECT_THROW(of_sizes(6, 2, 6, 2, 2), std::invalid_argument);
  EXPECT_THROW(of_sizes(6, 3, 5, 2, 2), std::invalid_argument);
  EXPECT_THROW(of_sizes(6, 3, 6, 2, 3), std::invalid_argument);
  EXPECT_THROW(of_sizes(6, 3, 6, 0, 2), std::invalid_argument);
  for (const auto& [upstream, size] : {std::pair<std::size_t, std::size_t>(3, 2), {2, 3}}) {
    Numbers out(size);
    EXPECT_THROW(feed_forward_gradient<double>({inner, inner_bias}, {outer, {}}, Numbers(2),
                                               Numbers(upstream), out),
                 std::invalid_argument);
  }
}

}  // namespace
