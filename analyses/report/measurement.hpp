#pragma once
// A measured figure, with all that is needed to cite it: where it was measured are named
// coordinates, in their order.
#include <concepts>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "report/digits.hpp"
#include "report/value.hpp"

namespace embedscale::report {

/// A point on an axis: a number, a name, a list of integers; or that there is none (nullptr).
class Coordinate {
 public:
  using List = std::vector<std::uint64_t>;
  using Any = std::variant<std::nullptr_t, bool, std::int64_t, double, std::string, List>;

  template <class T>
  Coordinate(const T& x) : value_(held(x)) {}
  // Compiled once: a page has hundreds of places.
  Coordinate(const Coordinate&);
  Coordinate(Coordinate&&) noexcept;
  Coordinate& operator=(const Coordinate&);
  Coordinate& operator=(Coordinate&&) noexcept;
  ~Coordinate();

  const Any& any() const { return value_; }
  /// As look-ups name it: "512", "0.1", "binary16", "1, 4, 16".
  std::string text() const;
  bool is_number() const { return value_.index() == 2 || value_.index() == 3; }
  /// Requires  is_number().
  double number() const;
  friend bool operator==(const Coordinate& a, const Coordinate& b);

 private:
  template <class T>
  static Any held(const T& x) {
    if constexpr (std::same_as<T, bool> || std::same_as<T, std::nullptr_t>)
      return x;
    else if constexpr (std::integral<T>)
      return static_cast<std::int64_t>(x);
    else if constexpr (std::floating_point<T>)
      return static_cast<double>(x);
    else if constexpr (std::convertible_to<T, List>)
      return List(x);
    else
      return std::string(x);
  }

  Any value_;
};

class Place {
 public:
  using Entry = std::pair<std::string, Coordinate>;

  Place() = default;
  Place(std::initializer_list<Entry> entries) : entries_(entries) {}

  auto begin() const { return entries_.begin(); }
  auto end() const { return entries_.end(); }
  std::size_t size() const { return entries_.size(); }
  /// nullptr where there is no such axis.
  const Coordinate* find(std::string_view axis) const;
  /// Errors    std::out_of_range for an axis that is not there.
  const Coordinate& at(std::string_view axis) const;
  /// Puts a coordinate on an axis, the last one if it is new.
  Place& set(std::string_view axis, Coordinate coordinate);
  /// As look-ups name it: "format=binary16 d_model=512".
  std::string text() const;
  friend bool operator==(const Place&, const Place&) = default;

 private:
  std::vector<Entry> entries_;
};

inline constexpr const char* counted = "count";  ///< properties::counted

struct Measurement {
  std::string quantity;       ///< one of the claim's `measures`
  Place at = {};              ///< {{"format", "binary16"}, {"d_model", 512}}
  double value = 0.0;         ///< written to `digits` significant digits
  std::uint64_t samples = 0;  ///< cases evaluated
  std::string method;         ///< "exact", "exhaustive", "directed draws", …
  std::string unit = "1";
  int digits = 4;
  std::optional<double> lower = {}, upper = {}, confidence = {};
  std::optional<double> reference = {};  ///< what the value is compared with
  bool published = true;                 ///< a row of results.json
  Standing standing = Standing::fixed;

  Known known() const { return {value, lower, upper, confidence}; }
};

}  // namespace embedscale::report
