#include "report/figure.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "report/file.hpp"
#include "report/gnuplot.hpp"
#include "report/table.hpp"

namespace embedscale::report {
namespace {

// What fits into the picture, in characters.
constexpr std::size_t longest_title = 80, longest_label = 40, longest_level = 24;

[[noreturn]] void refuse(const Figure& figure, const std::string& why) {
  throw std::invalid_argument("figure " + figure.name + ": " + why);
}

void require_text(const Figure& figure, const std::string& text, std::size_t most) {
  if (width_of(text) > most)
    refuse(figure, fmt::format("'{}' is too long: there is room for {} characters", text, most));
}

void require_on_axis(const Figure& figure, const std::string& whose, Scale scale, double value) {
  if (scale != Scale::linear && value <= 0)
    refuse(figure, fmt::format("{} has {:.6g} on a logarithmic axis", whose, value));
}

/// Errors    std::invalid_argument, so that nothing is drawn that is not seen.
void check(const Figure& figure, const Series& series) {
  const std::string who = "series '" + series.label + "'";
  require_text(figure, series.label, longest_label);
  if (series.label.empty() && figure.series.size() > 1) refuse(figure, "a series has no label");
  bool is_seen = false, has_seen_band = !has_band(series);
  for (std::size_t i = 0; i < series.x.size(); ++i) {
    const bool in_band = is_band_drawn(series, i), is_point = is_drawn(series, i);
    is_seen = is_seen || is_point, has_seen_band = has_seen_band || in_band;
    if (is_point || in_band) require_on_axis(figure, who, figure.x_scale, series.x[i]);
    if (is_point) require_on_axis(figure, who, figure.y_scale, series.y[i]);
    if (in_band) require_on_axis(figure, who, figure.y_scale, series.lower[i]);
  }
  if (!is_seen) refuse(figure, who + " has no finite point");
  if (!has_seen_band) refuse(figure, who + " has a band that is nowhere drawn");
}

/// Checks everything that `write_figure` requires.
void check(const Figure& figure) {
  constexpr std::string_view allowed = "abcdefghijklmnopqrstuvwxyz0123456789_";
  if (figure.name.empty() || figure.name.find_first_not_of(allowed) != std::string::npos)
    refuse(figure, "the name becomes file names and is made of a-z, 0-9 and _");
  require_text(figure, figure.title, longest_title);
  require_text(figure, figure.x_label, longest_title);
  require_text(figure, figure.y_label, longest_label);
  if (figure.series.empty())
    refuse(figure, "none of its series has a point: nothing that it shows was measured");
  if (figure.series.size() > most_series)
    refuse(figure, fmt::format("{} series, of which {} can be told apart: restrict their look-ups "
                               "(axis=one|another)",
                               figure.series.size(), most_series));
  for (const Series& series : figure.series) check(figure, series);
  for (const Level& level : figure.levels) {
    require_text(figure, level.label, longest_level);
    if (!std::isfinite(level.y)) refuse(figure, "level '" + level.label + "' is not finite");
    require_on_axis(figure, "level '" + level.label + "'", figure.y_scale, level.y);
  }
}

std::string csv(const Figure& figure) {
  const bool has_bands = std::ranges::any_of(figure.series, has_band);
  std::string text = has_bands ? "series,x,y,lower,upper\n" : "series,x,y\n";
  for (const Series& series : figure.series)
    for (std::size_t i = 0; i < series.x.size(); ++i) {
      text += fmt::format("{},{},{}", csv_field(series.label), number(series.x[i]),
                          number(series.y[i]));
      if (has_band(series))
        text += fmt::format(",{},{}", number(series.lower[i]), number(series.upper[i]));
      else if (has_bands)
        text += ",,";
      text += '\n';
    }
  return text;
}

}  // namespace

void write_figure(const Figure& figure, const std::filesystem::path& reports_directory) {
  check(figure);
  const std::string svg = run_gnuplot(figure_script(figure));
  write_file(reports_directory / "data" / (figure.name + ".csv"), csv(figure));
  write_file(reports_directory / "figures" / (figure.name + ".svg"), svg);
}

std::string figure_markdown(const Figure& figure, std::string_view caption) {
  const auto escaped = [](std::string_view text) {
    std::string out;
    for (const char c : text) {
      if (std::string_view("\\[]*`<").find(c) != std::string_view::npos) out += '\\';
      out += c == '\n' ? ' ' : c;
    }
    return out;
  };
  return fmt::format("![{}](figures/{}.svg)\n\n*{}*\n", escaped(figure.title), figure.name,
                     escaped(caption));
}

}  // namespace embedscale::report
