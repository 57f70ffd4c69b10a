#pragma once
// What a run over every case of a finite set found: numbers of which several parts' merge into one.
#include <cstdint>
#include <map>
#include <string>
#include <utility>

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

}  // namespace embedscale::exhaustive
