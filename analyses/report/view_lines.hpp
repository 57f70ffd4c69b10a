#pragma once
// What tables and figures have in common: the lines that declare them, what coordinates are called.
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "report/lookup.hpp"

namespace embedscale::report::view {

[[noreturn]] void refuse_line(std::string_view line, const std::string& why);

/// `keyword "label" = LOOK-UP by AXIS : format`.
struct Line {
  std::string text, keyword{}, rest{};
  std::string label{}, look_up{}, by{};
};

std::vector<Line> lines_of(std::string_view block);

/// The first `what` in a text replaced.
std::string replaced(std::string text, std::string_view what, std::string_view by);

/// What coordinates are called, by the lines "label COORDINATE = text".
class Names {
 public:
  explicit Names(const std::vector<Line>& lines);
  std::string operator()(const Coordinate& coordinate) const;

 private:
  std::map<std::string, std::string> names_;
};

/// The distinct places of measurements on these axes, as they first appear; those that lack one
/// have none.
std::vector<Place> places(const Selection& measured, const std::vector<std::string>& axes);

}  // namespace embedscale::report::view
