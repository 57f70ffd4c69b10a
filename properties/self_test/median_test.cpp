// The interval of a median: its ranks against binomial tables, and its coverage counted exactly.
#include "../evidence/median.hpp"
#include "../evidence/proportion.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <numeric>
#include <stdexcept>
#include <vector>

namespace embedscale::properties::evidence {
namespace {

std::vector<double> one_to(std::size_t n) {
  std::vector<double> x(n);
  std::iota(x.begin(), x.end(), 1.0);
  return x;
}

TEST(median, is_the_middle_or_the_mean_of_two) {
  EXPECT_EQ(median(one_to(5)), 3.0);
  EXPECT_EQ(median(one_to(4)), 2.5);
  EXPECT_THROW(median(one_to(0)), std::invalid_argument);
}

// P(K <= 1 of 10) = 11/1024 and P(K <= 2) = 56/1024: at α = 0.05 the second smallest and largest.
TEST(median, interval_has_the_ranks_of_the_tables) {
  const auto at = [](std::size_t n, double alpha) { return median_interval(one_to(n), alpha); };
  EXPECT_EQ(at(10, 0.05).lower, 2.0);
  EXPECT_EQ(at(10, 0.05).upper, 9.0);
  EXPECT_EQ(at(10, 0.12).lower, 3.0);
  EXPECT_EQ(at(100, 0.05).lower, 40.0);  // P(K <= 39) = 0.0176, P(K <= 40) = 0.0284
  EXPECT_EQ(at(100, 0.05).upper, 61.0);
}

TEST(median, interval_is_all_numbers_where_draws_are_too_few) {
  EXPECT_TRUE(std::isinf(median_interval(one_to(5), 0.05).lower));  // 2/32 is above 0.05
  EXPECT_EQ(median_interval(one_to(6), 0.05).upper, 6.0);           // 2/64 is not
  EXPECT_TRUE(std::isinf(median_interval(one_to(0), 0.05).upper));
}

// So many of n draws lie below the median as a fair coin says: the interval misses it where fewer
// than k or more than n − k do.
TEST(median, interval_misses_the_median_as_rarely_as_promised) {
  for (const std::size_t n : {6, 25, 1000})
    for (const double alpha : {0.05, 1e-3}) {
      const auto interval = median_interval(one_to(n), alpha);
      if (std::isinf(interval.lower)) continue;
      const auto k = static_cast<std::uint64_t>(interval.lower);
      EXPECT_LE(2 * at_most(n, 0.5, k - 1), alpha) << n;
      EXPECT_GT(2 * at_most(n, 0.5, k), alpha) << n;
    }
}

}  // namespace
}  // namespace embedscale::properties::evidence
