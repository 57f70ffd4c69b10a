#include "report/view.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include "report/gnuplot.hpp"
#include "report/view_lines.hpp"

namespace embedscale::report {
namespace {

using namespace view;

struct Axis {
  std::string name, heading;
  bool is_shown;
};

struct ColumnView {
  std::string heading, look_up;
  Place also{};       ///< of a column `by` an axis
  Selection among{};  ///< what it may show a measurement of
};

class TableMaker {
 public:
  TableMaker(std::string_view block, const Selection& all)
      : lines_(lines_of(block)), all_(all), names_(lines_) {}

  TableView made() {
    for (const auto& line : lines_) read(line);
    if (columns_.empty()) refuse_line("", "a table needs columns");
    for (auto& column : columns_) {
      column.among = measured_at(column.also, all_);
      if (cases_.empty() && !is_axis(column.look_up))
        column.among = LookUp(column.look_up).of_quantity(column.among);
    }
    for (const auto& axis : axes_)
      if (axis.is_shown) view_.columns.push_back({axis.heading});
    if (!cases_.empty()) view_.columns.push_back({cases_heading_});
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
    else if (line.keyword == "column" && !line.look_up.empty())
      columns_.push_back({line.label, line.look_up});
    else if (line.keyword == "columns" && !line.by.empty())
      for (const auto& place : places(LookUp(line.look_up).matching(all_), {line.by}))
        columns_.push_back(
            {replaced(line.label, "{}", names_(place.at(line.by))), line.look_up, place});
    else if (line.keyword != "label")
      refuse_line(line.text, "is no line of a table");
  }

  bool is_axis(const std::string& look_up) const {
    return std::ranges::find(axes_, look_up, &Axis::name) != axes_.end();
  }

  /// What the columns may show.
  Selection measured() const {
    Selection found;
    for (const auto& column : columns_) {
      if (is_axis(column.look_up)) continue;
      std::ranges::copy(LookUp(column.look_up).matching(column.among), std::back_inserter(found));
    }
    return found;
  }

  /// All that they were measured at, in the measurements' order.
  std::vector<Place> row_places() const {
    std::vector<std::string> axes;
    for (const auto& axis : axes_) axes.push_back(axis.name);
    auto found = places(measured(), axes);
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
      row.cells.push_back(look_up.in(column.among, place));
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
    if (column == view_.columns.end()) refuse_line(sorted_by_, "is no column to sort by");
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
  std::vector<std::pair<std::string, std::string>> cases_;
  std::string cases_heading_, where_, sorted_by_;
  std::vector<std::vector<std::string>> only_;  ///< an axis, then its coordinates
  bool is_downwards_ = false;
  TableView view_;
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

TableView table_view(std::string_view block, const Selection& all) {
  return TableMaker(block, all).made();
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

}  // namespace embedscale::report
