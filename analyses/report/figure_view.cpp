#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "report/view.hpp"
#include "report/view_lines.hpp"

namespace embedscale::report {
namespace {

using namespace view;

Scale scale_of(const std::string& word) {
  return word == "log2" ? Scale::log2 : word == "log10" ? Scale::log10 : Scale::linear;
}

struct LineMark {
  std::string_view keyword;
  Series::Mark mark;
};
constexpr LineMark marks[] = {{"points", Series::Mark::points},
                              {"line", Series::Mark::line},
                              {"series", Series::Mark::line_points},
                              {"band", Series::Mark::line}};

class FigureMaker {
 public:
  FigureMaker(std::string name, std::string_view block, const Selection& all)
      : lines_(lines_of(block)), all_(all), names_(lines_) {
    figure().name = std::move(name);
  }

  FigureView made() {
    for (const auto& line : lines_) read(line);
    for (const auto& line : lines_)
      if (const auto mark = std::ranges::find(marks, line.keyword, &LineMark::keyword);
          mark != std::end(marks))
        add_lines(line, mark->mark);
    for (const auto& line : lines_) {
      if (line.keyword != "level") continue;
      const auto found = LookUp(line.look_up).in(all_);
      if (!found.number) refuse_line(line.text, "is no number");
      figure().levels.push_back({line.label, *found.number});
      view_.sources.push_back(found.sources);
    }
    return std::move(view_);
  }

 private:
  Figure& figure() { return view_.figure; }

  void read(const Line& line) {
    auto words = tokens_of(line.rest);
    if (line.keyword == "title") {
      figure().title = line.rest;
    } else if (line.keyword == "x" && words.size() > 1) {
      x_ = words.front();
      figure().x_scale = scale_of(words[1]);
      figure().x_label = words.back();
    } else if (line.keyword == "y" && !words.empty()) {
      figure().y_scale = scale_of(words.front());
      figure().y_label = words.back();
    } else if (line.keyword != "label" && line.look_up.empty()) {
      refuse_line(line.text, "is no line of a figure");
    }
  }

  void add_lines(const Line& line, Series::Mark mark) {
    const LookUp look_up(line.look_up);
    if (line.by.empty()) return add(line, mark, line.label, look_up, look_up.matching(all_));
    for (const auto& place : places(look_up.matching(all_), {line.by}))
      add(line, mark, replaced(line.label, "{}", names_(place.at(line.by))), look_up,
          look_up.matching(measured_at(place, all_)));
  }

  double x_of(const Measurement& m) const {
    const auto* coordinate = m.at.find(x_);
    if (coordinate != nullptr) return coordinate->number();
    const auto found = LookUp(x_).in(all_, m.at);
    if (!found.number) refuse_line(x_, "is no number");
    return *found.number;
  }

  /// An interval's ends, in their order also where the look-up's form turns them round.
  void add_interval(Series& series, const Line& line, const LookUp& look_up, const Measurement& m) {
    if (!m.lower || !m.upper)
      refuse_line(line.text, fmt::format("draws intervals, but `{}` at '{}' has none", m.quantity,
                                         m.at.text()));
    const auto [lower, upper] = std::minmax({look_up.scaled(*m.lower), look_up.scaled(*m.upper)});
    series.lower.push_back(lower);
    series.upper.push_back(upper);
  }

  void add(const Line& line, Series::Mark mark, std::string label, const LookUp& look_up,
           const Selection& points) {
    Series series{.label = std::move(label), .x = {}, .y = {}, .mark = mark};
    for (const auto* m : points) {
      const double y = look_up.scaled(m->value);
      series.x.push_back(x_of(*m));
      series.y.push_back(y == 0 && figure().y_scale != Scale::linear ? NAN : y);
      if (line.keyword == "band") add_interval(series, line, look_up, *m);
    }
    if (std::ranges::none_of(series.y, [](double y) { return std::isfinite(y); })) return;
    figure().series.push_back(std::move(series));
    view_.sources.push_back(points);
  }

  std::vector<Line> lines_;
  const Selection& all_;
  Names names_;
  std::string x_;
  FigureView view_;
};

}  // namespace

FigureView figure_view(std::string name, std::string_view block, const Selection& all) {
  return FigureMaker(std::move(name), block, all).made();
}

}  // namespace embedscale::report
