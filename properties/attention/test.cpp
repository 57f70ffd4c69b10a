// One query against n keys: the ends of the range, what is masked, written over and refused. The
// values are properties: value_properties.cpp.
#include <embedscale/attention.hpp>
#include <embedscale/format.hpp>
#include <embedscale/random.hpp>

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <limits>
#include <span>
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

template <class>
class attention : public testing::Test {};
using Reals = testing::Types<embedscale::bfloat16, float, double>;
TYPED_TEST_SUITE(attention, Reals);

TYPED_TEST(attention, softmax_does_not_overflow) {
  using Real = TypeParam;
  const Real huge = std::numeric_limits<Real>::max();
  std::vector<Real> w{huge, huge, Real(0), -huge};
  softmax<Real>(w);
  EXPECT_TRUE(w == (std::vector<Real>{Real(0.5), Real(0.5), Real(0), Real(0)}));
  w = {-huge, -huge};
  softmax<Real>(w);
  EXPECT_TRUE(w == (std::vector<Real>{Real(0.5), Real(0.5)}));
}

// One that is not found overflows and leaves a NaN.
TYPED_TEST(attention, softmax_finds_the_largest_wherever_it_stands) {
  using Real = TypeParam;
  const embedscale::Stream stream(0, "row");
  for (std::size_t n = 1; n <= 1024; n += 1 + n / 16)
    for (const auto largest : {std::size_t{0}, n / 2, n - 1}) {
      std::vector<Real> w;
      for (std::uint64_t i = 0; i < n; ++i) w.push_back(static_cast<Real>(stream.normal(i)));
      w[largest] = std::numeric_limits<Real>::max();
      softmax<Real>(w);
      for (std::size_t j = 0; j < n; ++j)
        ASSERT_TRUE(w[j] == Real(j == largest ? 1 : 0)) << j << " of " << n;
    }
}

TYPED_TEST(attention, masked_entries_get_weight_0_and_change_no_other) {
  using Real = TypeParam;
  const Real masked = -std::numeric_limits<Real>::infinity();
  std::vector<Real> w{masked, Real(1), masked, Real(2)}, alone{Real(1), Real(2)};
  softmax<Real>(w);
  softmax<Real>(alone);
  EXPECT_TRUE(w == (std::vector<Real>{Real(0), alone[0], Real(0), alone[1]}));
  std::vector<Real> all(3, masked), none;
  EXPECT_THROW(softmax<Real>(all), std::invalid_argument);
  EXPECT_THROW(softmax<Real>(none), std::invalid_argument);
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
