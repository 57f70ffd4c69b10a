// One query against n keys: sums in their stated order, softmax and entropy against 50 digits with
// bounds derived from n, u and the range of the logits.
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

#include "../exact/decimal50.hpp"

namespace {

using embedscale::attention_scale, embedscale::dot, embedscale::entropy, embedscale::logits,
    embedscale::softmax;
using Wide = embedscale::properties::exact::Decimal50;
constexpr double infinity = std::numeric_limits<double>::infinity();

template <class Real>
Wide gamma(std::size_t k) {  // k roundings
  const Wide ku = k * Wide(embedscale::unit_roundoff<Real>);
  return ku / (1 - ku);
}
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

// To the bit, as is promised: nearly every other order rounds otherwise. Its error is then that of
// n roundings.
TYPED_TEST(attention, dot_sums_from_left_to_right_at_every_size) {
  using Real = TypeParam;
  for (const auto n : drawn_sizes()) {
    const auto q = normals<Real>(n, "q"), k = normals<Real>(n, "k");
    Real sum(0);
    for (std::size_t i = 0; i < n; ++i) sum = sum + Real(q[i] * k[i]);
    EXPECT_TRUE(dot<Real>(q, k) == sum) << n;
  }
}

// Powers of four are exact. Elsewhere: root and quotient in double, 2.01u of double with the terms
// in u², then one rounding to Real.
TYPED_TEST(attention, scale_is_the_reciprocal_root) {
  const Wide u = embedscale::unit_roundoff<TypeParam>, in_double = 2.01 * 0x1p-53;
  for (std::size_t d_k = 1; d_k <= 1024; ++d_k) {
    const Wide error = abs(Wide(double(attention_scale<TypeParam>(d_k))) * sqrt(Wide(d_k)) - 1);
    ASSERT_LE(error, in_double + u * (1 + in_double)) << d_k;
  }
  EXPECT_TRUE(attention_scale<TypeParam>(64) == TypeParam(0.125));
  EXPECT_THROW(attention_scale<TypeParam>(0), std::invalid_argument);
}

// Root and quotient, doubled by squaring, and two products: 6u, one u for the terms in u²; ε is 2u.
TEST(attention_scale, keeps_all_digits_of_a_wider_type) {
  const Wide error = abs(attention_scale<Wide>(3) * attention_scale<Wide>(3) * 3 - 1);
  EXPECT_LE(error, 3.5 * std::numeric_limits<Wide>::epsilon());
  EXPECT_GT(attention_scale<Wide>(3), 0);
}

TEST(attention_scale, takes_widths_that_no_int_holds) {
  EXPECT_EQ(attention_scale<double>(std::size_t{1} << 32), 0x1p-16);
  EXPECT_EQ(attention_scale<float>(std::size_t{1} << 32), 0x1p-16f);
}

TEST(attention_logits, are_scaled_products_with_each_row) {
  const std::vector<double> q{1, 10}, keys{1, 2, 3, 4, 5, 6};  // three keys of two channels
  std::vector<double> z(3);
  logits<double>(q, keys, 0.5, z);
  EXPECT_EQ(z, (std::vector<double>{10.5, 21.5, 32.5}));
}

// The product rounds before the scale: fl(s·fl(Σ)), not Σ fl(s·q_i)k_i. 1/u + 1 loses its 1 first.
TEST(attention_logits, scale_after_the_sum) {
  const std::vector<float> q{0x1p24f, 1.0f}, key{1.0f, 1.0f};
  std::vector<float> z(1);
  logits<float>(q, key, 3.0f, z);
  EXPECT_EQ(z[0], 3.0f * 0x1p24f);  // 3·2^24 + 3 would round to 3·2^24 + 4
}

TEST(attention_logits, refuse_shapes_that_disagree) {
  const std::vector<double> q(2), keys(6);
  std::vector<double> z(4);
  EXPECT_THROW(logits<double>(q, keys, 1.0, z), std::invalid_argument);
  EXPECT_THROW(dot<double>(q, keys), std::invalid_argument);
}

// With R = max z − min z: the difference rounds, an absolute error u·R in the exponent and a factor
// exp(±uR); exp has an ulp of libm, 2u (the small formats round a double once, u, and its ulp hides
// in the other). So each exponential has a relative error E = exp(uR)(1 + 2u) − 1, the sum of n
// positive ones γ_{n−1} more, the quotient u. Nothing underflows at R < 80.
TYPED_TEST(attention, softmax_is_within_its_rounding_bound) {
  const Wide u = embedscale::unit_roundoff<TypeParam>;
  for (const std::size_t n : {1u, 2u, 16u, 100u})
    for (const double deviation : {0.1, 1.0, 8.0}) {
      const auto z = normals<TypeParam>(n, "softmax", deviation);
      const auto [least, most] = std::minmax_element(z.begin(), z.end());
      const Wide range = double(*most) - double(*least);
      ASSERT_LT(range, 80);
      const Wide e = exp(u * range) * (1 + 2 * u) - 1;
      const Wide bound = (1 + e) / ((1 - e) * (1 - gamma<TypeParam>(n))) - 1;
      Wide sum = 0;
      for (const auto& value : z) sum += exp(Wide(double(value)));
      auto w = z;
      softmax<TypeParam>(w);
      for (std::size_t j = 0; j < n; ++j) {
        const Wide exact = exp(Wide(double(z[j]))) / sum;
        ASSERT_LE(abs(Wide(double(w[j])) - exact), bound * exact) << n << " " << deviation;
      }
    }
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

// ln has an ulp of libm (2u), the product u, n sums: γ_{n+3} Σ|w ln w|, and all terms have one
// sign.
TYPED_TEST(attention, entropy_is_within_its_rounding_bound) {
  for (const std::size_t n : {2u, 16u, 40u}) {
    auto w = normals<TypeParam>(n, "entropy");
    softmax<TypeParam>(w);
    Wide exact = 0;
    for (const auto& value : w) exact -= Wide(double(value)) * log(Wide(double(value)));
    EXPECT_LE(abs(Wide(double(entropy<TypeParam>(w))) - exact), gamma<TypeParam>(n + 3) * exact);
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
