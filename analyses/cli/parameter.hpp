#pragma once
// The options that tell points, and which of their values a claim is measured at.
#include <array>
#include <cmath>
#include <cstdint>
#include <numeric>
#include <stdexcept>
#include <string>
#include <string_view>

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

inline constexpr std::array<std::string_view, 7> point_options{
    "--widths", "--keys", "--d-k", "--heads", "--vocabulary", "--positions", "--std"};

/// Calls f with the list that an option fills.
///
/// Errors    std::logic_error for one that tells no points.
template <class Options, class F>
auto with_values(Options& options, std::string_view option, F f) {
  if (option == "--widths") return f(options.widths);
  if (option == "--keys") return f(options.keys);
  if (option == "--d-k") return f(options.head_widths);
  if (option == "--heads") return f(options.heads);
  if (option == "--vocabulary") return f(options.vocabulary);
  if (option == "--positions") return f(options.positions);
  if (option == "--std") return f(options.deviations);
  throw std::logic_error(std::string(option) + " tells no points");
}

/// Their sum, or that of the points of a program's own.
template <class Number>
double total(const std::vector<Number>& values, double otherwise) {
  if (values.empty()) return otherwise;
  return static_cast<double>(std::accumulate(values.begin(), values.end(), Number(0)));
}

}  // namespace embedscale::cli
