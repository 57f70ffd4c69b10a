// One query against n keys: the ends of the range, what is masked, written over and refused. The
// values are properties: value_properties.cpp.
#include <embedscale/attention.hpp>
#include <embedscale/format.hpp>

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

namespace {

using embedscale::attention_scale, embedscale::softmax, embedscale::softmax_gradient;
constexpr double infinity = std::numeric_limits<double>::infinity();

TEST(attention_scale, refuses_nothing_but_0_and_takes_widths_that_no_int_holds) {
  EXPECT_THROW(attention_scale<double>(0), std::invalid_argument);
  EXPECT_EQ(attention_scale<double>(std::size_t{1} << 32), 0x1p-16);
  EXPECT_EQ(attention_scale<float>(std::size_t{1} << 32), 0x1p-16f);
}

TEST(attention_logits, refuse_shapes_that_disagree) {
  const std::vector<double> q(2), keys(6);
  std::vector<double> z(4);
  EXPECT_THROW(embedscale::logits<double>(q, keys, 1.0, z), std::invalid_argument);
  EXPECT_THROW(embedscale::dot<double>(q, keys), std::invalid_argument);
}

TEST(attention_softmax, does_not_overflow) {
  const float huge = std::numeric_limits<float>::max();
  std::vector<float> w{huge, huge, 0, -huge};
  softmax<float>(w);
  EXPECT_EQ(w, (std::vector<float>{0.5, 0.5, 0, 0}));
}

TEST(attention_softmax, refuses_rows_of_which_nothing_is_left) {
  std::vector<double> all(3, -infinity), none;
  EXPECT_THROW(softmax<double>(all), std::invalid_argument);
  EXPECT_THROW(softmax<double>(none), std::invalid_argument);
}

TEST(attention_softmax, plus_infinity_or_nan_is_not_hidden) {
  for (const double bad : {infinity, std::nan("")})
    for (std::vector<double> w : {std::vector{bad, 1.0}, std::vector{1.0, bad}}) {
      softmax<double>(w);
      EXPECT_TRUE(std::isnan(w[0]) || std::isnan(w[1])) << bad;
    }
}

TEST(attention_softmax, gradient_may_write_over_what_it_reads_and_refuses_other_shapes) {
  const std::vector<double> a{0.5, 0.25, 0.25}, g{3, -4, 2};  // ⟨a, g⟩ = 1
  std::vector<double> out = g, shorter(2);
  softmax_gradient<double>(a, out, out);
  EXPECT_EQ(out, (std::vector<double>{1, -1.25, 0.25}));
  EXPECT_THROW(softmax_gradient<double>(a, g, shorter), std::invalid_argument);
  EXPECT_THROW(softmax_gradient<double>(a, shorter, out), std::invalid_argument);
}

}  // namespace
