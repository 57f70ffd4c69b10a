#pragma once
// Figures: numbers in, an SVG that reads on light and dark pages and the numbers as CSV out.
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace embedscale::report {

enum class Scale { linear, log2, log10 };

/// Requires  low < high, and low > 0 on a logarithmic scale.
struct Range {
  double low;
  double high;
};

struct Tick {
  double at;
  std::string label;
};

/// The least and the greatest value with some room around them; a linear range that begins or ends
/// near zero reaches it, so that heights can be compared. Both ends have six digits, fewer than
/// logarithms differ by between machines.
///
/// Requires  finite lowest <= highest, lowest > 0 on a logarithmic scale.
Range padded(Scale scale, double lowest, double highest);

/// Where `value` lies along the axis: 0 at the low end, 1 at the high end.
double fraction(Scale scale, Range range, double value);

/// The powers of two or ten in a range, thinned to at most `most`; of ten also their double and
/// fivefold where the powers alone would be fewer than three. Plain numbers ("512", "0.01") while
/// these are short, else all as powers ("2¹⁸", "10⁻⁷"). None for a linear scale.
std::vector<Tick> ticks(Scale scale, Range range, int most);

/// Points (x[i], y[i]) in their order, as many x as y. Where one is not finite the line has a gap.
struct Series {
  enum class Mark {
    line,        ///< with a few marks where it has to be told from others
    points,      ///< all of them
    line_points  ///< with marks, all of them where they are few
  };
  std::string label;  ///< at most 40 characters; empty (no key) only for the only series
  std::vector<double> x, y;
  Mark mark = Mark::line_points;
  /// A band's ends, as many as y, the lower first, or none: filled between where both are finite, a
  /// bar at a point alone. A logarithmic axis cuts it at the picture's edge where the lower end is
  /// <= 0, and has a gap where the upper one is.
  std::vector<double> lower = {}, upper = {};
};

/// A dashed horizontal line with its name beside it, in at most 24 characters.
struct Level {
  std::string label;
  double y = 0;
};

struct Figure {
  using Scale = report::Scale;
  std::string name;                     ///< the files' stem: a-z, 0-9 and _
  std::string title, x_label, y_label;  ///< at most 80, 80 and 40 characters
  Scale x_scale = Scale::linear, y_scale = Scale::linear;
  std::vector<Series> series;  ///< 1 to 8: more would not be told apart
  std::vector<Level> levels;
};

/// Draws a figure to `figures/<name>.svg` and its series to `data/<name>.csv` (series,x,y, with
/// bands series,x,y,lower,upper; six significant digits; a number that is not finite is an empty
/// field, as are the ends of a series without a band).
///
/// Ensures   the same bytes for the same figure; labels appear as they are written; every finite
///           point, every level and every finite end of a band that its axis has is inside the
///           picture; bands are behind all lines.
/// Errors    std::invalid_argument for a figure that cannot be drawn as told: not 1 to 8 series, a
///           series without a finite point, a band that is nowhere drawn, a finite coordinate <= 0
///           on a logarithmic axis (an end of a band aside), a text too long for its place;
///           GnuplotError; FileError.
void write_figure(const Figure& figure, const std::filesystem::path& reports_directory);

/// The figure in a Markdown page of the reports directory, its caption below it.
std::string figure_markdown(const Figure& figure, std::string_view caption);

}  // namespace embedscale::report
