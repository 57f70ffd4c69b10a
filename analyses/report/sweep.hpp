#pragma once
// Named axes, and a function's values at all their points.
#include <cstdint>
#include <functional>
#include <ranges>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "report/measurement.hpp"
#include "report/value.hpp"

namespace embedscale::report {

/// A quantity's value at a point.
struct Reading {
  std::string_view quantity;
  Value value;
};
using Values = std::vector<Reading>;

/// Points of any type, and the coordinate of each.
template <class T>
struct Axis {
  struct Point {
    T value;
    Coordinate coordinate;
  };
  std::string name;
  std::vector<Point> points;
};

/// An axis of numbers or names, or of things with the coordinate that `name_of` gives: &Way::name.
template <std::ranges::range Points, class NameOf = std::identity>
auto axis(std::string name, const Points& points, NameOf name_of = {}) {
  Axis<std::ranges::range_value_t<Points>> made{std::move(name), {}};
  for (const auto& point : points)
    made.points.push_back({point, Coordinate(std::invoke(name_of, point))});
  return made;
}

/// How many points the axes have together, before the function of them.
template <class F>
std::uint64_t points_of(const F&) {
  return 1;
}
template <class T, class... Rest>
std::uint64_t points_of(const Axis<T>& first, const Rest&... rest) {
  return first.points.size() * points_of(rest...);
}

/// Calls record(place, values(a, b, …)) for each point (a, b, …) of the axes, the last one fastest:
/// `chosen` are the points so far, and what follows the axes is the function.
template <class Record, class... Chosen, class F>
void sweep_over(const Record& record, const Place& at, const std::tuple<Chosen...>& chosen,
                const F& values) {
  record(at, std::apply(values, chosen));
}
template <class Record, class... Chosen, class T, class... Rest>
void sweep_over(const Record& record, const Place& at, const std::tuple<Chosen...>& chosen,
                const Axis<T>& first, const Rest&... rest) {
  for (const auto& point : first.points) {
    Place place = at;
    place.set(first.name, point.coordinate);
    sweep_over(record, place, std::tuple_cat(chosen, std::tie(point.value)), rest...);
  }
}

}  // namespace embedscale::report
