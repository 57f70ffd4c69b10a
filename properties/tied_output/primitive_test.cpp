// The shared table as output layer: rows times hidden vector, then the multiplier.
#include <embedscale/format.hpp>
#include <embedscale/random.hpp>
#include <embedscale/tied_output.hpp>

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "properties/exact/decimal50.hpp"

namespace {

using embedscale::EmbeddingTable, embedscale::tied_logits;
using Wide = embedscale::properties::exact::Decimal50;

TEST(tied_output, logit_is_the_product_with_the_row_of_its_token) {
  const EmbeddingTable<double> table(3, 2, {1, 2, 3, 4, 5, 6});
  const std::vector<double> h{10, 100};
  std::vector<double> out(3);
  tied_logits<double>(table, h, 1.0, out);
  EXPECT_EQ(out, (std::vector<double>{210, 430, 650}));
  tied_logits<double>(table, h, 0.5, out);
  EXPECT_EQ(out, (std::vector<double>{105, 215, 325}));
}

// The input's √d_model belongs to the look-up: at multiplier 1 the logit of a row with itself is
// its squared norm, not √d times it.
TEST(tied_output, the_look_up_multiplier_does_not_come_along) {
  const EmbeddingTable<double> table(2, 4, {1, 2, 3, 4, 0, 0, 0, 1});
  std::vector<double> looked_up(4), out(2);
  table.look_up(0, embedscale::root_multiplier<double>(4), std::span(looked_up));
  tied_logits<double>(table, table.row(0), 1.0, out);
  EXPECT_EQ(out, (std::vector<double>{30, 4}));
  tied_logits<double>(table, looked_up, 1.0, out);
  EXPECT_EQ(out, (std::vector<double>{60, 8}));
}

template <class>
class tied_output_in : public testing::Test {};
using Reals = testing::Types<embedscale::bfloat16, float, double>;
TYPED_TEST_SUITE(tied_output_in, Reals);

// d products and d − 1 sums, then the multiplier: γ_{d+1} Σ|m·E_vj·h_j|.
TYPED_TEST(tied_output_in, each_logit_is_within_its_rounding_bound) {
  using Real = TypeParam;
  constexpr std::size_t vocabulary = 50, d = 48;
  const embedscale::Stream stream(0, "tied output");
  std::vector<Real> values, h;
  for (std::uint64_t i = 0; i < vocabulary * d; ++i)
    values.push_back(static_cast<Real>(0.02 * stream.normal(i)));
  for (std::uint64_t j = 0; j < d; ++j)
    h.push_back(static_cast<Real>(stream.normal(vocabulary * d + j)));
  const EmbeddingTable<Real> table(vocabulary, d, values);
  const Real m = static_cast<Real>(1.0 / std::sqrt(48.0));
  std::vector<Real> out(vocabulary);
  tied_logits<Real>(table, h, m, out);
  const Wide roundings = (d + 1) * Wide(embedscale::unit_roundoff<Real>);
  const Wide bound = roundings / (1 - roundings);
  for (std::size_t v = 0; v < vocabulary; ++v) {
    Wide exact = 0, sizes = 0;
    for (std::size_t j = 0; j < d; ++j) {
      const Wide term = Wide(double(m)) * double(values[v * d + j]) * double(h[j]);
      exact += term;
      sizes += abs(term);
    }
    ASSERT_LE(abs(Wide(double(out[v])) - exact), bound * sizes) << v;
  }
}

// 2^24 + 1 loses its 1 before the multiplier; scaling h first, as T5 does, keeps another value.
TEST(tied_output, multiplier_comes_after_the_sum) {
  const EmbeddingTable<float> table(1, 2, {0x1p24f, 1.0f});
  const std::vector<float> h{1.0f, 1.0f}, scaled{3.0f, 3.0f};
  std::vector<float> out(1);
  tied_logits<float>(table, h, 3.0f, out);
  EXPECT_EQ(out[0], 3.0f * 0x1p24f);
  tied_logits<float>(table, scaled, 1.0f, out);
  EXPECT_EQ(out[0], 3.0f * 0x1p24f + 4.0f);
}

TEST(tied_output, refuses_shapes_that_disagree) {
  const EmbeddingTable<float> table(3, 2, std::vector<float>(6));
  std::vector<float> h(2), out(3), wrong_h(3), wrong_out(2);
  EXPECT_NO_THROW(tied_logits<float>(table, h, 1.0f, out));
  EXPECT_THROW(tied_logits<float>(table, wrong_h, 1.0f, out), std::invalid_argument);
  EXPECT_THROW(tied_logits<float>(table, h, 1.0f, wrong_out), std::invalid_argument);
  try {
    tied_logits<float>(table, wrong_h, 1.0f, out);
  } catch (const std::invalid_argument& error) {
    EXPECT_EQ(std::string(error.what()), "tied_logits: hidden vector: got 3, needs 2");
  }
}

}  // namespace
