#pragma once
// The options that tell points, and which of their values a claim is measured at.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <numeric>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "cli/options.hpp"

namespace embedscale::cli {

/// One of them, and what a claim takes of it.
struct Parameter {
  std::string_view option;        ///< "--widths"
  double least, most;             ///< of a value
  std::uint64_t multiple_of = 1;  ///< 2: even numbers; of whole numbers alone

  bool takes(double value) const {
    return least <= value && value <= most &&
           (multiple_of == 1 || std::fmod(value, static_cast<double>(multiple_of)) == 0);
  }
  /// "even numbers from 4 to 16384".
  std::string range() const;
};

/// How many values an option has at most.
inline constexpr std::size_t most_values = 16;

/// An option that tells points, and the list that it fills.
struct PointOption {
  std::string_view name;
  const char* what;
  std::variant<std::vector<std::uint64_t> Options::*, std::vector<double> Options::*> values;
};
inline constexpr std::array<PointOption, 6> point_options{
    {{"--widths", "d_model", &Options::widths},
     {"--keys", "n, that a softmax is over", &Options::keys},
     {"--d-k", "d_k, the width of a head", &Options::head_widths},
     {"--vocabulary", "V", &Options::vocabulary},
     {"--positions", "L, for positions 0 … L−1", &Options::positions},
     {"--std", "σ", &Options::deviations}}};

/// Calls f with the list that an option of these fills.
template <class SomeOptions, class F>
auto with_values(SomeOptions& options, std::string_view option, F f) {
  const auto* found = std::ranges::find(point_options, option, &PointOption::name);
  return std::visit([&](auto values) { return f(options.*values); }, found->values);
}

/// Their sum, or that of the points of a program's own.
template <class Number>
double total(const std::vector<Number>& values, double otherwise) {
  if (values.empty()) return otherwise;
  return static_cast<double>(std::accumulate(values.begin(), values.end(), Number(0)));
}

}  // namespace embedscale::cli
