// Linear layers and sums of weighted rows: which way round, in which order, and what is refused.
// Whole numbers and powers of two are exact.
#include <embedscale/embedding.hpp>
#include <embedscale/format.hpp>
#include <embedscale/linear.hpp>
#include <embedscale/random.hpp>

#include <gtest/gtest.h>

#include <vector>

namespace {

using embedscale::linear, embedscale::weighted_sum;

TEST(linear, multiplies_rows_of_the_matrix_and_adds_the_bias) {
  const std::vector<double> w{1, 2, 3, 4, 5, 6}, b{10, -10}, x{1, -1, 2};
  std::vector<double> out(2);
  linear<double>({w, b}, x, out);
  EXPECT_EQ(out, (std::vector<double>{15, 1}));
  linear<double>({w, {}}, x, out);
  EXPECT_EQ(out, (std::vector<double>{5, 11}));
}

template <class>
class linear_in : public testing::Test {};
using Reals = testing::Types<embedscale::bfloat16, float, double>;
TYPED_TEST_SUITE(linear_in, Reals);

// 1/u + 1 is a tie that goes back to 1/u: the bias comes last.
TYPED_TEST(linear_in, the_bias_comes_last) {
  using Real = TypeParam;
  const Real big(1.0 / embedscale::unit_roundoff<Real>), one(1);
  const std::vector<Real> ones(2, one);
  std::vector<Real> out(1);
  linear<Real>({std::vector{big, one}, std::vector{Real(-big)}}, ones, out);
  EXPECT_TRUE(out[0] == Real(0));
  linear<Real>({std::vector{big, Real(-big)}, std::vector{one}}, ones, out);
  EXPECT_TRUE(out[0] == one);
}

// To the bit, with numbers whose every sum rounds: from the first row to the last, none left out;
// so a token table weighs its rows.
TYPED_TEST(linear_in, weighted_sums_take_every_row_in_its_order) {
  using Real = TypeParam;
  const embedscale::Stream stream(0, "weighted sum");
  for (const std::size_t n : {1u, 2u, 8u, 9u, 16u, 17u, 31u, 64u, 100u, 257u, 1024u}) {
    std::vector<Real> a(n), rows(3 * n), out(3), expected(3, Real(0));
    for (std::size_t i = 0; i < n; ++i) {
      a[i] = static_cast<Real>(stream.normal(i));
      for (std::size_t j = 0; j < 3; ++j) {
        rows[3 * i + j] = static_cast<Real>(stream.normal(3 * i + j, 1));
        expected[j] = expected[j] + Real(a[i] * rows[3 * i + j]);
      }
    }
    weighted_sum<Real>(a, rows, out);
    EXPECT_TRUE(out == expected) << n;
    embedscale::EmbeddingTable<Real>(n, 3, rows).multiply(a, out);
    EXPECT_TRUE(out == expected) << n;
  }
}

TEST(linear, weighted_sum_multiplies_by_the_transposed_matrix) {
  const std::vector<double> rows{1, 2, 3, 4, 5, 6};  // two rows of three
  std::vector<double> out(3);
  weighted_sum<double>(std::vector<double>{1, 10}, rows, out);
  EXPECT_EQ(out, (std::vector<double>{41, 52, 63}));
  weighted_sum<double>({}, {}, out);
  EXPECT_EQ(out, (std::vector<double>{0, 0, 0}));
}

TEST(linear, refuses_shapes_that_disagree) {
  const std::vector<double> w(6), b(2), x(3);
  std::vector<double> out(2), longer(3);
  EXPECT_THROW(linear<double>({std::span(w).first(5), b}, x, out), std::invalid_argument);
  EXPECT_THROW(linear<double>({w, std::span(b).first(1)}, x, out), std::invalid_argument);
  EXPECT_THROW(linear<double>({w, x}, x, out), std::invalid_argument);
  EXPECT_THROW(linear<double>({w, b}, b, out), std::invalid_argument);
  EXPECT_THROW(linear<double>({w, b}, x, longer), std::invalid_argument);
  EXPECT_THROW(weighted_sum<double>(x, w, longer), std::invalid_argument);
  EXPECT_NO_THROW(weighted_sum<double>(x, w, out));
}

}  // namespace
