// What an axis shows of its data: its range, and its ticks.
#include "report/axis.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace embedscale::report {
namespace {

std::string labels(const std::vector<Tick>& of) {
  std::string text;
  for (const Tick& tick : of) text += (text.empty() ? "" : " ") + tick.label;
  return text;
}

TEST(axis, reaches_past_its_data_and_includes_zero_where_that_costs_less_than_half) {
  for (const Scale scale : {Scale::linear, Scale::log2, Scale::log10})
    EXPECT_TRUE(padded(scale, 1e-9, 1e9).low < 1e-9 && padded(scale, 1e-9, 1e9).high > 1e9);
  EXPECT_LT(padded(Scale::linear, 1, 3).low, 0);
  EXPECT_GT(padded(Scale::linear, -3, -1).high, 0);
  EXPECT_GT(padded(Scale::linear, 2, 3).low, 1);
  EXPECT_LT(padded(Scale::linear, -3, -2).high, -1);
}

/// Written as powers where numbers are long; by doubles and fivefolds where the range is short; on
/// a linear axis gnuplot's own.
TEST(ticks, are_the_powers_in_the_range) {
  const auto log2 = Scale::log2, log10 = Scale::log10;
  EXPECT_EQ(labels(ticks(log2, {60, 1100}, 12)), "64 128 256 512 1024");
  EXPECT_EQ(labels(ticks(log10, {0.005, 200}, 8)), "0.01 0.1 1 10 100");
  EXPECT_EQ(labels(ticks(log2, {0.4, 5}, 12)), "2⁻¹ 2⁰ 2¹ 2²");
  EXPECT_EQ(labels(ticks(log10, {1e-7, 2e-4}, 8)), "10⁻⁷ 10⁻⁶ 10⁻⁵ 10⁻⁴");
  EXPECT_EQ(labels(ticks(log10, {1e-13, 1}, 8)), "10⁻¹² 10⁻¹⁰ 10⁻⁸ 10⁻⁶ 10⁻⁴ 10⁻² 10⁰");
  EXPECT_EQ(labels(ticks(log10, {0.9, 60}, 8)), "1 2 5 10 20 50");
  EXPECT_EQ(labels(ticks(log10, {2.1, 7}, 8)), "5");
  EXPECT_TRUE(ticks(Scale::linear, {0, 1}, 8).empty());
}

}  // namespace
}  // namespace embedscale::report
