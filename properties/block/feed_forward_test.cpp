// The feed-forward network and its gradient where every number is whole, at the kink, and refused.
// Rounded results and other weights: properties.cpp, gradient_test.cpp.
#include <embedscale/feed_forward.hpp>
#include <embedscale/format.hpp>

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <span>
#include <vector>

namespace {

using embedscale::feed_forward, embedscale::feed_forward_gradient, embedscale::relu;
using Numbers = std::vector<double>;

TEST(feed_forward, relu_cuts_below_0_and_hides_no_nan) {
  EXPECT_EQ(relu(2.5), 2.5);
  EXPECT_EQ(relu(-2.5), 0.0);
  EXPECT_EQ(relu(0.0), 0.0);
  EXPECT_EQ(relu(std::numeric_limits<double>::infinity()), std::numeric_limits<double>::infinity());
  EXPECT_TRUE(std::isnan(relu(std::nan(""))));
  EXPECT_TRUE(relu(embedscale::bfloat16(-1.0)) == embedscale::bfloat16(0.0));
}

/// Two channels, three units: z = (x_1 + 2 x_2, x_1 − x_2, −x_1) + (0, 1, 0).
const Numbers inner{1, 2, 1, -1, -1, 0}, inner_bias{0, 1, 0};
const Numbers outer{1, 2, 4, 8, 16, 32}, outer_bias{100, 200};

TEST(feed_forward, is_two_layers_around_relu) {
  Numbers out(2), x{1, -1};
  // z = (5, 0 + 1 − 1, −1): units (5, 0, 0), of which the second is at its kink.
  feed_forward<double>({inner, inner_bias}, {outer, outer_bias}, Numbers{1, 2}, out);
  EXPECT_EQ(out, (Numbers{105, 240}));
  // z = (−1, 2, −1) → (0, 2, 0) without a bias, (0, 3, 0) with it.
  feed_forward<double>({inner, {}}, {outer, {}}, x, out);
  EXPECT_EQ(out, (Numbers{4, 32}));
  feed_forward<double>({inner, inner_bias}, {outer, {}}, x, x);  // over what it reads
  EXPECT_EQ(x, (Numbers{6, 48}));
}

TEST(feed_forward, gradient_passes_units_that_are_on) {
  Numbers x{1, -1}, g{1, 10}, out(2);
  // At (1, −1) the second unit alone is on: W_2ᵀ g = (2·1 + 16·10) = 162, times its row (1, −1).
  feed_forward_gradient<double>({inner, inner_bias}, {outer, outer_bias}, x, g, out);
  EXPECT_EQ(out, (Numbers{162, -162}));
  // At (1, 2) the second is at its kink and passes nothing: the first, 1 + 80 times (1, 2).
  feed_forward_gradient<double>({inner, inner_bias}, {outer, outer_bias}, Numbers{1, 2}, g, out);
  EXPECT_EQ(out, (Numbers{81, 162}));
  // Over what it reads.
  auto over_g = g;
  feed_forward_gradient<double>({inner, inner_bias}, {outer, {}}, x, over_g, over_g);
  EXPECT_EQ(over_g, (Numbers{162, -162}));
  feed_forward_gradient<double>({inner, inner_bias}, {outer, {}}, x, g, x);
  EXPECT_EQ(x, over_g);
}

TEST(feed_forward, without_units_is_its_bias) {
  const Numbers none, bias{3, 4}, x{1, 2};
  Numbers out(2);
  feed_forward<double>({none, none}, {none, bias}, x, out);
  EXPECT_EQ(out, bias);
  feed_forward_gradient<double>({none, none}, {none, bias}, x, x, out);
  EXPECT_EQ(out, (Numbers{0, 0}));
}

TEST(feed_forward, refuses_shapes_that_disagree) {
  const Numbers x{1, 2}, none;
  Numbers out(2), longer(3);
  const std::span<const double> w(inner), b(inner_bias), v(outer);
  const auto forward = [&](auto weights, auto bias, auto to_out, const Numbers& in, Numbers& to) {
    feed_forward<double>({weights, bias}, {to_out, {}}, in, to);
  };
  EXPECT_NO_THROW(forward(w, b, v, x, out));
  EXPECT_THROW(forward(w.first(5), b, v, x, out), std::invalid_argument);
  EXPECT_THROW(forward(w, b.first(2), v, x, out), std::invalid_argument);
  EXPECT_THROW(forward(w, b, v.first(5), x, out), std::invalid_argument);
  EXPECT_THROW(forward(w, b, v, x, longer), std::invalid_argument);
  EXPECT_THROW(forward(w, b, v, none, out), std::invalid_argument);
  for (const std::size_t units : {3u, 0u}) {
    const auto gradient = [&](const Numbers& upstream, Numbers& to) {
      feed_forward_gradient<double>({w.first(2 * units), b.first(units)}, {v.first(2 * units), {}},
                                    x, upstream, to);
    };
    EXPECT_NO_THROW(gradient(x, out));
    EXPECT_THROW(gradient(longer, out), std::invalid_argument);
    EXPECT_THROW(gradient(x, longer), std::invalid_argument);
  }
}

}  // namespace
