#pragma once
// Looks measurements up by name: what cells, points and fields are made of.
//
//   exact_disagreements                                  the one measurement of the quantity
//   token_to_position scaled=before d_model=512          … at that place
//   worst_share_of_bound division=fl(p/m)|fl(p·r)        either; also !=, <=, >=
//   block_deviation !epsilon +norm                       has not that axis, has that one
//   stack_deviation d_model=greatest blocks=last         at an axis' least, greatest, first or last
//   greatest relative_rounding_difference                least greatest sum number list range first
//   range of token_to_position scaled=after              "of" reads better, and changes nothing
//   samples of exact_disagreements                       also: lower, upper, reference
//   first d_model of token_to_position                   a coordinate; list d_model of …
//   d_model of greatest relative_rounding_difference     where the extremum is
//   greatest worst_share_of_bound : 2 %                  how it is shown, see below
//
// A text with spaces stands in "quotes". What finds no measurement, or several where one is meant,
// is refused. After " : " stand
//   2             so many significant digits, in place of the quantity's own, or of three
//   % percent     a hundred times as large, with the sign or without
//   up            rounded away from zero: what "at most" can be said of; ends of intervals always
//                 go outwards
//   complement                                           1 − x
//   binary32 plain   in as few digits as that float, or that double, needs
//   or TEXT       where nothing is found;  zero TEXT  in the place of 0
//   each TEXT     how one of a list is said: "{} at {keys} keys", itself and a coordinate
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "report/measurement.hpp"

namespace embedscale::report {

using Selection = std::vector<const Measurement*>;

template <class Measurements>
Selection selection_of(const Measurements& all) {
  Selection selection;
  for (const Measurement& m : all) selection.push_back(&m);
  return selection;
}

/// Significant digits that a reader is shown unless a look-up asks for more; results.json has those
/// that the quantity declares.
constexpr int most_digits_shown = 3;

/// Those of them that are at these coordinates.
Selection measured_at(const Place& place, const Selection& all);

/// Words between spaces; those in "quotes" are one.
std::vector<std::string> tokens_of(std::string_view text);

/// A coordinate as texts have it: "1,024", and six digits of what has more.
std::string grouped(const Coordinate& coordinate);

/// A look-up's result, and all that it rests on.
struct Found {
  std::string text;
  std::optional<double> number = {};  ///< where it is one
  Selection sources = {};             ///< none only where "or" stands in
};

class LookUp {
 public:
  /// Errors    std::invalid_argument for what is no look-up.
  explicit LookUp(std::string_view text);

  /// All of the quantity that it names.
  Selection of_quantity(Selection all) const;
  /// What matches, at `near` as far as it has the same axes.
  Selection matching(const Selection& all, const Place& near = {}) const;
  /// Errors    std::invalid_argument naming the look-up and what it could have meant.
  Found in(const Selection& all, const Place& near = {}) const;
  /// One measurement's value in the look-up's form: what a figure draws.
  double scaled(double x) const;

 private:
  struct Restriction {
    std::string axis, relation;
    std::vector<std::string> coordinates;
  };
  enum class Towards { nearest, below, above };
  struct Item {
    std::string text;
    std::optional<double> number;
    const Measurement* source;
    bool counted;
    int digits;
    bool is_estimate = false;  ///< a value with an interval of draws
    Towards towards = Towards::nearest;
    Decimal written{};  ///< of an end
  };

  void read_selector(std::vector<std::string> words);
  void read_format(const std::vector<std::string>& words);
  bool restrict(const std::string& word);
  Item item(const Measurement& m) const;
  Found aggregated(std::vector<Item> items) const;
  /// With the coordinates that `each` wants beside it, and without.
  std::string text_of(const Item& item) const;
  std::string number_of(const Item& item) const;
  std::string rounded_text(const Item& item, double x) const;
  Found ambiguous(const Selection& among, const char* why) const;

  std::string text_, quantity_, projection_, aggregate_, pick_;
  std::vector<Restriction> restrictions_;
  std::optional<int> digits_;
  std::optional<std::string> otherwise_, zero_, each_;
  double factor_ = 1;
  bool sign_ = false, up_ = false, complement_ = false;
  std::string style_;
};

}  // namespace embedscale::report
