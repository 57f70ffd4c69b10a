// Figures show what they are given, the same way each time, whatever their labels say.
#include "report/figure.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <limits>

#include "report/file.hpp"
#include "report/gnuplot.hpp"
#include "scratch.hpp"
#include "texts.hpp"

namespace embedscale::report::figure_test {
namespace {

namespace fs = std::filesystem;
constexpr double nan = std::numeric_limits<double>::quiet_NaN();

class figure : public testing::Test {
 protected:
  std::string svg(const Figure& of) const {
    write_figure(of, directory);
    return read_file(directory / "figures" / (of.name + ".svg"));
  }
  std::string csv(const Figure& of) const {
    write_figure(of, directory);
    return read_file(directory / "data" / (of.name + ".csv"));
  }
  const Scratch scratch;
  const fs::path directory = scratch.path();
};

Figure example() {
  return {.name = "example",
          .title = "Rounding",
          .x_label = "d_model",
          .y_label = "error / u",
          .x_scale = Scale::log2,
          .y_scale = Scale::log10,
          .series = {{.label = "up", .x = {64, 128, 256}, .y = {1, 2.5, 4}},
                     {.label = "down", .x = {64, 128}, .y = {0.125, 1e-7}}},
          .levels = {{"bound", 8}}};
}

std::string escaped(const std::string& text) {
  std::string xml;
  for (const char c : text) xml += c == '&' ? "&amp;" : c == '<' ? "&lt;" : std::string(1, c);
  return xml;
}

std::string labels(Scale scale, Range range, int most) {
  std::string text;
  for (const Tick& tick : ticks(scale, range, most)) text += (text.empty() ? "" : " ") + tick.label;
  return text;
}

/// Written as powers where numbers are long; by doubles and fivefolds where the range is short.
TEST(ticks, are_the_powers_in_the_range) {
  const auto log2 = Scale::log2, log10 = Scale::log10;
  EXPECT_EQ(labels(log2, {60, 1100}, 12), "64 128 256 512 1024");
  EXPECT_EQ(labels(log10, {0.005, 200}, 8), "0.01 0.1 1 10 100");
  EXPECT_EQ(labels(log2, {0.4, 5}, 12), "2⁻¹ 2⁰ 2¹ 2²");
  EXPECT_EQ(labels(log10, {1e-13, 1}, 8), "10⁻¹² 10⁻¹⁰ 10⁻⁸ 10⁻⁶ 10⁻⁴ 10⁻² 10⁰");
  EXPECT_EQ(labels(log10, {0.9, 60}, 8), "1 2 5 10 20 50");
  EXPECT_EQ(labels(log10, {2.1, 7}, 8), "5");
}

TEST_F(figure, takes_its_texts_literally) {
  const std::string trap = "d_model^2 {x} 'q' \"p\" |m|, \\n @GPVAL_TERM $b %g # √ <&>";
  const fs::path victim = directory / "made";
  Figure of = example();
  of.title = trap;
  of.x_label = "`touch " + victim.string() + "`";
  of.y_label = "'; system('touch x'); '";
  of.series[0].label = "a_b 'c' \"d\" |e| \\";
  of.levels[0].label = "ε_1 'bound'";
  const std::string drawn = svg(of);
  for (const auto& text :
       {of.title, of.x_label, of.y_label, of.series[0].label, of.levels[0].label})
    EXPECT_EQ(occurrences(drawn, "<text>" + escaped(text) + "</text>"), 1u) << text;
  EXPECT_FALSE(fs::exists(victim));
}

TEST_F(figure, comes_with_its_numbers) {
  Figure of = example();
  of.series[0] = {.label = "a, \"b\"", .x = {1, 2, 1e-7}, .y = {1.0 / 3, nan, 1234567}};
  of.x_scale = of.y_scale = Scale::linear;
  of.series[1].y = {-0.0, -std::numeric_limits<double>::infinity()};
  of.series[1].x = {0.1f, 3};
  EXPECT_EQ(csv(of),
            "series,x,y\n"
            "\"a, \"\"b\"\"\",1,0.333333\n"
            "\"a, \"\"b\"\"\",2,\n"
            "\"a, \"\"b\"\"\",1e-07,1.23457e+06\n"
            "down,0.1,0\n"
            "down,3,\n");
}

TEST_F(figure, leaves_a_gap_where_a_point_is_not_finite) {
  Figure of = example();
  of.series = {{.label = "s", .x = {1, 2, 3, 4, 5, 6}, .y = {1, 2, nan, nan, 3, 4}}};
  const std::string drawn = svg(of);
  const auto path = drawn.find("<path", drawn.find("id=\"example_plot_1\""));
  const std::string line = drawn.substr(path, drawn.find("/>", path) - path);
  EXPECT_EQ(occurrences(line, "M"), 2u) << line;
  EXPECT_EQ(occurrences(line, "L"), 2u) << line;
}

/// The outlines that a script has of its first series' band.
std::string outlines(const Figure& of) {
  const auto script = figure_script(of);
  const std::string begin = "$band0 << end_of_band\n";
  const auto at = script.find(begin);
  if (at == script.npos) return "none";
  return script.substr(at + begin.size(),
                       script.find("end_of_band\n", at + begin.size()) - at - begin.size());
}

TEST_F(figure, interrupts_a_band_where_an_end_is_not_finite) {
  Figure of = example();
  of.x_scale = of.y_scale = Scale::linear;
  of.series[0] = {.label = "middle",
                  .x = {1, 2, 3, 4},
                  .y = {3, 2, 4, 3.5},
                  .lower = {2, 1.5, 3, 3.5},
                  .upper = {4, 2.5, 5, 3.5}};
  EXPECT_EQ(outlines(of), "1 2\n2 1.5\n3 3\n4 3.5\n4 3.5\n3 5\n2 2.5\n1 4\n1 2\n\n");
  const auto areas = occurrences(svg(of), "<polygon ");
  of.series[0].lower[1] = nan;
  // The point alone is a bar, by the edge that goes up and down it.
  EXPECT_EQ(outlines(of), "1 2\n1 4\n1 2\n\n3 3\n4 3.5\n4 3.5\n3 5\n3 3\n\n");
  EXPECT_EQ(occurrences(svg(of), "<polygon "), areas + 1);
  of.series[0].upper[2] = std::numeric_limits<double>::infinity();
  EXPECT_EQ(outlines(of), "1 2\n1 4\n1 2\n\n4 3.5\n4 3.5\n4 3.5\n\n");
}

TEST_F(figure, refuses_what_it_cannot_draw_and_writes_nothing) {
  const struct {
    void (*change)(Figure&);
    const char* why;
  } refused[] = {
      {[](Figure& of) { of.series.clear(); }, "nothing that it shows was measured"},
      {[](Figure& of) { of.series.resize(9, of.series[0]); }, "9 series, of which 8 can be told"},
      {[](Figure& of) { of.series[1].y[0] = 0; }, "'down' has 0 on a logarithmic axis"},
      {[](Figure& of) {
         of.series[1].lower = {nan, -2}, of.series[1].upper = {1, 1};
       },
       "'down' has -2 on a logarithmic axis"},
      {[](Figure& of) { of.title = std::string(81, 'x'); }, "room for 80 characters"},
      {[](Figure& of) { of.name = "../x"; }, "figure ../x: the name becomes file names"},
  };
  for (const auto& [change, why] : refused) {
    Figure of = example();
    change(of);
    const auto message = refusal([&, of = of] { write_figure(of, directory); });
    EXPECT_TRUE(contains(message, why)) << message;
  }
  EXPECT_TRUE(fs::is_empty(directory));
}

TEST_F(figure, says_that_gnuplot_is_missing) {
  const std::string path = std::getenv("PATH");
  ::setenv("PATH", directory.c_str(), 1);
  const auto message = refusal<GnuplotError>([&] { write_figure(example(), directory); });
  ::setenv("PATH", path.c_str(), 1);
  EXPECT_TRUE(contains(message, "install gnuplot-nox")) << message;
  EXPECT_TRUE(fs::is_empty(directory));
}

TEST_F(figure, is_none_where_gnuplot_errs_or_warns) {
  EXPECT_THROW(run_gnuplot("plot nothing\n"), GnuplotError);
  EXPECT_THROW(run_gnuplot("set terminal dumb\nplot x\n"), GnuplotError);
}

TEST(figure_in_markdown, has_its_title_in_its_place_and_its_caption_below) {
  Figure one;
  one.name = "of_it", one.title = "Size [u]";
  EXPECT_EQ(figure_markdown(one, "It is\nlevel*."),
            "![Size \\[u\\]](figures/of_it.svg)\n\n*It is level\\*.*\n");
}

}  // namespace
}  // namespace embedscale::report::figure_test
