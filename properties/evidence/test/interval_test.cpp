// Intervals reach as far as their laws say.
#include "../interval.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <utility>

namespace embedscale::properties::evidence {
namespace {

constexpr double nominal = 0.001;

constexpr double u = 0x1p-53;

/// Roots of the regularised incomplete beta and error functions, by mpmath to 30 digits. An error
/// of 1e−12 of q moves α by 2e−11 of itself where q < 4, as d ln α/d ln q is q² + 1 at most (of a
/// normal law; of Student's it is less), and for two draws, where α is about 2/(πq), by 1e−12.
TEST(deviations, are_the_quantiles_of_the_laws) {
  const struct {
    std::uint64_t n;
    double quantile;
  } known[] = {{2, 636.619248768719603},
               {16, 4.07276519590379171},
               {30, 3.65940501946633285},
               {10000, 3.29150006330093185}};
  for (const auto& [n, quantile] : known)
    EXPECT_NEAR(student_deviations(n, nominal), quantile, 1e-12 * quantile);
  EXPECT_NEAR(normal_deviations(nominal), 3.29052673149189479, 1e-14);
  EXPECT_NEAR(normal_deviations(1e-4), 3.89059188641309397, 1e-14);
  for (const std::uint64_t n : {0, 1}) EXPECT_EQ(student_deviations(n, nominal), INFINITY);
}

/// Welford's sums and Chan's, of parts of any size. Multiples of 60 have whole means up to five
/// so that Welford's are exact. Chan's round the share, its product and the sum: 3u at most of
/// the range, 600, which no mean exceeds; the squares' likewise, of what they gain or are.
TEST(sample, of_two_parts_is_that_of_all) {
  constexpr std::array x{60.0, 240.0, -120.0, 120.0, 480.0};
  Sample all;
  for (const double one : x) all.add(one);
  for (std::size_t first = 0; first <= x.size(); ++first) {
    Sample a, b;
    for (std::size_t i = 0; i < x.size(); ++i) (i < first ? a : b).add(x[i]);
    a += b;
    EXPECT_EQ(a.n, all.n);
    EXPECT_NEAR(a.mean, all.mean, 3 * u * 600);
    EXPECT_NEAR(a.squares, all.squares, 4 * u * all.squares);
  }
}

/// By hand: mean 2, variance 2, of two draws: 2 ± t, which rounds once.
TEST(mean_interval, is_the_mean_by_students_t) {
  Sample two;
  two.add(1), two.add(3);
  const auto at = mean_interval(two, nominal);
  EXPECT_NEAR(at.upper - 2, student_deviations(2, nominal), 2 * u * at.upper);
  EXPECT_NEAR(2 - at.lower, at.upper - 2, 4 * u * at.upper);
  EXPECT_EQ(mean_interval(Sample{.n = 1, .mean = 2}, nominal).upper, INFINITY);
}

constexpr std::array<std::pair<double, double>, 6> pairs{
    {{1.2, 2.1}, {0.9, 1.8}, {1.1, 2.4}, {1.0, 2.0}, {1.3, 2.2}, {0.8, 2.3}}};

/// What defines an end: the mean of x − ρy is t standard errors away from 0.
TEST(quotient_interval, ends_where_the_difference_has_mean_0_no_more) {
  PairedSample all;
  for (const auto& [x, y] : pairs) all.add(x, y);
  const auto at = quotient_interval(all, nominal);
  EXPECT_LT(at.lower, all.x / all.y);
  EXPECT_GT(at.upper, all.x / all.y);
  for (const double end : {at.lower, at.upper}) {
    Sample difference;
    for (const auto& [x, y] : pairs) difference.add(x - end * y);
    const auto of_mean = mean_interval(difference, nominal);
    EXPECT_NEAR(end == at.lower ? of_mean.lower : of_mean.upper, 0, 1e-12);
  }
}

TEST(quotient_interval, tells_nothing_over_what_may_be_0) {
  PairedSample all;
  all.add(1, 1), all.add(1, -0.9), all.add(1, 0.8);
  EXPECT_EQ(quotient_interval(all, nominal).lower, -INFINITY);
  PairedSample one;
  one.add(1, 1);
  EXPECT_EQ(quotient_interval(one, nominal).upper, INFINITY);
}

}  // namespace
}  // namespace embedscale::properties::evidence
