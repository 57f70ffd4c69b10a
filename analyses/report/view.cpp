#include "report/view.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <stdexcept>

#include "report/gnuplot.hpp"

namespace embedscale::report {
namespace {

[[noreturn]] void refuse(std::string_view line, const std::string& why) {
  throw std::invalid_argument(fmt::format("'{}' {}", line, why));
}

/// `keyword "label" = LOOK-UP by AXIS : format`.
struct Line {
  std::string text, keyword, rest;
  std::string label, look_up, by;
};

Line line_of(std::string_view text) {
  Line line{std::string(text), {}, {}, {}, {}, {}};
  const auto space = std::min(text.find(' '), text.size());
  line.keyword = text.substr(0, space);
  line.rest = text.substr(std::min(space + 1, text.size()));
  // What has no label may have a = of its own.
  for (const auto* unlabelled : {"title", "x", "y", "row", "where", "only", "sort", "each"})
    if (line.keyword == unlabelled) return line;
  const auto quote = line.rest.starts_with('"') ? line.rest.find('"', 1) : 0;
  const auto equal = line.rest.find(" = ", quote == line.rest.npos ? 0 : quote);
  if (equal == line.rest.npos) return line;
  const auto label = tokens_of(line.rest.substr(0, equal));
  if (label.size() != 1) refuse(text, "has no \"label\" before =");
  line.label = label.front();
  line.look_up = line.rest.substr(equal + 3);
  if (line.keyword == "label") return line;  // a text, which may have a by of its own
  const auto by = line.look_up.find(" by ");
  if (by == line.look_up.npos) return line;
  const auto end = std::min(line.look_up.find(' ', by + 4), line.look_up.size());
  line.by = line.look_up.substr(by + 4, end - by - 4);
  line.look_up.erase(by, end - by);
  return line;
}

std::vector<Line> lines_of(std::string_view block) {
  std::vector<Line> all;
  while (!block.empty()) {
    const auto text = block.substr(0, block.find('\n'));
    block.remove_prefix(std::min(text.size() + 1, block.size()));
    if (!text.empty()) all.push_back(line_of(text));
  }
  return all;
}

std::string replaced(std::string text, std::string_view what, std::string_view by) {
  const auto at = text.find(what);
  return at == text.npos ? text : text.replace(at, what.size(), by);
}

/// How coordinates are called.
class Names {
 public:
  explicit Names(const std::vector<Line>& lines) {
    for (const auto& line : lines)
      if (line.keyword == "label") names_[line.label] = tokens_of(line.look_up).at(0);
  }
  std::string operator()(const Coordinate& coordinate) const {
    const auto text = coordinate.text();
    if (const auto found = names_.find(text); found != names_.end()) return found->second;
    return grouped(coordinate);
  }

 private:
  std::map<std::string, std::string> names_;
};

/// The distinct places of measurements on these axes, as they first appear; those that lack one
/// have none.
std::vector<Place> places(const Selection& measured, const std::vector<std::string>& axes) {
  std::vector<Place> all;
  for (const auto* m : measured) {
    Place place;
    for (const auto& axis : axes)
      if (const auto* coordinate = m->at.find(axis)) place.set(axis, *coordinate);
    if (place.size() == axes.size() && std::ranges::find(all, place) == all.end())
      all.push_back(place);
  }
  return all;
}

/// Those of the axes that something was measured along.
std::vector<std::string> axes_of(std::vector<std::string> axes, const Selection& measured) {
  std::erase_if(axes, [&](const std::string& axis) {
    return std::ranges::none_of(measured, [&](auto* m) { return m->at.find(axis) != nullptr; });
  });
  return axes;
}

struct Axis {
  std::string name, heading;
  bool is_shown;
};

struct ColumnView {
  std::string heading, look_up;
  Place also{};  ///< of a column `by` an axis
};

class TableMaker {
 public:
  TableMaker(std::string_view block, const Selection& all, Rows rows)
      : lines_(lines_of(block)), all_(all), names_(lines_), rows_(rows) {}

  TableView made() {
    for (const auto& line : lines_) read(line);
    if (columns_.empty()) refuse("", "a table needs columns");
    for (const auto& axis : axes_of(told_, measured())) axes_.push_back({axis, axis, true});
    for (const auto& axis : axes_)
      if (axis.is_shown) view_.columns.push_back({axis.heading, Table::Align::right});
    if (!cases_.empty()) view_.columns.push_back({cases_heading_, Table::Align::left});
    for (const auto& column : columns_) view_.columns.push_back({column.heading});
    for (const auto& [label, look_up] : cases_) add_row({}, label, look_up);
    if (cases_.empty())
      for (const auto& place : row_places()) add_row(place, {}, {});
    if (!sorted_by_.empty()) sort();
    align();
    return std::move(view_);
  }

 private:
  void read(const Line& line) {
    const auto words = tokens_of(line.rest);
    if (line.keyword == "row" && !words.empty())
      axes_.push_back(
          {words[0], words.size() > 1 ? words[1] : words[0], words.size() < 2 || words[1] != "-"});
    else if (line.keyword == "each" && words.size() == 1)
      cases_heading_ = words[0];
    else if (line.keyword == "case")
      cases_.emplace_back(line.label, line.look_up);
    else if (line.keyword == "where")
      where_ += " " + line.rest;
    else if (line.keyword == "only" && words.size() > 1)
      only_.push_back(words);
    else if (line.keyword == "sort" && words.size() == 2 &&
             (words[1] == "up" || words[1] == "down"))
      sorted_by_ = words[0], is_downwards_ = words[1] == "down";
    else if (line.keyword == "all" && line.rest == "rows")
      view_.has_all_rows = true;
    else if (line.keyword == "told")
      told_ = words;
    else if (line.keyword == "column" && !line.look_up.empty())
      columns_.push_back({line.label, line.look_up});
    else if (line.keyword == "columns" && !line.by.empty())
      for (const auto& place : places(LookUp(line.look_up).matching(all_), {line.by}))
        columns_.push_back(
            {replaced(line.label, "{}", names_(place.at(line.by))), line.look_up, place});
    else if (line.keyword != "label")
      refuse(line.text, "is no line of a table");
  }

  bool is_axis(const std::string& look_up) const {
    return std::ranges::find(axes_, look_up, &Axis::name) != axes_.end();
  }

  /// What the columns may show.
  Selection measured() const {
    Selection found;
    for (const auto& column : columns_) {
      if (is_axis(column.look_up)) continue;
      for (const auto* m : LookUp(column.look_up).matching(measured_at(column.also, all_)))
        found.push_back(m);
    }
    return found;
  }

  /// All that they were measured at, in the measurements' order.
  std::vector<Place> row_places() const {
    std::vector<std::string> axes;
    for (const auto& axis : axes_) axes.push_back(axis.name);
    auto found = places(measured(), axes);
    if (rows_ == Rows::as_named)
      for (const auto& only : only_)
        std::erase_if(found, [&](const Place& place) {
          return std::ranges::count(only.begin() + 1, only.end(), place.at(only[0]).text()) == 0;
        });
    if (where_.empty()) return found;
    std::erase_if(found, [&](const Place& place) {
      const Measurement there{.quantity = "row", .at = place, .method = {}};
      return LookUp("row" + where_).matching({&there}).empty();
    });
    return found;
  }

  void add_row(const Place& place, const std::string& label, const std::string& of) {
    TableView::Row row{place, {}};
    for (const auto& axis : axes_)
      if (axis.is_shown) row.cells.push_back(at_axis(place, axis.name));
    if (!cases_.empty()) row.cells.push_back({label, {}, {}});
    for (const auto& column : columns_) {
      if (is_axis(column.look_up)) {
        row.cells.push_back(at_axis(place, column.look_up));
        continue;
      }
      const LookUp look_up(replaced(column.look_up, "*", of));
      row.cells.push_back(look_up.in(measured_at(column.also, all_), place));
      row.cells.back().text = named(row.cells.back().text);
    }
    view_.rows.push_back(std::move(row));
  }

  /// Looked-up coordinates have their names, too.
  std::string named(const std::string& text) const { return names_(Coordinate(text)); }

  Found at_axis(const Place& place, const std::string& axis) const {
    const auto& coordinate = place.at(axis);
    return {names_(coordinate),
            coordinate.is_number() ? std::optional(coordinate.number()) : std::nullopt,
            {}};
  }

  void sort() {
    const auto column = std::ranges::find(view_.columns, sorted_by_, &Table::Column::heading);
    if (column == view_.columns.end()) refuse(sorted_by_, "is no column to sort by");
    const auto j = static_cast<std::size_t>(column - view_.columns.begin());
    std::ranges::stable_sort(view_.rows, {}, [&](const TableView::Row& row) {
      const auto& number = row.cells[j].number;
      return number ? (is_downwards_ ? -*number : *number) : HUGE_VAL;
    });
  }

  /// Numbers to the right.
  void align() {
    for (std::size_t j = 0; j < view_.columns.size(); ++j) {
      const auto is_number = [j](const TableView::Row& row) {
        return row.cells[j].number.has_value();
      };
      view_.columns[j].align =
          std::ranges::any_of(view_.rows, is_number) ? Table::Align::right : Table::Align::left;
    }
  }

  std::vector<Line> lines_;
  const Selection& all_;
  Names names_;
  std::vector<Axis> axes_;
  std::vector<ColumnView> columns_;
  std::vector<std::string> told_;
  std::vector<std::pair<std::string, std::string>> cases_;
  std::string cases_heading_, where_, sorted_by_;
  std::vector<std::vector<std::string>> only_;  ///< an axis, then its coordinates
  bool is_downwards_ = false;
  Rows rows_;
  TableView view_;
};

Scale scale_of(const std::string& word) {
  return word == "log2" ? Scale::log2 : word == "log10" ? Scale::log10 : Scale::linear;
}

class FigureMaker {
 public:
  FigureMaker(std::string name, std::string_view block, const Selection& all)
      : lines_(lines_of(block)), all_(all), names_(lines_) {
    figure().name = std::move(name);
  }

  FigureView made() {
    for (const auto& line : lines_) read(line);
    for (const auto& line : lines_)
      if (line.keyword == "points" || line.keyword == "line" || line.keyword == "series" ||
          line.keyword == "band")
        add_lines(line);
    for (const auto& line : lines_) {
      if (line.keyword != "level") continue;
      const auto found = LookUp(line.look_up).in(all_);
      if (!found.number) refuse(line.text, "is no number");
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
    } else if (line.keyword == "told") {
      told_ = words;
    } else if (line.keyword != "label" && line.look_up.empty()) {
      refuse(line.text, "is no line of a figure");
    }
  }

  void add_lines(const Line& line) {
    const LookUp look_up(line.look_up);
    auto axes = axes_of(told_, look_up.matching(all_));
    if (!line.by.empty()) axes.push_back(line.by);
    for (const auto& place : places(look_up.matching(all_), axes)) {
      auto label = line.label;
      for (const auto& [axis, coordinate] : place)
        label = axis == line.by ? replaced(label, "{}", names_(coordinate))
                                : label + fmt::format(", {} = {}", axis, coordinate.text());
      add(line, label, look_up, look_up.matching(measured_at(place, all_)));
    }
  }

  double x_of(const Measurement& m) const {
    const auto* coordinate = m.at.find(x_);
    if (coordinate != nullptr) return coordinate->number();
    const auto found = LookUp(x_).in(all_, m.at);
    if (!found.number) refuse(x_, "is no number");
    return *found.number;
  }

  /// An interval's ends, in their order also where the look-up's form turns them round.
  void add_interval(Series& series, const Line& line, const LookUp& look_up, const Measurement& m) {
    if (!m.lower || !m.upper)
      refuse(line.text,
             fmt::format("draws intervals, but `{}` at '{}' has none", m.quantity, m.at.text()));
    const auto [lower, upper] = std::minmax({look_up.scaled(*m.lower), look_up.scaled(*m.upper)});
    series.lower.push_back(lower);
    series.upper.push_back(upper);
  }

  void add(const Line& line, std::string label, const LookUp& look_up, const Selection& points) {
    using Mark = Series::Mark;
    Series series{.label = std::move(label),
                  .x = {},
                  .y = {},
                  .mark = line.keyword == "points"   ? Mark::points
                          : line.keyword == "series" ? Mark::line_points
                                                     : Mark::line};
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
  std::vector<std::string> told_;
  FigureView view_;
};

}  // namespace

Table TableView::table() const {
  Table out(columns);
  for (const auto& row : rows) {
    std::vector<std::string> texts;
    for (const auto& cell : row.cells) texts.push_back(cell.text);
    out.row(std::move(texts));
  }
  return out;
}

TableView table_view(std::string_view block, const Selection& all, Rows rows) {
  return TableMaker(block, all, rows).made();
}

std::string TableView::csv() const {
  const auto text_of = [](const Found& cell) {
    if (!cell.number) return csv_field(cell.text);
    const double x = *cell.number;
    const bool is_whole = x == std::nearbyint(x) && std::abs(x) < 0x1p53;
    if (is_whole || cell.sources.empty()) return fmt::format("{}", x);
    // What draws estimate has fewer in its measurement, which say how well it is known.
    return number(rounded(x, std::max(cell.sources[0]->digits, most_digits_shown + 1)));
  };
  std::vector<std::string> headings;
  for (const auto& column : columns) headings.push_back(csv_field(column.heading));
  std::string out = fmt::format("{}\n", fmt::join(headings, ","));
  for (const auto& row : rows) {
    std::vector<std::string> texts;
    for (const auto& cell : row.cells) texts.push_back(text_of(cell));
    out += fmt::format("{}\n", fmt::join(texts, ","));
  }
  return out;
}

FigureView figure_view(std::string name, std::string_view block, const Selection& all) {
  return FigureMaker(std::move(name), block, all).made();
}

}  // namespace embedscale::report
