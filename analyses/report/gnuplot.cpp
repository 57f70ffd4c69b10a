#include "report/gnuplot.hpp"

#include <fmt/format.h>
#include <signal.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <system_error>

#include "report/process.hpp"
#include "report/table.hpp"

namespace embedscale::report {
namespace {

/// How a series looks. Colours after Okabe and Ito 2008, which colour-blind people tell apart;
/// their yellow is too faint on a light ground: a dark red instead. Shapes are gnuplot's numbers.
struct Look {
  const char* colour;
  int shape;
};
constexpr std::array<Look, most_series> looks{{{"#0072B2", 7},
                                               {"#D55E00", 5},
                                               {"#009E73", 9},
                                               {"#CC79A7", 13},
                                               {"#E69F00", 11},
                                               {"#56B4E9", 6},
                                               {"#882255", 4},
                                               {"#000000", 8}}};

// The picture in pixels. The widest common sans-serif (DejaVu) takes 8 for a character on average.
constexpr double width = 760, height = 420, character = 8, line = 19;
constexpr int digits = 6;  // what a report commits to

/// A band's area: faint, with an edge, so that of several each one is seen, and the grid below.
std::string area(const Look& look) {
  return fmt::format("fs transparent solid 0.18 border lc rgb '#80{}' fc rgb '{}' lw 0.75",
                     look.colour + 1, look.colour);
}

struct Extent {
  double low = INFINITY, high = -INFINITY;
  void include(double value) { low = std::min(low, value), high = std::max(high, value); }
};

/// What has to be seen: finite points, ends of bands and levels, as rounded as they are drawn, so
/// that values which differ only further back count as one. Along x and along y.
std::array<Extent, 2> extents(const Figure& figure) {
  std::array<Extent, 2> of;
  const auto include = [&of](double x, double y) {
    of[0].include(rounded(x, digits)), of[1].include(rounded(y, digits));
  };
  for (const Series& series : figure.series)
    for (std::size_t i = 0; i < series.x.size(); ++i) {
      if (is_drawn(series, i)) include(series.x[i], series.y[i]);
      if (!is_band_drawn(series, i)) continue;
      include(series.x[i], series.upper[i]), include(series.x[i], series.lower[i]);
    }
  for (const Level& level : figure.levels) of[1].include(rounded(level.y, digits));
  return of;
}

/// A gnuplot string. Between double quotes it runs `commands` and reads escapes, and between single
/// ones it takes a leading '' for the end: so what is special goes by its number.
std::string literal(std::string_view text) {
  std::string string = "\"";
  for (const char c : text)
    if (std::string_view("`\\\"").find(c) != std::string_view::npos)
      string += fmt::format("\\{:03o}", static_cast<unsigned>(c));
    else
      string += c;
  return string + "\"";
}

std::string axis(char letter, Scale scale, Range range, const std::string& label, int most) {
  std::string text =
      fmt::format("set {}range [{}:{}]\n", letter, number(range.low), number(range.high));
  if (!label.empty())
    text += fmt::format("set {}label {} tc rgb '#222222'{}\n", letter, literal(label),
                        letter == 'x' ? " offset 0, 0.5" : "");
  if (scale == Scale::linear) return text;
  text += fmt::format("set logscale {} {}\nset {}tics (", letter, scale == Scale::log2 ? 2 : 10,
                      letter);
  for (const Tick& tick : ticks(scale, range, most))
    text += (text.ends_with('(') ? "" : ", ") + literal(tick.label) + " " + number(tick.at);
  return text + ")\n";
}

/// Where the levels' names go along the axis: beside their lines, moved apart where they would
/// touch, and within the plot as long as they fit. The levels are in ascending order.
std::vector<double> beside(const std::vector<Level>& levels, Scale scale, Range range) {
  constexpr double apart = 0.065;
  std::vector<double> at;
  for (const Level& level : levels)
    at.push_back(std::max(fraction(scale, range, level.y), at.empty() ? 0 : at.back() + apart));
  double top = 1;
  for (auto each = at.rbegin(); each != at.rend(); ++each, top -= apart)
    top = *each = std::min(*each, top);
  return at;
}

/// The levels' lines, and their names in the right margin, where no data are.
std::string levels(const Figure& figure, Range range) {
  std::vector<Level> sorted = figure.levels;
  std::stable_sort(sorted.begin(), sorted.end(),
                   [](const Level& a, const Level& b) { return a.y < b.y; });
  const std::vector<double> at = beside(sorted, figure.y_scale, range);
  std::string text;
  double margin = 24;
  for (std::size_t i = 0; i < sorted.size(); ++i) {
    margin = std::max(margin, 20 + character * static_cast<double>(width_of(sorted[i].label)));
    text += fmt::format(
        "set arrow from graph 0, first {0} to graph 1, first {0} nohead back lc rgb '#555555' "
        "lw 1.25 dt (8,5)\n"
        "set label {1} at graph 1.012, graph {2:.4f} left tc rgb '#444444'\n",
        number(sorted[i].y), literal(sorted[i].label), at[i]);
  }
  return text + fmt::format("set rmargin at screen {:.4f}\n", 1 - margin / width);
}

/// A line alone in its figure needs no marks to be told from others.
bool has_marks(const Figure& figure, const Series& series) {
  return series.mark != Series::Mark::line || figure.series.size() > 1;
}

/// The key: rows of samples and labels between the title and the plot. Drawn here because gnuplot's
/// own key chooses its columns by widths that it guesses, and then covers the plot.
std::string key(const Figure& figure) {
  std::size_t widest = 0;
  for (const Series& series : figure.series) widest = std::max(widest, width_of(series.label));
  const double entry = 52 + character * static_cast<double>(widest);
  const std::size_t columns =
      std::max<std::size_t>(1, static_cast<std::size_t>((width - 14) / entry));
  std::string text;
  double bottom = 40;  // of what is there so far, in pixels from the top
  for (std::size_t s = 0; widest > 0 && s < figure.series.size(); ++s) {
    const Series& series = figure.series[s];
    const double left = 14 + entry * static_cast<double>(s % columns);
    if (s % columns == 0) bottom += line;
    const auto at = [y = bottom - line / 2](double x, double down = 0) {
      return fmt::format("screen {:.4f}, screen {:.4f}", x / width, 1 - (y + down) / height);
    };
    if (has_band(series))
      text += fmt::format("set object rectangle from {} to {} behind {}\n", at(left, 6),
                          at(left + 26, -6), area(looks[s]));
    if (series.mark != Series::Mark::points)
      text += fmt::format("set arrow from {} to {} nohead lw 1.75 lc rgb '{}'\n", at(left),
                          at(left + 26), looks[s].colour);
    if (has_marks(figure, series))
      text += fmt::format("set label '' at {} point pt {} ps 0.8 lc rgb '{}'\n", at(left + 13),
                          looks[s].shape, looks[s].colour);
    text += fmt::format("set label {} at {} left tc rgb '#222222'\n", literal(series.label),
                        at(left + 34));
  }
  return text + fmt::format("set tmargin at screen {:.4f}\n", 1 - (bottom + 10) / height);
}

std::string plots(const Figure& figure) {
  std::string text;
  for (std::size_t s = 0; s < figure.series.size(); ++s)  // first, and so behind all lines
    if (has_band(figure.series[s]))
      text += fmt::format("{}$band{} using 1:2 with filledcurves closed {}",
                          text.empty() ? "plot " : ", ", s, area(looks[s]));
  for (std::size_t s = 0; s < figure.series.size(); ++s) {
    const Series& series = figure.series[s];
    const Look& look = looks[s];
    text += text.empty() ? "plot " : ", ";
    text += fmt::format("$series{} using 1:2 with ", s);
    // More marks would hide the line; one every so often still tells it from the others.
    const bool plain = series.mark == Series::Mark::line;
    const std::size_t every = 1 + series.x.size() / (plain ? 10 : 24);
    if (series.mark == Series::Mark::points)
      text += fmt::format("points pt {} ps 0.7", look.shape);
    else if (!has_marks(figure, series))
      text += "lines lw 1.75";
    else
      text += fmt::format("linespoints lw 1.75 pt {} ps 0.8 pi {}", look.shape, every);
    text += fmt::format(" lc rgb '{}'", look.colour);
  }
  return text + "\n";
}

/// Around each stretch of a band without a gap: along the lower ends, back along the upper ones.
std::string outlines(const Series& series) {
  std::string text;
  const auto to = [&](std::size_t i, double end) {
    text += number(series.x[i]) + " " + number(end) + "\n";
  };
  for (std::size_t begin = 0, end = 0; begin < series.x.size(); begin = end + 1) {
    for (end = begin; end < series.x.size() && is_band_drawn(series, end); ++end)
      to(end, series.lower[end]);
    if (end == begin) continue;
    for (std::size_t i = end; i-- > begin;) to(i, series.upper[i]);
    to(begin, series.lower[begin]);
    text += "\n";
  }
  return text;
}

std::string data(const Figure& figure) {
  std::string text;
  for (std::size_t s = 0; s < figure.series.size(); ++s) {
    const Series& series = figure.series[s];
    if (has_band(series))
      text += fmt::format("$band{} << end_of_band\n{}end_of_band\n", s, outlines(series));
    text += fmt::format("$series{} << end_of_series\n", s);
    for (std::size_t i = 0; i < series.x.size(); ++i)
      if (is_drawn(series, i))
        text += number(series.x[i]) + " " + number(series.y[i]) + "\n";
      else if (i > 0 && is_drawn(series, i - 1))
        text += "\n";  // an empty line interrupts the line that is drawn
    text += "end_of_series\n";
  }
  return text;
}

/// The last line that is not empty: gnuplot says what is wrong after quoting where.
std::string last_line(std::string text) {
  text.erase(text.find_last_not_of(" \n") + 1);
  return text.substr(text.find_last_of('\n') + 1);
}

}  // namespace

std::string number(double x) {
  return std::isfinite(x) ? fmt::format("{:.{}g}", x + 0.0, digits) : "";
}

bool is_drawn(const Series& series, std::size_t i) {
  return std::isfinite(series.x[i]) && std::isfinite(series.y[i]);
}

bool is_band_drawn(const Series& series, std::size_t i) {
  return has_band(series) && std::isfinite(series.x[i]) && std::isfinite(series.lower[i]) &&
         std::isfinite(series.upper[i]);
}

std::string figure_script(const Figure& figure) {
  const auto [xs, ys] = extents(figure);
  const Range x = padded(figure.x_scale, xs.low, xs.high);
  const Range y = padded(figure.y_scale, ys.low, ys.high);
  return fmt::format(R"(set encoding utf8
set terminal svg name '{}' size {},{} fixed noenhanced rounded font 'sans-serif,14' \
  background '#FBFAF7'
set border 3 lw 1 lc rgb '#555555'
set tics nomirror scale 0.5 tc rgb '#333333'
set xtics offset 0, 0.25
set minussign
set format '%h'
set grid lt 1 lw 1 lc rgb '#E3E1DA'
set bmargin at screen 0.145
unset key
set label {} at screen 0.018, screen 0.953 left font 'sans-serif,16' tc rgb '#111111'
)",
                     figure.name, width, height, literal(figure.title)) +
         axis('x', figure.x_scale, x, figure.x_label, 12) +
         axis('y', figure.y_scale, y, figure.y_label, 8) + levels(figure, y) + key(figure) +
         data(figure) + plots(figure);
}

std::string run_gnuplot(std::string_view script) {
  ::signal(SIGXFSZ, SIG_IGN);  // its script past a limit on file sizes is an error, not the end
  const char* path = std::getenv("PATH");
  // No /etc/gnuplotrc, no ~/.gnuplot; in plain C it cannot make a degree sign, and warns.
  Command command{.words = {"gnuplot", "--default-settings"},
                  .input = std::string(script),
                  .environment = {std::string("PATH=") + (path != nullptr ? path : "/usr/bin:/bin"),
                                  "LC_ALL=C.UTF-8"}};
  Ended ended;
  try {
    ended = run(std::move(command));
  } catch (const std::system_error& error) {
    throw GnuplotError(std::string("cannot draw: ") + error.what());
  }
  const std::string told = last_line(ended.err);
  if (ended.code == 127 && told.empty())
    throw GnuplotError("cannot draw: gnuplot is not on the PATH; install gnuplot-nox");
  if (ended.code != 0 || !told.empty())
    throw GnuplotError(
        fmt::format("gnuplot (exit code {}, signal {}): {}", ended.code, ended.signal, told));
  auto& drawn = ended.out;
  // One newline at the end, whatever gnuplot adds to it: what is cut off behind it is not missed.
  drawn.erase(drawn.find_last_not_of('\n') + 1);
  drawn += '\n';
  if (!drawn.ends_with("</svg>\n"))
    throw GnuplotError("gnuplot's picture is cut short: a full /tmp, or a limit on file sizes?");
  return drawn;
}

}  // namespace embedscale::report
