#pragma once
// A figure in gnuplot's language (the layout, the colours and the shapes of all figures), and the
// child process that draws it.
#include <cstddef>
#include <string>
#include <string_view>

#include "report/figure.hpp"
#include "report/file.hpp"

namespace embedscale::report {

/// How many series have colours and shapes of their own.
inline constexpr std::size_t most_series = 8;

/// A finite number in at most six significant digits, as the picture and the CSV have it: what a
/// report commits to. Others are empty; −0 is 0.
std::string number(double x);

/// Whether both coordinates of a series' point are finite.
bool is_drawn(const Series& series, std::size_t i);

/// Whether a series has a band, and whether it is drawn at a point: where x and both ends are
/// finite and some of what is between them is on the axis.
inline bool has_band(const Series& series) {
  return !series.lower.empty() || !series.upper.empty();
}
bool is_band_drawn(const Series& series, std::size_t i);

/// The script, data included.  Requires what `write_figure` checks.
std::string figure_script(const Figure& figure);

/// gnuplot is missing, or did not draw what it was told to: one line that says why.
class GnuplotError : public FileError {
 public:
  using FileError::FileError;
};

/// The SVG that gnuplot prints for a script. No shell is involved, nor a file with a name, nor the
/// user's settings, language or terminal: equal scripts give equal bytes.
///
/// Errors    GnuplotError, also where gnuplot only warns: a figure that is not quite the one asked
///           for is none.
std::string run_gnuplot(std::string_view script);

}  // namespace embedscale::report
