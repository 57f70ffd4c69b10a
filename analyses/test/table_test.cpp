// Tables keep their shape whatever is in the cells, and numbers are written one way only.
#include "report/table.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <stdexcept>

namespace embedscale::report {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

TEST(significant, keeps_the_digits_asked_for) {
  EXPECT_EQ(significant(0.87654321, 4), "0.8765");
  EXPECT_EQ(significant(12.3456, 4), "12.35");
  EXPECT_EQ(significant(1.23456e-7, 4), "1.235e-07");
  EXPECT_EQ(significant(1, 4), "1.000");
  EXPECT_EQ(significant(-0.5, 3), "-0.500");
  EXPECT_EQ(significant(123456, 3), "1.23e+05");
  EXPECT_EQ(significant(0.99999, 3), "1.00");
  EXPECT_EQ(significant(5e-324, 4), "4.941e-324");
}

TEST(significant, ends_in_no_bare_point) {
  EXPECT_EQ(significant(1024, 4), "1024");
  EXPECT_EQ(significant(2, 1), "2");
  EXPECT_EQ(significant(3e9, 1), "3e+09");
}

TEST(significant, writes_zero_without_a_sign) {
  EXPECT_EQ(significant(0.0, 4), "0");
  EXPECT_EQ(significant(-0.0, 4), "0");
}

TEST(significant, names_what_is_not_finite) {
  EXPECT_EQ(significant(infinity, 4), "∞");
  EXPECT_EQ(significant(-infinity, 4), "−∞");
  EXPECT_EQ(significant(std::nan(""), 4), "NaN");
  EXPECT_EQ(significant(-std::nan(""), 4), "NaN");
}

TEST(significant, refuses_digits_a_double_does_not_have) {
  EXPECT_THROW(significant(1, 0), std::invalid_argument);
  EXPECT_THROW(significant(1, 18), std::invalid_argument);
}

TEST(rounded, is_the_double_nearest_to_the_rounded_decimal) {
  EXPECT_EQ(rounded(0.123456789, 4), 0.1235);
  EXPECT_EQ(rounded(-98765.4, 2), -99000.0);
  EXPECT_EQ(rounded(0.1f, 4), 0.1);
  EXPECT_EQ(rounded(1.23456e-310, 3), 1.23e-310);
}

TEST(rounded, has_no_negative_zero) { EXPECT_FALSE(std::signbit(rounded(-0.0, 4))); }

TEST(rounded, leaves_what_it_cannot_round) {
  EXPECT_EQ(rounded(infinity, 4), infinity);
  EXPECT_TRUE(std::isnan(rounded(std::nan(""), 4)));
  EXPECT_EQ(rounded(std::numeric_limits<double>::max(), 2), std::numeric_limits<double>::max());
}

TEST(count, groups_by_three) {
  EXPECT_EQ(count(0), "0");
  EXPECT_EQ(count(999), "999");
  EXPECT_EQ(count(1000), "1,000");
  EXPECT_EQ(count(1048576), "1,048,576");
  EXPECT_EQ(count(~std::uint64_t{0}), "18,446,744,073,709,551,615");
}

TEST(table, aligns_its_source_by_characters_not_bytes) {
  Table table({{"what"}, {"‖p‖²", Table::Align::right}});
  table.row({"√d_model", "22.63"}).row({"d", "512"});
  EXPECT_EQ(table.markdown(),
            "| what     |  ‖p‖² |\n"
            "| :------- | ----: |\n"
            "| √d_model | 22.63 |\n"
            "| d        |   512 |\n");
}

TEST(table, keeps_a_bar_in_its_cell) {
  Table table({{"a|b"}});
  table.row({"|x|"});
  EXPECT_EQ(table.markdown(),
            "| a\\|b  |\n"
            "| :---- |\n"
            "| \\|x\\| |\n");
}

TEST(table, keeps_a_row_on_one_line) {
  Table table({{"note"}});
  table.row({"one\ntwo"});
  EXPECT_EQ(table.markdown(), "| note    |\n| :------ |\n| one two |\n");
}

TEST(table, gives_narrow_columns_a_rule_of_three) {
  EXPECT_EQ(Table({{"d", Table::Align::right}}).markdown(), "|   d |\n| --: |\n");
}

TEST(table, refuses_rows_of_another_width) {
  EXPECT_THROW(Table({}), std::invalid_argument);
  Table table({{"a"}, {"b"}});
  EXPECT_THROW(table.row({"1"}), std::invalid_argument);
  EXPECT_THROW(table.row({"1", "2", "3"}), std::invalid_argument);
  EXPECT_EQ(table.size(), 0u);
}

}  // namespace
}  // namespace embedscale::report
