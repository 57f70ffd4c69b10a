#pragma once
// What an analysis measured of one claim; all that a reader sees of it is looked up in that when
// it is rendered, as the topic's words declare it.
#include "properties/claim.hpp"
#include "properties/evidence/verdict.hpp"

#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <ranges>
#include <string>
#include <string_view>
#include <tuple>
#include <unordered_set>
#include <utility>
#include <vector>

#include "report/accumulators.hpp"
#include "report/evidence.hpp"
#include "report/measurement.hpp"
#include "report/value.hpp"
#include "report/view.hpp"
#include "report/words.hpp"

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

/// A whole table as a file of that name.
struct DataView {
  std::string name, about;
  TableView table;
};

class Section {
 public:
  explicit Section(const properties::Claim& claim) : claim_(&claim) {}

  const properties::Claim& claim() const { return *claim_; }

  /// Adds a measurement.
  ///
  /// Errors    std::logic_error for a quantity that the claim does not declare, for an estimate
  ///           without an interval, and for a second measurement of a quantity at a place.
  Measurement& measure(std::string_view quantity, const Place& at, const Value& value,
                       std::string method = {});
  /// Adds what `values` returns at each point of the axes, the last axis fastest:
  ///   s.sweep("closed form", {{"input", "up"}}, axis("d_model", widths),
  ///           [](std::uint64_t d) { return Values{{"ratio", ratio(d)}}; });
  /// The place before the axes, which all share, may be left out.
  template <class... Rest>
  void sweep(const std::string& method, const Place& at, const Rest&... axes_and_values) {
    Loop loop(points_of(axes_and_values...));
    sweep_over(
        [&](const Place& place, const Values& values) {
          add(place, values, method);
          loop.step();
        },
        at, std::tuple<>(), axes_and_values...);
  }
  template <class T, class... Rest>
  void sweep(const std::string& method, const Axis<T>& first, const Rest&... rest) {
    sweep(method, Place{}, first, rest...);
  }
  void add_test(TestRecord test) { tests_.push_back(std::move(test)); }
  /// What the run of one of its properties counted: its cases that failed, those that held, and the
  /// largest ratio to its bound.
  ///
  /// Errors    std::invalid_argument where the claim has no such property in the record.
  Measurement& measure_failures(std::string_view quantity, const Place& at,
                                std::string_view property);
  Measurement& measure_passes(std::string_view quantity, const Place& at,
                              std::string_view property);
  Measurement& measure_worst(std::string_view quantity, const Place& at, std::string_view property);

  std::deque<Measurement>& measurements() { return measurements_; }
  const std::deque<Measurement>& measurements() const { return measurements_; }
  /// As look-ups take them.
  Selection all() const { return selection_of(measurements_); }
  const std::vector<TestRecord>& tests() const { return tests_; }

  /// By the run of the claim's properties.
  properties::Judgement judgement() const { return judgement_of(tests_); }
  /// What is so, whatever people believe: the words' part "finding". Where the verdict is open, the
  /// belief with that.
  ///
  /// Errors    std::invalid_argument where it is longer than a heading or has a figure in it.
  std::string finding(const Words& words) const;
  /// On the belief: "true", "true if", "false" or "open"; "premise true" and "premise true if"
  /// where the words have a "premise".
  std::string verdict(const Words& words = {}) const;
  /// The sentences that the words have for the verdict, filled in; of an open one, why it is.
  ///
  /// Errors    std::invalid_argument where the words were written for another verdict.
  std::string summary(const Words& words) const;
  /// A part of the words, filled in; "" where the words do not have it.
  std::string prose(const Words& words, std::string_view part) const;
  /// What follows "true if": the words' part "condition".
  ///
  /// Errors    std::invalid_argument where the verdict is "true if" and that says nothing, or more
  ///           than a line.
  std::string condition(const Words& words) const;
  /// What alone the verdict is about, as a sentence; "" where that is the whole belief.
  std::string premise(const Words& words) const;
  /// What refutes the belief, by hand-checkable numbers; "" where they were not measured.
  std::string counterexample(const Words& words) const;
  /// What the words call {field}: a look-up of theirs, or one that stands in the sentence.
  ///
  /// Errors    std::invalid_argument naming the claim.
  Found field(const Words& words, std::string_view field) const;
  /// All that the words name: results.json's `fields`.
  std::map<std::string, Found, std::less<>> fields(const Words& words) const;
  /// The tables that the page shows, each with the part whose prose stands above it, those that are
  /// files beside it, and the figures, as the words declare them, in their order.
  std::vector<std::pair<std::string, TableView>> table_views(const Words& words) const;
  std::vector<DataView> data_views(const Words& words) const;
  std::vector<FigureView> figure_views(const Words& words) const;

 private:
  const TestRecord& tried(std::string_view property) const;
  void add(const Place& at, const Values& values, const std::string& method);
  /// The first property that did not come out as asked, as a sentence; "" where all did.
  std::string contradiction() const;
  template <class View, class Make>
  std::vector<View> views(const Words& words, std::string_view kind, Make make) const;
  /// Calls a look-up or a view; what it throws then names the claim.
  template <class F>
  auto named(F f) const;

  const properties::Claim* claim_;
  std::deque<Measurement> measurements_;      // a deque: references stay valid
  std::unordered_set<std::string> measured_;  // quantity and place
  std::vector<TestRecord> tests_;
};

}  // namespace embedscale::report
