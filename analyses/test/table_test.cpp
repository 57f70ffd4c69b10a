// Tables keep their shape whatever is in the cells, and numbers are written one way only.
#include "report/table.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <stdexcept>

namespace embedscale::report::table_test {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

TEST(significant, keeps_the_digits_asked_for) {
  const struct {
    double x;
    int digits;
    const char* text;
  } rows[] = {{0.87654321, 4, "0.8765"},
              {12.3456, 4, "12.35"},
              {1.23456e-7, 4, "1.235·10⁻⁷"},
              {-1234.5, 5, "−1,234.5"},
              {0.000123, 2, "0.00012"},
              {-0.0000123, 2, "−1.2·10⁻⁵"},
              {123456, 3, "123,000"},
              {0.99999, 3, "1.00"},
              {5e-324, 4, "4.941·10⁻³²⁴"},
              {1024, 4, "1,024"},  // no bare point
              {2, 1, "2"},
              {1e-10, 1, "10⁻¹⁰"},
              {999999.6, 6, "1.00000·10⁶"},
              {0.0, 4, "0"},  // no sign
              {-0.0, 4, "0"},
              {infinity, 4, "∞"},
              {-infinity, 4, "−∞"},
              {-std::nan(""), 4, "NaN"}};
  for (const auto& [x, digits, text] : rows) EXPECT_EQ(significant(x, digits), text);
  for (const int digits : {0, 18}) EXPECT_THROW(significant(1, digits), std::invalid_argument);
}

TEST(rounded, is_the_double_nearest_to_the_rounded_decimal) {
  EXPECT_EQ(rounded(0.123456789, 4), 0.1235);
  EXPECT_EQ(rounded(-98765.4, 2), -99000.0);
  EXPECT_EQ(rounded(0.1f, 4), 0.1);
  EXPECT_EQ(rounded(1.23456e-310, 3), 1.23e-310);
  EXPECT_FALSE(std::signbit(rounded(-0.0, 4)));
}

TEST(table, aligns_its_source_by_characters_not_bytes_and_keeps_rows_and_cells) {
  const auto right = Table::Align::right;
  Table table({{"what"}, {"‖p‖²", right}});
  table.row({"√d_model", "22.63"}).row({"d", "512"});
  EXPECT_EQ(table.markdown(),
            "| what     |  ‖p‖² |\n"
            "| :------- | ----: |\n"
            "| √d_model | 22.63 |\n"
            "| d        |   512 |\n");
  EXPECT_EQ(Table({{"a|b"}}).row({"|x|"}).markdown(), "| a\\|b  |\n| :---- |\n| \\|x\\| |\n");
  EXPECT_EQ(Table({{"note"}}).row({"one\ntwo"}).markdown(),
            "| note    |\n| :------ |\n| one two |\n");
  EXPECT_EQ(Table({{"d", right}}).markdown(), "|   d |\n| --: |\n");
}

TEST(table, refuses_rows_of_another_width) {
  EXPECT_THROW(Table({{"a"}, {"b"}}).row({"1"}), std::invalid_argument);
  EXPECT_THROW(Table({{"a"}, {"b"}}).row({"1", "2", "3"}), std::invalid_argument);
}

}  // namespace
}  // namespace embedscale::report::table_test
