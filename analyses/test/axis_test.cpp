// Axes reach past their data, and their ticks are powers that read.
#include "report/axis.hpp"

#include <gtest/gtest.h>

namespace embedscale::report {
namespace {

std::string labels(const std::vector<Tick>& of) {
  std::string text;
  for (const Tick& tick : of) text += (text.empty() ? "" : " ") + tick.label;
  return text;
}

TEST(axis, reaches_past_its_data) {
  for (const Scale scale : {Scale::linear, Scale::log2, Scale::log10})
    for (const auto& [low, high] : {Range{1, 3}, Range{1e-9, 1e9}, Range{5, 5}, Range{64, 65}}) {
      const Range range = padded(scale, low, high);
      EXPECT_LT(range.low, low);
      EXPECT_GT(range.high, high);
    }
  const Range around_zero = padded(Scale::linear, 0, 0);
  EXPECT_LT(around_zero.low, 0);
  EXPECT_GT(around_zero.high, 0);
}

TEST(axis, includes_zero_where_that_costs_less_than_half) {
  EXPECT_LT(padded(Scale::linear, 1, 3).low, 0);
  EXPECT_GT(padded(Scale::linear, -3, -1).high, 0);
  EXPECT_GT(padded(Scale::linear, 2, 3).low, 1);
  EXPECT_LT(padded(Scale::linear, -3, -2).high, -1);
}

TEST(axis, runs_from_zero_to_one) {
  EXPECT_DOUBLE_EQ(fraction(Scale::linear, {2, 4}, 3), 0.5);
  EXPECT_DOUBLE_EQ(fraction(Scale::log2, {2, 8}, 4), 0.5);
  EXPECT_DOUBLE_EQ(fraction(Scale::log10, {0.01, 100}, 0.01), 0);
  EXPECT_DOUBLE_EQ(fraction(Scale::log10, {0.01, 100}, 100), 1);
}

TEST(ticks, are_the_powers_in_the_range) {
  EXPECT_EQ(labels(ticks(Scale::log2, {60, 1100}, 12)), "64 128 256 512 1024");
  EXPECT_EQ(labels(ticks(Scale::log10, {0.005, 200}, 8)), "0.01 0.1 1 10 100");
}

TEST(ticks, are_written_as_powers_where_numbers_are_long) {
  EXPECT_EQ(labels(ticks(Scale::log2, {0.4, 5}, 12)), "2⁻¹ 2⁰ 2¹ 2²");
  EXPECT_EQ(labels(ticks(Scale::log10, {1e-7, 2e-4}, 8)), "10⁻⁷ 10⁻⁶ 10⁻⁵ 10⁻⁴");
}

TEST(ticks, are_thinned_to_those_there_is_room_for) {
  EXPECT_EQ(labels(ticks(Scale::log10, {1e-13, 1}, 8)), "10⁻¹² 10⁻¹⁰ 10⁻⁸ 10⁻⁶ 10⁻⁴ 10⁻² 10⁰");
  for (int most = 2; most < 14; ++most)
    for (int n = 3; n < 40; ++n)
      EXPECT_LE(ticks(Scale::log2, {1e-9, 1e-9 * static_cast<double>(1ull << n)}, most).size(),
                static_cast<std::size_t>(most));
}

TEST(ticks, fill_a_short_range_by_doubles_and_fivefolds) {
  EXPECT_EQ(labels(ticks(Scale::log10, {0.9, 60}, 8)), "1 2 5 10 20 50");
  EXPECT_EQ(labels(ticks(Scale::log10, {2.1, 7}, 8)), "5");
}

TEST(ticks, are_left_to_gnuplot_on_a_linear_axis) {
  EXPECT_TRUE(ticks(Scale::linear, {0, 1}, 8).empty());
}

}  // namespace
}  // namespace embedscale::report
