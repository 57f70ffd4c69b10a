// Concatenation as a sum of padded parts, for all small sizes and for generated ones.
#include <embedscale/combination.hpp>
#include <embedscale/concatenation.hpp>
#include <embedscale/format.hpp>

#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

#include <cmath>
#include <cstdint>
#include <span>
#include <stdexcept>
#include <vector>

namespace {

using embedscale::concatenate, embedscale::pad_left, embedscale::pad_right;

TEST(concatenation, keeps_both_parts_in_order) {
  const std::vector<float> e{1, 2, 3}, p{-4, -5};
  std::vector<float> x(5, 99.0f);
  concatenate<float>(e, p, x);
  EXPECT_EQ(x, (std::vector<float>{1, 2, 3, -4, -5}));
}

TEST(concatenation, padding_puts_zeros_on_its_own_side) {
  const std::vector<float> e{1, 2, 3};
  std::vector<float> x(5, 99.0f);  // not zero before
  pad_right<float>(e, x);
  EXPECT_EQ(x, (std::vector<float>{1, 2, 3, 0, 0}));
  x.assign(5, 99.0f);
  pad_left<float>(e, x);
  EXPECT_EQ(x, (std::vector<float>{0, 0, 1, 2, 3}));
}

// Integers of any sign as floats: sums with 0 and squares of the sizes drawn are exact, so equality
// is meant. RapidCheck's vectors include the empty one, on either side.
std::vector<float> floats(const std::vector<std::int16_t>& integers) {
  return {integers.begin(), integers.end()};
}

RC_GTEST_PROP(concatenation, is_the_sum_of_the_padded_parts,
              (const std::vector<std::int16_t>& token, const std::vector<std::int16_t>& position)) {
  const auto e = floats(token), p = floats(position);
  std::vector<float> whole(e.size() + p.size()), left(whole), right(whole), sum(whole);
  concatenate<float>(e, p, whole);
  pad_right<float>(e, left);
  pad_left<float>(p, right);
  embedscale::combine<float>(left, right, sum, embedscale::sum<float>);
  RC_ASSERT(sum == whole);
}

RC_GTEST_PROP(concatenation, adds_the_squared_norms,
              (const std::vector<std::int8_t>& token, const std::vector<std::int8_t>& position)) {
  const auto squared_norm = [](const auto& x) {
    std::int64_t sum = 0;
    for (const auto value : x) sum += static_cast<std::int64_t>(value) * value;
    return sum;
  };
  const std::vector<int> e(token.begin(), token.end()), p(position.begin(), position.end());
  std::vector<int> whole(e.size() + p.size());
  concatenate<int>(e, p, whole);
  RC_ASSERT(squared_norm(whole) == squared_norm(e) + squared_norm(p));
}

RC_GTEST_PROP(concatenation, padded_parts_are_orthogonal,
              (const std::vector<std::int8_t>& token, const std::vector<std::int8_t>& position)) {
  const std::vector<int> e(token.begin(), token.end()), p(position.begin(), position.end());
  std::vector<int> left(e.size() + p.size()), right(left);
  pad_right<int>(e, left);
  pad_left<int>(p, right);
  for (std::size_t j = 0; j < left.size(); ++j) RC_ASSERT(left[j] * right[j] == 0);
}

// The one bit that the sum does not keep, as the header says.
TEST(concatenation, copies_a_negative_zero_that_the_sum_loses) {
  const std::vector<float> e{-0.0f}, p{1.0f};
  std::vector<float> whole(2), left(2), right(2);
  concatenate<float>(e, p, whole);
  pad_right<float>(e, left);
  pad_left<float>(p, right);
  EXPECT_TRUE(std::signbit(whole[0]));
  EXPECT_FALSE(std::signbit(left[0] + right[0]));
  EXPECT_EQ(whole[0], left[0] + right[0]);
}

TEST(concatenation, works_in_small_formats) {
  using embedscale::binary16;
  const std::vector<binary16> e{binary16(0.1)}, p{binary16::max()};
  std::vector<binary16> x(2);
  concatenate<binary16>(e, p, x);
  EXPECT_EQ(x[0].bits(), e[0].bits());
  EXPECT_EQ(x[1].bits(), p[0].bits());
}

TEST(concatenation, refuses_an_output_of_another_size) {
  const std::vector<float> e(3), p(2);
  for (const std::size_t size : {0u, 3u, 4u, 6u}) {
    std::vector<float> x(size);
    EXPECT_THROW(concatenate<float>(e, p, x), std::invalid_argument) << size;
  }
  std::vector<float> narrow(2);
  EXPECT_THROW(pad_right<float>(e, narrow), std::invalid_argument);
  EXPECT_THROW(pad_left<float>(e, narrow), std::invalid_argument);
}

}  // namespace
