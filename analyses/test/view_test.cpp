// Tables and figures as the words declare them.
#include "report/view.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <stdexcept>

namespace embedscale::report {
namespace {

class view : public testing::Test {
 protected:
  view() {
    for (const char* format : {"binary16", "bfloat16"})
      for (const int d : {64, 1024})
        measurements_.push_back({.quantity = "error",
                                 .at = {{"format", format}, {"d_model", d}},
                                 .value = d == 64            ? 0.0
                                          : format[1] == 'i' ? 0.5
                                                             : 0.25,
                                 .method = "draws",
                                 .digits = 2});
    measurements_.push_back({.quantity = "bound", .value = 8, .method = "proved", .digits = 1});
  }
  Selection all() const {
    Selection out;
    for (const auto& m : measurements_) out.push_back(&m);
    return out;
  }
  std::vector<Measurement> measurements_;
};

TEST_F(view, has_a_row_and_a_column_for_each_coordinate) {
  EXPECT_EQ(table_view("row d_model \"Width\"\n"
                       "columns \"in {}\" = error by format\n"
                       "label bfloat16 = \"the short one\"\n",
                       all())
                .table()
                .markdown(),
            "| Width | in binary16 | in the short one |\n"
            "| ----: | ----------: | ---------------: |\n"
            "|    64 |           0 |                0 |\n"
            "| 1,024 |        0.50 |             0.25 |\n");
}

/// Each column and curve `by` an axis is of its own coordinate, also where the look-up names some.
TEST_F(view, keeps_to_each_coordinate_of_an_axis_that_is_restricted) {
  const auto table =
      table_view("row d_model\ncolumns \"{}\" = error format!=none by format\n", all());
  ASSERT_EQ(table.columns.size(), 3u);
  EXPECT_EQ(table.rows[1].cells[1].text + " " + table.rows[1].cells[2].text, "0.50 0.25");
  const auto made = figure_view("name",
                                "x d_model log2 \"d\"\ny linear \"e\"\n"
                                "points \"{}\" = error format=binary16|bfloat16 by format\n",
                                all());
  ASSERT_EQ(made.figure.series.size(), 2u);
  EXPECT_EQ(made.figure.series[0].y, (std::vector<double>{0, 0.5}));
  EXPECT_EQ(made.figure.series[1].y, (std::vector<double>{0, 0.25}));
}

/// Axes that only told options have: nothing where there are none, else rows and curves of their
/// own.
TEST_F(view, has_the_axes_that_were_told) {
  const char* table = "row d_model\ncolumns \"{}\" = error by format\ntold std heads\n";
  const char* figure =
      "x d_model log2 \"d\"\ny linear \"e\"\ntold std heads\npoints \"{}\" = error by format\n";
  EXPECT_EQ(table_view(table, all()).columns.size(), 3u);
  EXPECT_EQ(figure_view("name", figure, all()).figure.series.size(), 2u);
  for (auto& m : measurements_) m.at.set("heads", 2);
  for (std::size_t i = 0; i < 4; ++i) {
    auto other = measurements_[i];
    other.at.set("heads", 8);
    other.value += 1;
    measurements_.push_back(other);
  }
  EXPECT_EQ(table_view(table, all()).table().markdown(),
            "| d_model | heads | binary16 | bfloat16 |\n"
            "| ------: | ----: | -------: | -------: |\n"
            "|      64 |     2 |        0 |        0 |\n"
            "|   1,024 |     2 |     0.50 |     0.25 |\n"
            "|      64 |     8 |      1.0 |      1.0 |\n"
            "|   1,024 |     8 |      1.5 |      1.2 |\n");
  const auto made = figure_view("name", figure, all()).figure;
  ASSERT_EQ(made.series.size(), 4u);
  EXPECT_EQ(made.series[2].label, "binary16, heads = 8");
  EXPECT_EQ(made.series[2].y, (std::vector<double>{1, 1.5}));
}

TEST_F(view, has_rows_of_cases) {
  EXPECT_EQ(table_view("each \"What\"\n"
                       "case \"the bound = 8\" = bound\n"
                       "case \"worst\" = greatest error\n"
                       "column \"Value\" = *\n",
                       all())
                .table()
                .markdown(),
            "| What          | Value |\n"
            "| :------------ | ----: |\n"
            "| the bound = 8 |     8 |\n"
            "| worst         |  0.50 |\n");
}

TEST_F(view, refuses_a_cell_of_two_measurements) {
  EXPECT_THROW(table_view("row format\ncolumn \"E\" = error\n", all()), std::invalid_argument);
  EXPECT_THROW(table_view("row format\ncolour \"E\" = error\n", all()), std::invalid_argument);
}

TEST_F(view, draws_what_was_measured) {
  const auto made = figure_view("name",
                                "title Errors\n"
                                "x d_model log2 \"d_model\"\n"
                                "y log10 \"error\"\n"
                                "points \"{}\" = error by format : percent\n"
                                "level \"bound\" = bound\n",
                                all());
  const auto& figure = made.figure;
  ASSERT_EQ(figure.series.size(), 2u);
  EXPECT_EQ(figure.series[1].label, "bfloat16");
  EXPECT_EQ(figure.series[1].x, (std::vector<double>{64, 1024}));
  EXPECT_TRUE(std::isnan(figure.series[1].y[0]));  // 0 on a logarithmic axis
  EXPECT_EQ(figure.series[1].y[1], 25);
  EXPECT_EQ(made.sources[1][1], all()[3]);
  EXPECT_EQ(figure.levels[0].y, 8);
  EXPECT_EQ(figure.x_scale, Scale::log2);
  EXPECT_EQ(figure.title, "Errors");
}

}  // namespace
}  // namespace embedscale::report
