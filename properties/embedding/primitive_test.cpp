// The table's multiplier beside midpoints, where rounding twice goes wrong; and what tables refuse.
// What they compute are properties.
#include <embedscale/embedding.hpp>
#include <embedscale/format.hpp>

#include <gtest/gtest.h>

#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "rounded.hpp"

namespace {

using embedscale::EmbeddingTable, embedscale::root_multiplier;
using embedscale::properties::embedding::is_nearest_to_the_root;
const embedscale::properties::embedding::Primitives library{};

template <class>
class root : public testing::Test {};
using Formats = testing::Types<embedscale::binary16, embedscale::bfloat16, float, double>;
TYPED_TEST_SUITE(root, Formats);

// The hardest integers: d = m² ± 1 and m² for integer midpoints m = k·2^e, k odd with t + 1 digits,
// where √d is within 1/(2m) of a tie. Below 2^52 that is more than half an ulp of double; from
// there on it is less, and rounding twice goes wrong (d = 4503600164241425 to float: m = 2^26 + 4).
// The tie itself goes to the even neighbour, as where m is converted.
TYPED_TEST(root, is_correctly_rounded_beside_midpoints_below_2_to_the_52) {
  constexpr int digits = embedscale::FormatTraits<TypeParam>::digits;
  if (digits > 25) return;  // double rounds once
  const bool narrow = std::numeric_limits<TypeParam>::max_exponent <= 16;
  const std::uint64_t first = (std::uint64_t{1} << digits) + 1;
  std::uint64_t cases = 0;
  for (std::uint64_t k = first; k < 2 * first - 2; k += 2 * (1 + (first >> 12)))
    for (int e = 0; e < 26; ++e) {
      const std::uint64_t m = k << e;
      if (m >= std::uint64_t{1} << 26 || (narrow && m > 65'000)) break;
      cases += 3;
      ASSERT_EQ(root_multiplier<TypeParam>(m * m), static_cast<TypeParam>(double(m))) << m;
      for (const std::uint64_t d : {m * m - 1, m * m + 1})
        ASSERT_TRUE(is_nearest_to_the_root<TypeParam>(d, library)) << d;
    }
  EXPECT_GE(cases, 1000u);
}

TEST(embedding, refuses_shapes_and_tokens_that_disagree) {
  EXPECT_THROW(EmbeddingTable<float>(2, 3, std::vector<float>(5)), std::invalid_argument);
  EXPECT_THROW(EmbeddingTable<float>(2, 0, {}), std::invalid_argument);
  const EmbeddingTable<float> table(3, 4, std::vector<float>(12));
  std::vector<float> out(4);
  EXPECT_NO_THROW(table.row(2));
  EXPECT_THROW(table.row(3), std::out_of_range);
  EXPECT_THROW(table.look_up(3, 1.0f, std::span(out)), std::out_of_range);
  EXPECT_THROW(table.multiply(std::vector<float>(2), std::span(out)), std::invalid_argument);
  EXPECT_THROW(table.multiply(std::vector<float>(3), std::span(out).first(3)),
               std::invalid_argument);
  out.push_back(0);
  EXPECT_THROW(table.look_up(0, 1.0f, std::span(out)), std::invalid_argument);
}

TEST(embedding, gradient_refuses_slopes_and_tokens_that_do_not_fit) {
  const std::vector<std::size_t> tokens{0, 1};
  std::vector<float> gradient(4);
  const auto add = [&](std::size_t slopes, std::size_t d) {
    embedscale::add_look_up_gradient<float>(tokens, std::vector<float>(slopes), 1.0f, d, gradient);
  };
  EXPECT_NO_THROW(add(4, 2));
  EXPECT_THROW(add(3, 2), std::invalid_argument);
  EXPECT_THROW(add(6, 3), std::out_of_range);
  EXPECT_THROW(add(0, 0), std::out_of_range);
}

}  // namespace
