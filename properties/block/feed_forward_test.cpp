// The feed-forward network and its gradient where every number is whole, at the kink, and refused.
// Rounded results and other weights: properties.cpp, gradient_test.cpp.
#include <embedscale/feed_forward.hpp>
#include <embedscale/format.hpp>

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

namespace {

using embedscale::feed_forward, embedscale::feed_forward_gradient, embedscale::relu;

TEST(feed_forward, relu_cuts_below_0_and_hides_no_nan) {
  EXPECT_EQ(relu(2.5), 2.5);
  EXPECT_EQ(relu(-2.5), 0.0);
  EXPECT_EQ(relu(0.0), 0.0);
  EXPECT_EQ(relu(std::numeric_limits<double>::infinity()), std::numeric_limits<double>::infinity());
  EXPECT_TRUE(std::isnan(relu(std::nan(""))));
  EXPECT_TRUE(relu(embedscale::bfloat16(-1.0)) == embedscale::bfloat16(0.0));
}

/// Two channels, three units: z = (x_1 + 2 x_2, x_1 − x_2, −x_1) + (0, 1, 0).
struct Small {
  std::vector<double> inner{1, 2, 1, -1, -1, 0}, inner_bias{0, 1, 0};
  std::vector<double> outer{1, 2, 4, 8, 16, 32}, outer_bias{100, 200};
};

TEST(feed_forward, is_two_layers_around_relu) {
  const Small w;
  std::vector<double> out(2);
  // z = (5, 0 + 1 − 1, −1): units (5, 0, 0), of which the second is at its kink.
  feed_forward<double>({w.inner, w.inner_bias}, {w.outer, w.outer_bias}, std::vector<double>{1, 2},
                       out);
  EXPECT_EQ(out, (std::vector<double>{105, 240}));
  // z = (−1, 2, −1) → (0, 2, 0) without a bias, (0, 3, 0) with it.
  const std::vector<double> x{1, -1};
  feed_forward<double>({w.inner, {}}, {w.outer, {}}, x, out);
  EXPECT_EQ(out, (std::vector<double>{4, 32}));
  feed_forward<double>({w.inner, w.inner_bias}, {w.outer, {}}, x, out);
  EXPECT_EQ(out, (std::vector<double>{6, 48}));
}

// Without biases the network scales with its input; with them it does not.
TEST(feed_forward, scales_with_its_input_without_biases) {
  const Small w;
  const std::vector<double> x{3, -2}, four_x{12, -8};
  std::vector<double> out(2), at_four(2);
  feed_forward<double>({w.inner, {}}, {w.outer, {}}, x, out);
  feed_forward<double>({w.inner, {}}, {w.outer, {}}, four_x, at_four);
  EXPECT_EQ(at_four, (std::vector<double>{4 * out[0], 4 * out[1]}));
  feed_forward<double>({w.inner, w.inner_bias}, {w.outer, {}}, x, out);
  feed_forward<double>({w.inner, w.inner_bias}, {w.outer, {}}, four_x, at_four);
  EXPECT_NE(at_four[0], 4 * out[0]);
}

TEST(feed_forward, gradient_passes_units_that_are_on) {
  const Small w;
  std::vector<double> out(2);
  // At (1, −1) the second unit alone is on: W_2ᵀ g = (2·1 + 16·10) = 162, times its row (1, −1).
  feed_forward_gradient<double>({w.inner, w.inner_bias}, {w.outer, w.outer_bias},
                                std::vector<double>{1, -1}, std::vector<double>{1, 10}, out);
  EXPECT_EQ(out, (std::vector<double>{162, -162}));
  // At (1, 2) the second is at its kink and passes nothing: the first, 1 + 80 times (1, 2).
  feed_forward_gradient<double>({w.inner, w.inner_bias}, {w.outer, w.outer_bias},
                                std::vector<double>{1, 2}, std::vector<double>{1, 10}, out);
  EXPECT_EQ(out, (std::vector<double>{81, 162}));
}

TEST(feed_forward, both_may_write_over_what_they_read) {
  const Small w;
  std::vector<double> x{1, -1}, g{1, 10};
  feed_forward_gradient<double>({w.inner, w.inner_bias}, {w.outer, {}}, x, g, g);
  EXPECT_EQ(g, (std::vector<double>{162, -162}));
  auto over_x = x;
  feed_forward_gradient<double>({w.inner, w.inner_bias}, {w.outer, {}}, over_x,
                                std::vector<double>{1, 10}, over_x);
  EXPECT_EQ(over_x, g);
  feed_forward<double>({w.inner, w.inner_bias}, {w.outer, {}}, x, x);
  EXPECT_EQ(x, (std::vector<double>{6, 48}));
}

TEST(feed_forward, without_units_is_its_bias) {
  const std::vector<double> none, bias{3, 4}, x{1, 2};
  std::vector<double> out(2);
  feed_forward<double>({none, none}, {none, bias}, x, out);
  EXPECT_EQ(out, bias);
  feed_forward_gradient<double>({none, none}, {none, bias}, x, x, out);
  EXPECT_EQ(out, (std::vector<double>{0, 0}));
  std::vector<double> longer(3);
  const auto back = [&](const std::vector<double>& upstream, std::vector<double>& to) {
    feed_forward_gradient<double>({none, none}, {none, bias}, x, upstream, to);
  };
  EXPECT_THROW(back(x, longer), std::invalid_argument);
  EXPECT_THROW(back(longer, out), std::invalid_argument);
}

TEST(feed_forward, refuses_shapes_that_disagree) {
  const Small w;
  const std::vector<double> x{1, 2}, g{1, 10};
  std::vector<double> out(2), longer(3), none;
  const auto forward = [&](auto inner, auto inner_bias, auto outer, auto& to) {
    feed_forward<double>({inner, inner_bias}, {outer, {}}, x, to);
  };
  const std::span<const double> inner(w.inner), bias(w.inner_bias), outer(w.outer);
  EXPECT_NO_THROW(forward(inner, bias, outer, out));
  EXPECT_THROW(forward(inner.first(5), bias, outer, out), std::invalid_argument);
  EXPECT_THROW(forward(inner, bias.first(2), outer, out), std::invalid_argument);
  EXPECT_THROW(forward(inner, bias, outer.first(5), out), std::invalid_argument);
  EXPECT_THROW(forward(inner, bias, outer, longer), std::invalid_argument);
  EXPECT_THROW(feed_forward<double>({inner, bias}, {outer, {}}, none, out), std::invalid_argument);
  const auto back = [&](const std::vector<double>& upstream, std::vector<double>& to) {
    feed_forward_gradient<double>({inner, bias}, {outer, {}}, x, upstream, to);
  };
  EXPECT_NO_THROW(back(g, out));
  EXPECT_THROW(back(longer, out), std::invalid_argument);
  EXPECT_THROW(back(g, longer), std::invalid_argument);
}

}  // namespace
