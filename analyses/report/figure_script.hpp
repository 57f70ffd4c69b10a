#pragma once
// A figure in gnuplot's language: the layout, the colours and the shapes of all figures.
#include "report/figure.hpp"

#include <cstddef>
#include <string>

namespace embedscale::report {

/// How many series have colours and shapes of their own.
inline constexpr std::size_t most_series = 8;

/// A finite number in at most six significant digits, as the picture and the CSV have it: what a
/// report commits to. Others are empty; −0 is 0.
std::string number(double x);

/// Whether both coordinates of a series' point are finite.
bool is_drawn(const Series& series, std::size_t i);

/// The script, data included.  Requires what `write_figure` checks.
std::string figure_script(const Figure& figure);

}  // namespace embedscale::report
