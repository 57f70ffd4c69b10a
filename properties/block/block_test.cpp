// One encoder block: against its formulas written a second time, in 50 digits; what it may
// overwrite and what it refuses.
#include <embedscale/block.hpp>
#include <embedscale/block_gradient.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "differentiation.hpp"

namespace {

using embedscale::BlockShape, embedscale::BlockWeights, embedscale::EncoderBlock,
    embedscale::EpsilonPlacement, embedscale::NormKind, embedscale::NormPlacement;
using namespace embedscale::properties::block;

// All shapes, norms and biases there are. ε is 0, PyTorch's default for LayerNorm and one as large
// as the variance: parameters of the block, no tolerances. What is allowed is counted in each case
// (RunningError) and near 10^-47.
TEST(block, is_its_formula_in_50_digits) {
  double worst = 0.0;
  std::uint64_t draw = 0;
  for (const BlockShape shape : {BlockShape{4, 2, 5}, BlockShape{3, 1, 4}, BlockShape{6, 3, 1}})
    for (auto sample : all_settings({0.0, 1e-5, 1.0})) {
      sample.shape = shape, sample.tokens = 3, sample.draw = ++draw;
      ASSERT_GT(Block(sample).distance_to_kink(Block(sample).point()), 0x1p-20) << draw;
      worst = std::max(worst, forward_share<Wide>(sample, Primitives{}));
    }
  EXPECT_LE(worst, 1.0);
}

Sample any(NormPlacement norms) {
  return {{4, 2, 5}, 2,           norms, NormKind::layer_norm, EpsilonPlacement::variance,
          0.125,     Biases::all, 7};
}

using In = std::span<const double>;
using Out = std::span<double>;

/// A block or what it consists of, and its gradient.
struct Part {
  std::string name;  ///< as the gradient calls itself
  std::function<void(In x, Out out)> forward;
  std::function<void(In x, In upstream, Out out)> back;
};

std::vector<Part> parts_of(const EncoderBlock<double>& b) {
  using namespace embedscale;
  return {
      {"block", [&](In x, Out out) { apply<double>(b, x, out); },
       [&](In x, In g, Out out) { apply_gradient<double>(b, x, g, out); }},
      {"self_attention_gradient",
       [&](In x, Out out) { self_attention<double>(b.shape, b.weights, x, out); },
       [&](In x, In g, Out out) {
         self_attention_gradient<double>(b.shape, b.weights, x, g, out);
       }},
      {"feed_forward_gradient",
       [&](In x, Out out) { feed_forward<double>(b.shape, b.weights, x, out); },
       [&](In x, In g, Out out) { feed_forward_gradient<double>(b.shape, b.weights, x, g, out); }},
      {"normalize_gradient", [&](In x, Out out) { normalize<double>(b.shape, b.norm, x, out); },
       [&](In x, In g, Out out) { normalize_gradient<double>(b.shape, b.norm, x, g, out); }}};
}

TEST(block, may_write_over_what_it_reads) {
  for (const auto norms : {NormPlacement::pre, NormPlacement::post}) {
    const auto block = block_of(any(norms));
    const auto x = Normals(1, "x")(8), g = Normals(1, "g")(8);
    for (const auto& [name, forward, back] : parts_of(block)) {
      std::vector<double> out(8), over = x;
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
}

TEST(block, of_no_tokens_is_nothing) {
  const auto block = block_of(any(NormPlacement::pre));
  std::vector<double> none;
  EXPECT_NO_THROW(embedscale::apply<double>(block, none, none));
  EXPECT_NO_THROW(embedscale::apply_gradient<double>(block, none, none, none));
}

/// That neither the block nor its gradient takes this for a block, or these for tokens.
void expect_refused(const EncoderBlock<double>& block, std::size_t in = 8, std::size_t up = 8,
                    std::size_t to = 8) {
  const std::vector<double> x = Normals(1, "x")(in), upstream(up);
  std::vector<double> out(to);
  EXPECT_THROW(embedscale::apply_gradient<double>(block, x, upstream, out), std::invalid_argument);
  if (up == in) {
    EXPECT_THROW(embedscale::apply<double>(block, x, out), std::invalid_argument);
  }
}

TEST(block, refuses_shapes_that_disagree) {
  for (const auto norms : {NormPlacement::pre, NormPlacement::post}) {
    const auto right = block_of(any(norms));
    for (const BlockShape shape : {BlockShape{4, 3, 5}, BlockShape{4, 0, 5}, BlockShape{0, 1, 5},
                                   BlockShape{4, 2, 4}, BlockShape{4, 2, 6}, BlockShape{2, 2, 5}}) {
      auto block = right;
      block.shape = shape;
      expect_refused(block);
    }
    expect_refused(right, 7, 7, 7);  // a token and three quarters
    expect_refused(right, 8, 8, 12);
    expect_refused(right, 8, 12, 8);
    using W = BlockWeights<double>;
    for (auto part : {&W::query, &W::key, &W::value, &W::output, &W::inner, &W::outer,
                      &W::query_bias, &W::key_bias, &W::value_bias, &W::inner_bias}) {
      auto block = right;
      (block.weights.*part).push_back(0);
      expect_refused(block);
    }
  }
}

// Biases that no gradient sees are the forward's to refuse; so are norms of 0/0.
TEST(block, refuses_what_its_parts_refuse) {
  using W = BlockWeights<double>;
  std::vector<double> out(8);
  const auto x = Normals(1, "x")(8);
  for (auto part : {&W::output_bias, &W::outer_bias}) {
    auto block = block_of(any(NormPlacement::pre));
    (block.weights.*part).push_back(0);
    EXPECT_THROW(embedscale::apply<double>(block, x, out), std::invalid_argument);
  }
  auto block = block_of(any(NormPlacement::pre));
  block.norm.epsilon = 0;
  const std::vector<double> constant(8, 3.0);
  EXPECT_THROW(embedscale::apply<double>(block, constant, out), std::invalid_argument);
  EXPECT_THROW(embedscale::apply_gradient<double>(block, constant, x, out), std::invalid_argument);
  block.norm.epsilon = 1;
  EXPECT_NO_THROW(embedscale::apply<double>(block, constant, out));
}

// Each part by itself, before it reads or writes anything.
TEST(block, parts_refuse_what_does_not_fit) {
  const auto block = block_of(any(NormPlacement::pre));
  const std::vector<double> x(8);
  std::vector<double> out(8), less(4);
  for (const auto& [name, forward, back] : parts_of(block)) {
    EXPECT_THROW(forward(x, less), std::invalid_argument) << name;
    EXPECT_THROW(back(x, x, less), std::invalid_argument) << name;
    EXPECT_THROW(back(x, less, out), std::invalid_argument) << name;
  }
}

}  // namespace
