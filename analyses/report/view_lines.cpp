#include "report/view_lines.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

#include "report/table.hpp"

namespace embedscale::report::view {
namespace {

Line line_of(std::string_view text) {
  Line line{.text = std::string(text)};
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
  if (label.size() != 1) refuse_line(text, "has no \"label\" before =");
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

}  // namespace

void refuse_line(std::string_view line, const std::string& why) {
  throw std::invalid_argument(fmt::format("'{}' {}", line, why));
}

std::vector<Line> lines_of(std::string_view block) {
  std::vector<Line> all;
  for (const auto text : split(block, '\n'))
    if (!text.empty()) all.push_back(line_of(text));
  return all;
}

std::string replaced(std::string text, std::string_view what, std::string_view by) {
  const auto at = text.find(what);
  return at == text.npos ? text : text.replace(at, what.size(), by);
}

Names::Names(const std::vector<Line>& lines) {
  for (const auto& line : lines)
    if (line.keyword == "label") names_[line.label] = tokens_of(line.look_up).at(0);
}

std::string Names::operator()(const Coordinate& coordinate) const {
  const auto found = names_.find(coordinate.text());
  return found != names_.end() ? found->second : grouped(coordinate);
}

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

}  // namespace embedscale::report::view
