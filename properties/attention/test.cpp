// One query against n keys: sums in their stated order, the ends of the range, and what is refused.
// The values are properties: value_properties.cpp.
#include <embedscale/attention.hpp>
#include <embedscale/format.hpp>
#include <embedscale/random.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

namespace {

using embedscale::attention_scale, embedscale::dot, embedscale::entropy, embedscale::logits,
    embedscale::softmax;
constexpr double infinity = std::numeric_limits<double>::infinity();

template <class Real>
std::vector<Real> normals(std::size_t n, const char* name, double deviation = 1.0) {
  const embedscale::Stream stream(n, name);
  std::vector<Real> x;
  for (std::uint64_t i = 0; i < n; ++i)
    x.push_back(static_cast<Real>(deviation * stream.normal(i)));
  return x;
}

/// 1, 64 and 1024, and 60 sizes between on a logarithmic scale.
std::vector<std::size_t> drawn_sizes() {
  std::vector<std::size_t> sizes{1, 64, 1024};
  const embedscale::Stream stream(0, "sizes");
  for (std::uint64_t i = 0; i < 60; ++i)
    sizes.push_back(static_cast<std::size_t>(std::exp2(10.0 * stream.uniform(i))));
  return sizes;
}

template <class>
class attention : public testing::Test {};
using Reals = testing::Types<embedscale::bfloat16, float, double>;
TYPED_TEST_SUITE(attention, Reals);

TEST(attention_scale, refuses_nothing_but_0_and_takes_widths_that_no_int_holds) {
  EXPECT_THROW(attention_scale<double>(0), std::invalid_argument);
  EXPECT_EQ(attention_scale<double>(std::size_t{1} << 32), 0x1p-16);
  EXPECT_EQ(attention_scale<float>(std::size_t{1} << 32), 0x1p-16f);
}

TEST(attention_logits, are_scaled_products_with_each_row) {
  const std::vector<double> q{1, 10}, keys{1, 2, 3, 4, 5, 6};  // three keys of two channels
  std::vector<double> z(3);
  logits<double>(q, keys, 0.5, z);
  EXPECT_EQ(z, (std::vector<double>{10.5, 21.5, 32.5}));
}

TEST(attention_logits, refuse_shapes_that_disagree) {
  const std::vector<double> q(2), keys(6);
  std::vector<double> z(4);
  EXPECT_THROW(logits<double>(q, keys, 1.0, z), std::invalid_argument);
  EXPECT_THROW(dot<double>(q, keys), std::invalid_argument);
}

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
  for (const auto n : drawn_sizes())
    for (const auto largest : {std::size_t{0}, n / 2, n - 1}) {
      auto w = normals<Real>(n, "row");
      w[largest] = std::numeric_limits<Real>::max();
      softmax<Real>(w);
      for (std::size_t j = 0; j < n; ++j)
        ASSERT_TRUE(w[j] == Real(j == largest ? 1 : 0)) << j << " of " << n;
    }
}

TEST(attention_softmax, sees_nothing_beyond_its_row) {
  std::vector<double> w{-1, 0, 1000};
  softmax<double>(std::span(w).first(1));
  EXPECT_EQ(w, (std::vector<double>{1, 0, 1000}));
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

TYPED_TEST(attention, entropy_is_0_for_one_weight) {
  using Real = TypeParam;
  EXPECT_TRUE(entropy<Real>(std::vector{Real(0), Real(1), Real(0)}) == Real(0));
}

// Powers of two and small numbers, exact in every format: ⟨a, g⟩ = 1, a_j (g_j − 1).
TYPED_TEST(attention, softmax_gradient_is_the_weighted_deviation_from_the_weighted_mean) {
  using Real = TypeParam;
  const std::vector<Real> a{Real(0.5), Real(0.25), Real(0.25)}, g{Real(3), Real(-4), Real(2)};
  std::vector<Real> out(3);
  embedscale::softmax_gradient<Real>(a, g, out);
  EXPECT_TRUE(out == (std::vector<Real>{Real(1), Real(-1.25), Real(0.25)}));
  out = g;
  embedscale::softmax_gradient<Real>(a, out, out);  // in place
  EXPECT_TRUE(out == (std::vector<Real>{Real(1), Real(-1.25), Real(0.25)}));
  std::vector<Real> short_of_one(2);
  EXPECT_THROW(embedscale::softmax_gradient<Real>(a, g, short_of_one), std::invalid_argument);
  EXPECT_THROW(embedscale::softmax_gradient<Real>(a, short_of_one, out), std::invalid_argument);
}

}  // namespace
