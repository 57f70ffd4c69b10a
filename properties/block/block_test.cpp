// One encoder block: which part is where, on numbers that are exact; against its formulas written a
// second time, in 50 digits; what it may overwrite and what it refuses.
#include <embedscale/block.hpp>
#include <embedscale/block_gradient.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "differentiation.hpp"

namespace {

using embedscale::BlockShape, embedscale::BlockWeights, embedscale::EncoderBlock,
    embedscale::EpsilonPlacement, embedscale::NormKind, embedscale::NormPlacement;
namespace properties = embedscale::properties;

/// Two heads of one channel each; no unit is ever on.
BlockWeights<double> two_heads() {
  BlockWeights<double> w;
  w.query = {1000, 0, 0, -1000};
  w.key = {1, 0, 0, 1};
  w.value = {1, 1, 0, 3};
  w.output = {1, 2, 0, 1};
  w.inner = {0, 0};
  w.outer = {0, 0};
  return w;
}

// Logits thousands apart: weights are 0 and 1. Head 0 takes what is most like it, head 1 least.
// Values of (1, 2) and (−1, 1): (3, 6), (0, 3), and with their bias (8, 6), (5, 3).
TEST(block, attention_reads_each_head_by_itself) {
  auto w = two_heads();
  w.value_bias = {5, 0};
  w.output_bias = {10, 20};
  const std::vector<double> x{1, 2, -1, 1};
  std::vector<double> out(4);
  embedscale::self_attention<double>({2, 2, 1}, w, x, out);
  EXPECT_EQ(out, (std::vector<double>{24, 23, 21, 23}));  // means (8, 3), (5, 3)
}

// A query's bias alone makes head 0 of the second token look at the first.
TEST(block, attention_biases_queries_and_keys) {
  auto w = two_heads();
  w.value = w.output = {1, 0, 0, 1};
  const std::vector<double> x{1, 2, -1, 1};
  std::vector<double> out(4);
  w.query_bias = {5000, 0};
  embedscale::self_attention<double>({2, 2, 1}, w, x, out);
  EXPECT_EQ(out, (std::vector<double>{1, 1, 1, 1}));
  // One key's bias: the same is added to all logits of a query.
  w.query_bias = {};
  w.key_bias = {3, -7};
  embedscale::self_attention<double>({2, 2, 1}, w, x, out);
  EXPECT_EQ(out, (std::vector<double>{1, 1, -1, 1}));
}

// Queries of 0 weigh all alike: each token gets the mean of all, itself and later ones included.
TEST(block, attention_has_no_mask) {
  auto w = two_heads();
  w.query = {0, 0, 0, 0};
  w.value = w.output = {1, 0, 0, 1};
  const std::vector<double> x{1, 2, 3, 6, 5, 10, 7, 2};
  std::vector<double> out(8);
  embedscale::self_attention<double>({2, 2, 1}, w, x, out);
  EXPECT_EQ(out, (std::vector<double>{4, 5, 4, 5, 4, 5, 4, 5}));
}

/// A block of two tokens of four channels whose branches give 0.
EncoderBlock<double> silent(NormPlacement norms) {
  const std::vector<double> square(16), wide(20);
  BlockWeights<double> w;
  w.query = w.key = w.value = w.output = square;
  w.inner = w.outer = wide;
  return {{4, 2, 5}, norms, {}, w};
}

// A pre-norm block is the residual alone, bit for bit; a post-norm block normalises it twice,
// exactly for channels of variance 1.
TEST(block, of_silent_branches_is_its_residual) {
  const std::vector<double> x{1, 2, -4, 8, 0.1, -1e9, 0, 3};
  std::vector<double> out(8);
  embedscale::apply<double>(silent(NormPlacement::pre), x, out);
  EXPECT_EQ(out, x);
  embedscale::apply<double>(silent(NormPlacement::post),
                            std::vector<double>{5, 3, 5, 3, -1, 1, 1, -1}, out);
  EXPECT_EQ(out, (std::vector<double>{1, -1, 1, -1, -1, 1, 1, -1}));
}

// x = (5, 3, 5, 3): N(x) = (1, −1, 1, −1). The network adds its bias, and 2 relu(first channel of
// what it sees) to the last: pre-norm sees N(x) and gives x + …, post-norm N(N(x) + …).
TEST(block, has_its_norms_where_it_is_told) {
  auto block = silent(NormPlacement::pre);
  block.weights.inner[0] = 1;
  block.weights.outer[15] = 2;
  block.weights.outer_bias = {0, 0, 4, 0};
  const std::vector<double> x{5, 3, 5, 3};
  std::vector<double> out(4);
  embedscale::apply<double>(block, x, out);
  EXPECT_EQ(out, (std::vector<double>{5, 3, 9, 5}));
  block.norms = NormPlacement::post;
  block.weights.outer_bias = {2, 0, -6, 0};  // (1, −1, 1, −1 + 2) + (2, 0, −6, 0) = (3, −1, −5, 1)
  block.norm = {NormKind::rms_norm, 16, EpsilonPlacement::variance};
  // RMSNorm with ε = 16 of x = (3, −3, 3, −3) is (3, −3, 3, −3)/5: first 0.6, which adds 1.2.
  embedscale::apply<double>(block, std::vector<double>{3, -3, 3, -3}, out);
  const std::vector<double> y{0.6, -0.6, 0.6, -0.6};
  std::vector<double> expected{0.6 + 2, -0.6, 0.6 - 6, -0.6 + 2 * 0.6};
  embedscale::rms_norm<double>(expected, 16, EpsilonPlacement::variance, expected);
  EXPECT_EQ(out, expected);
}

/// All shapes, norms and biases there are, and the largest share of a bound near 10^-47.
TEST(block, is_its_formula_in_50_digits) {
  using namespace properties::block;
  double worst = 0.0;
  std::uint64_t draw = 0;
  for (const BlockShape shape : {BlockShape{4, 2, 5}, BlockShape{3, 1, 4}, BlockShape{6, 3, 1}})
    for (const auto norms : {NormPlacement::pre, NormPlacement::post})
      for (const auto kind : {NormKind::layer_norm, NormKind::rms_norm})
        for (const auto placement :
             {EpsilonPlacement::variance, EpsilonPlacement::standard_deviation})
          for (const double epsilon : {0.0, 1e-5, 1.0})
            for (const auto biases : {Biases::none, Biases::some, Biases::all}) {
              const Sample sample{shape, 3, norms, kind, placement, epsilon, biases, ++draw};
              const auto x = Normals(draw, "x")(3 * shape.d_model);
              ASSERT_GT(distance_to_kink(block_of(sample), x), 0x1p-20) << draw;
              worst = std::max(worst, forward_share<Wide>(sample, x, Primitives{}));
            }
  EXPECT_LE(worst, 1.0);
  RecordProperty("worst", std::to_string(worst));
}

properties::block::Sample any(NormPlacement norms) {
  return {{4, 2, 5},
          2,
          norms,
          NormKind::layer_norm,
          EpsilonPlacement::variance,
          0.125,
          properties::block::Biases::all,
          7};
}

TEST(block, may_write_over_what_it_reads) {
  for (const auto norms : {NormPlacement::pre, NormPlacement::post}) {
    const auto block = properties::block::block_of(any(norms));
    const auto x = properties::block::Normals(1, "x")(8), g = properties::block::Normals(1, "g")(8);
    const auto forward = [&](const auto& f) {
      std::vector<double> out(8), over = x;
      f(x, out);
      f(over, over);
      EXPECT_EQ(over, out);
    };
    using In = std::span<const double>;
    using Out = std::span<double>;
    forward([&](In in, Out out) { embedscale::apply<double>(block, in, out); });
    forward([&](In in, Out out) {
      embedscale::self_attention<double>(block.shape, block.weights, in, out);
    });
    forward([&](In in, Out out) {
      embedscale::feed_forward<double>(block.shape, block.weights, in, out);
    });
    forward(
        [&](In in, Out out) { embedscale::normalize<double>(block.shape, block.norm, in, out); });
    const auto back = [&](const auto& f) {
      std::vector<double> out(8), over_x = x, over_g = g;
      f(x, g, out);
      f(over_x, g, over_x);
      f(x, over_g, over_g);
      EXPECT_EQ(over_x, out);
      EXPECT_EQ(over_g, out);
    };
    back([&](In in, In up, Out out) { embedscale::apply_gradient<double>(block, in, up, out); });
    back([&](In in, In up, Out out) {
      embedscale::self_attention_gradient<double>(block.shape, block.weights, in, up, out);
    });
    back([&](In in, In up, Out out) {
      embedscale::feed_forward_gradient<double>(block.shape, block.weights, in, up, out);
    });
    back([&](In in, In up, Out out) {
      embedscale::normalize_gradient<double>(block.shape, block.norm, in, up, out);
    });
  }
}

TEST(block, of_no_tokens_is_nothing) {
  const auto block = properties::block::block_of(any(NormPlacement::pre));
  std::vector<double> none;
  EXPECT_NO_THROW(embedscale::apply<double>(block, none, none));
  EXPECT_NO_THROW(embedscale::apply_gradient<double>(block, none, none, none));
}

/// That neither the block nor its gradient takes this for a block, or these for tokens.
void expect_refused(const EncoderBlock<double>& block, std::size_t in, std::size_t up,
                    std::size_t to, const std::string& what) {
  const std::vector<double> x = properties::block::Normals(1, "x")(in), upstream(up);
  std::vector<double> out(to);
  if (up == in) {
    EXPECT_THROW(embedscale::apply<double>(block, x, out), std::invalid_argument) << what;
  }
  EXPECT_THROW(embedscale::apply_gradient<double>(block, x, upstream, out), std::invalid_argument)
      << what;
}

TEST(block, refuses_shapes_that_disagree) {
  for (const auto norms : {NormPlacement::pre, NormPlacement::post}) {
    const auto right = properties::block::block_of(any(norms));
    for (const BlockShape shape : {BlockShape{4, 3, 5}, BlockShape{4, 0, 5}, BlockShape{0, 1, 5},
                                   BlockShape{4, 2, 4}, BlockShape{4, 2, 6}, BlockShape{2, 2, 5}}) {
      auto block = right;
      block.shape = shape;
      expect_refused(block, 8, 8, 8, "a shape");
    }
    expect_refused(right, 7, 7, 7, "a token and three quarters");
    expect_refused(right, 8, 8, 4, "out");
    expect_refused(right, 8, 8, 12, "out");
    expect_refused(right, 8, 4, 8, "upstream");
    expect_refused(right, 8, 12, 8, "upstream");
    using W = BlockWeights<double>;
    for (auto part : {&W::query, &W::key, &W::value, &W::output, &W::inner, &W::outer,
                      &W::query_bias, &W::key_bias, &W::value_bias, &W::inner_bias}) {
      auto block = right;
      (block.weights.*part).push_back(0);
      expect_refused(block, 8, 8, 8, "weights");
    }
  }
}

// Biases that no gradient sees are the forward's to refuse; so are norms of 0/0.
TEST(block, refuses_what_its_parts_refuse) {
  using W = BlockWeights<double>;
  std::vector<double> out(8);
  const auto x = properties::block::Normals(1, "x")(8);
  for (auto part : {&W::output_bias, &W::outer_bias}) {
    auto block = properties::block::block_of(any(NormPlacement::pre));
    (block.weights.*part).push_back(0);
    EXPECT_THROW(embedscale::apply<double>(block, x, out), std::invalid_argument);
  }
  auto block = silent(NormPlacement::pre);
  const std::vector<double> constant(8, 3.0);
  EXPECT_THROW(embedscale::apply<double>(block, constant, out), std::invalid_argument);
  EXPECT_THROW(embedscale::apply_gradient<double>(block, constant, x, out), std::invalid_argument);
  block.norm.epsilon = 1;
  EXPECT_NO_THROW(embedscale::apply<double>(block, constant, out));
}

/// What f says when it refuses; "" if it does not.
template <class Function>
std::string refusal(const Function& f) {
  try {
    f();
    return "";
  } catch (const std::invalid_argument& error) {
    return error.what();
  }
}

// Each part by itself, before it reads or writes anything.
TEST(block, parts_say_what_does_not_fit) {
  const auto block = properties::block::block_of(any(NormPlacement::pre));
  const std::vector<double> x(8);
  std::vector<double> out(8), less(4);
  const std::string of_out = "block: out: got 4, needs 8", of_g = "upstream: got 4, needs 8";
  using namespace embedscale;
  EXPECT_EQ(refusal([&] { self_attention<double>(block.shape, block.weights, x, less); }), of_out);
  EXPECT_EQ(refusal([&] { feed_forward<double>(block.shape, block.weights, x, less); }), of_out);
  EXPECT_EQ(refusal([&] { normalize<double>(block.shape, block.norm, x, less); }), of_out);
  EXPECT_EQ(refusal([&] { apply_gradient<double>(block, x, less, out); }), "block: " + of_g);
  EXPECT_EQ(refusal([&] { apply_gradient<double>(block, x, x, less); }), of_out);
  const auto attention_back = [&](std::span<const double> g, std::span<double> to) {
    return refusal([&] { self_attention_gradient<double>(block.shape, block.weights, x, g, to); });
  };
  EXPECT_EQ(attention_back(less, out), "self_attention_gradient: " + of_g);
  EXPECT_EQ(attention_back(x, less), of_out);
  const auto network_back = [&](std::span<const double> g, std::span<double> to) {
    return refusal([&] { feed_forward_gradient<double>(block.shape, block.weights, x, g, to); });
  };
  EXPECT_EQ(network_back(less, out), "feed_forward_gradient: " + of_g);
  EXPECT_EQ(network_back(x, less), of_out);
  const auto norm_back = [&](std::span<const double> g, std::span<double> to) {
    return refusal([&] { normalize_gradient<double>(block.shape, block.norm, x, g, to); });
  };
  EXPECT_EQ(norm_back(less, out), "normalize_gradient: " + of_g);
  EXPECT_EQ(norm_back(x, less), of_out);
}

}  // namespace
