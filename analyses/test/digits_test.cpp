// What is written of an estimate: no digit that its interval lacks, and ends that are outside.
#include "report/digits.hpp"

#include <gtest/gtest.h>
#include <embedscale/random.hpp>

#include <cmath>
#include <limits>

#include "report/table.hpp"

namespace embedscale::report::digits_test {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

TEST(digits, are_those_that_the_interval_supports_and_no_more_than_declared) {
  const struct {
    Known known;
    int declared, digits;
    Decimal lower, upper;
  } rows[] = {// Half of 2.5 is 1.25: units.
              {{85.4, 84.13, 86.63, 0.999}, 3, 2, {84.1, 3}, {86.7, 3}},
              {{0.1234, 0.12319, 0.12361, 0.999}, 6, 4, {0.12319, 5}, {0.12361, 5}},
              // Rounded to these they have a digit more in front: 10.0 and 1.00.
              {{9.96, 9.831, 10.088, 0.999}, 5, 3, {9.83, 3}, {10.09, 4}},
              {{0.996, 0.978, 1.014, 0.999}, 3, 3, {0.978, 3}, {1.014, 4}},
              // Narrower than what is declared, which is an interval all the same.
              {{11.08765, 11.08764, 11.08766, 0.999}, 4, 4, {11.08, 4}, {11.09, 4}},
              // An interval beside which the value is nothing.
              {{1e-20, 0, 1.004e-3, 0.99}, 3, 1, {0, 1}, {0.00101, 3}},
              {{0.3, -0.04, 0.64, 0.99}, 3, 1, {-0.04, 1}, {0.64, 2}},
              {{0, 0, 0.01234, 0.99}, 3, 3, {0, 1}, {0.0124, 3}},
              // Of one sign, to two digits at least.
              {{2.543, 0.877, 3.391, 0.999}, 3, 2, {0.8, 1}, {3.4, 2}},
              {{0.0026, 0.0011, 0.0041, 0.999}, 1, 1, {0.0011, 2}, {0.0041, 2}},
              // Certain: every end by itself.
              {{0.25, 0.12345, 40.321, {}}, 3, 3, {0.123, 3}, {40.4, 3}},
              {{3, -infinity, infinity, 0.999}, 3, 1, {-infinity, 1}, {infinity, 1}},
              {{0.25, 0.25, 0.25, 0.999}, 3, 3, {0.25, 3}, {0.25, 3}}};
  for (const auto& [known, declared, digits, lower, upper] : rows) {
    EXPECT_EQ(digits_of(known, declared), digits) << known.value;
    const auto low = lower_end(known, digits), high = upper_end(known, digits);
    EXPECT_EQ(low.x, lower.x) << known.value;
    EXPECT_EQ(low.digits, lower.digits) << known.value;
    EXPECT_EQ(high.x, upper.x) << known.value;
    EXPECT_EQ(high.digits, upper.digits) << known.value;
  }
}

/// Whatever the sizes of a value and of its interval: what is written has what was measured, the
/// value as it is written, too, and is at most a unit of its last digit wider at each end.
TEST(digits, ends_are_outside) {
  const Stream stream(1, "ends of intervals");
  for (std::uint64_t i = 0; i < 5'000; ++i) {
    const auto uniform = [&](std::uint64_t k) { return 2 * stream.uniform(4 * i + k) - 1; };
    const double x = uniform(0) * std::pow(10.0, 12 * uniform(1));
    const double half = std::abs(x) * std::pow(10.0, 4 * uniform(2) - 3);
    const Known known{x, x - half, x + half * (1 + uniform(3) / 2), 0.999};
    const int declared = 1 + static_cast<int>(i % 6), digits = digits_of(known, declared);
    const auto low = lower_end(known, digits), high = upper_end(known, digits);
    ASSERT_LE(low.x, *known.lower);
    ASSERT_GE(high.x, *known.upper);
    const double unit = std::max(0.13 * half, std::pow(10.0, 1 - declared) * std::abs(x));
    ASSERT_LE(*known.lower - low.x, unit * (1 + 1e-12)) << x << " " << half;
    ASSERT_LE(high.x - *known.upper, unit * (1 + 1e-12)) << x << " " << half;
    ASSERT_LE(low.x, rounded(x, digits));
    ASSERT_GE(high.x, rounded(x, digits));
  }
}

TEST(rounded_down, is_the_next_number_below_of_so_many_digits) {
  const struct {
    double x;
    int digits;
    double below, above;
  } rows[] = {{0.12345, 4, 0.1234, 0.1235},
              {-0.12345, 4, -0.1235, -0.1234},
              {0.3, 1, 0.3, 0.3},
              {0.99999, 4, 0.9999, 1},
              {1.00001, 4, 1, 1.001},
              {1e-300, 2, 1e-300, 1e-300},
              {123456, 2, 120000, 130000},
              {0, 3, 0, 0},
              {infinity, 3, infinity, infinity}};
  for (const auto& [x, digits, below, above] : rows) {
    EXPECT_EQ(rounded_down(x, digits), below) << x;
    EXPECT_EQ(rounded_up(x, digits), above) << x;
  }
}

TEST(confidence, is_never_rounded_up) {
  const auto written = [](double c) { return written_confidence({0, 0, 0, c}, 2).x; };
  EXPECT_EQ(written(1 - ((1 - 0.999) + (1 - 0.999))), 0.998);
  for (const double c : {0.99, 0.999, 0.9999, 0.95, 0.0}) EXPECT_EQ(written(c), c);
  EXPECT_EQ(written(1 - 1e-9), 0.999999);
}

}  // namespace
}  // namespace embedscale::report::digits_test
