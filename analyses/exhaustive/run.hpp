#pragma once
// Runs over every case of a finite set, which take longer than a test may: tests of the label
// exhaustive, which ./dev exhaustive runs, and what they find is kept (record.hpp).
#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace embedscale::exhaustive {

template <class Value>
using ByName = std::map<std::string, Value, std::less<>>;

/// A greatest value and the case that attains it first, in words.
struct Greatest {
  double value = 0;
  std::string at{};
  friend bool operator==(const Greatest&, const Greatest&) = default;
};

/// What was found in a part, or in several. Merged in the order of the parts, it does not depend on
/// how the cases are divided into parts.
struct Found {
  ByName<std::uint64_t> counts{};
  ByName<Greatest> greatest{};

  void count(const std::string& name, std::uint64_t cases) { counts[name] += cases; }
  void raise(const std::string& name, double value, std::string at) {
    const auto [place, is_new] = greatest.try_emplace(name, Greatest{value, at});
    if (value > place->second.value) place->second = {value, std::move(at)};
  }
  Found& operator+=(const Found& later) {
    for (const auto& [name, cases] : later.counts) count(name, cases);
    for (const auto& [name, one] : later.greatest) raise(name, one.value, one.at);
    return *this;
  }
  friend bool operator==(const Found&, const Found&) = default;
};

/// A set of cases, divided into parts that are evaluated in any order, at the same time.
struct Run {
  std::string name;  ///< "difference/bfloat16/512"
  /// Its source, from the project's root. With all that it includes of the project, and the .cpp
  /// beside each such header, it decides what is found: include little.
  std::string source;
  std::uint64_t parts;  ///< each between a hundredth of a second and a second
  std::function<Found(std::uint64_t part)> evaluate;
};

// By topic. Values of functions above the processor's own (sine, pow) belong in here only rounded
// to what all machines agree about.
std::vector<Run> difference_runs();
std::vector<Run> position_table_runs();

}  // namespace embedscale::exhaustive
