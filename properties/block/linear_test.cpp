// Linear layers, sums of weighted rows and the feed-forward network: in which order, at the kink,
// and what is refused. Whole numbers and powers of two are exact; values are
// properties: attention/value_properties.cpp, properties.cpp.
#include <embedscale/feed_forward.hpp>
#include <embedscale/linear.hpp>

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <span>
#include <vector>

namespace {

using embedscale::feed_forward, embedscale::feed_forward_gradient, embedscale::linear,
    embedscale::relu, embedscale::weighted_sum;
using Numbers = std::vector<double>;

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
  const Numbers w(6), b(2), x(3);
  Numbers out(2), longer(3);
  EXPECT_THROW(linear<double>({std::span(w).first(5), b}, x, out), std::invalid_argument);
  EXPECT_THROW(linear<double>({w, std::span(b).first(1)}, x, out), std::invalid_argument);
  EXPECT_THROW(linear<double>({w, x}, x, out), std::invalid_argument);
  EXPECT_THROW(linear<double>({w, b}, b, out), std::invalid_argument);
  EXPECT_THROW(linear<double>({w, b}, x, longer), std::invalid_argument);
  EXPECT_THROW(weighted_sum<double>(x, w, longer), std::invalid_argument);
  EXPECT_NO_THROW(weighted_sum<double>(x, w, out));
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
  const Numbers x{1, 2}, none;
  Numbers out(2), longer(3);
  const std::span<const double> w(inner), b(inner_bias), v(outer);
  const auto forward = [](auto weights, auto bias, auto to_out, const Numbers& in, Numbers& to) {
    feed_forward<double>({weights, bias}, {to_out, {}}, in, to);
  };
  EXPECT_THROW(forward(w.first(5), b, v, x, out), std::invalid_argument);
  EXPECT_THROW(forward(w, b.first(2), v, x, out), std::invalid_argument);
  EXPECT_THROW(forward(w, b, v.first(5), x, out), std::invalid_argument);
  EXPECT_THROW(forward(w, b, v, x, longer), std::invalid_argument);
  EXPECT_THROW(forward(w, b, v, none, out), std::invalid_argument);
  const auto gradient = [&](const Numbers& upstream, Numbers& to) {
    feed_forward_gradient<double>({w, b}, {v, {}}, x, upstream, to);
  };
  EXPECT_THROW(gradient(longer, out), std::invalid_argument);
  EXPECT_THROW(gradient(x, longer), std::invalid_argument);
}

}  // namespace
