// Tables and figures as the words declare them.
#include "report/view.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "texts.hpp"

namespace embedscale::report::view_test {
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
  Selection all() const { return selection_of(measurements_); }
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

/// What a page has room for, in the order of what is found.
TEST_F(view, keeps_and_sorts_rows_as_named) {
  const std::string block =
      "row format -\nrow d_model\ncolumn \"E\" = error\nonly d_model 1024\nsort \"E\" up\n";
  const auto named = table_view(block, all());
  ASSERT_EQ(named.rows.size(), 2u);
  EXPECT_EQ(named.rows[0].cells[1].text + " " + named.rows[1].cells[1].text, "0.25 0.50");
  const auto downwards =
      table_view("row format -\nrow d_model\ncolumn \"E\" = error\nsort \"E\" down\n", all());
  EXPECT_EQ(downwards.rows[0].cells[1].text, "0.50");
}

TEST_F(view, sorts_by_sign_and_size_and_puts_what_has_no_number_last) {
  measurements_[0].value = 0.125, measurements_[1].value = -0.5;
  measurements_[2].value = -0.25, measurements_[3].value = 0.25;
  measurements_.insert(measurements_.begin(),
                       {.quantity = "other", .at = {{"format", "e4m3"}, {"d_model", 8}}});
  const auto table = table_view(
      "row format -\nrow d_model -\ncolumn \"E\" = error : or —\n"
      "column \"O\" = other : or —\nsort \"E\" up\n",
      all());
  std::string order;
  for (const auto& row : table.rows) order += row.cells[0].text + " ";
  EXPECT_EQ(order, "−0.50 −0.25 0.12 0.25 — ");
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

class band : public view {
 protected:
  band() {
    for (auto& m : measurements_)
      if (m.quantity == "error") m.lower = m.value - 0.125, m.upper = m.value + 0.25;
  }
  /// The first series of a figure of this line.
  Series drawn(const std::string& line) const {
    return figure_view("name", "x d_model log2 \"d\"\ny linear \"e\"\n" + line, all())
        .figure.series.at(0);
  }
};

/// In the form of its look-up: 1 − x turns an interval round.
TEST_F(band, is_a_line_between_each_measurements_own_ends) {
  const struct {
    const char* line;
    std::vector<double> y, lower, upper;
  } rows[] = {{"error by format", {0, 0.5}, {-0.125, 0.375}, {0.25, 0.75}},
              {"error format=binary16 : percent", {0, 50}, {-12.5, 37.5}, {25, 75}},
              {"error format=binary16 : complement", {1, 0.5}, {0.75, 0.25}, {1.125, 0.625}}};
  for (const auto& [line, y, lower, upper] : rows) {
    const auto with = drawn(std::string("band \"{}\" = ") + line);
    EXPECT_EQ(with.y, y) << line;
    EXPECT_EQ(with.lower, lower) << line;
    EXPECT_EQ(with.upper, upper) << line;
  }
}

TEST_F(band, is_refused_where_a_measurement_has_no_interval) {
  measurements_[3].upper.reset();  // one end is none
  const auto message = refusal([&] { drawn("band \"{}\" = error by format"); });
  EXPECT_TRUE(contains(message, "draws intervals, but `error` at")) << message;
  EXPECT_TRUE(contains(message, measurements_[3].at.text() + "' has none")) << message;
}

}  // namespace
}  // namespace embedscale::report::view_test
