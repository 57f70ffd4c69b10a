#pragma once
// The paths that the sections measure: small random models with what trains them.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <string_view>

#include "cli/options.hpp"
#include "properties/optimizer/claims.hpp"
#include "properties/optimizer/model.hpp"
#include "report/section.hpp"

namespace embedscale::optimizer_analysis {

using namespace report;
using namespace properties::optimizer;
using cli::Options, cli::points;

inline constexpr std::size_t descent = 0, adam = first_adam;
/// The channels of a path in 50 digits.
inline constexpr std::size_t small_width = 6;
/// How many steps a path has.
inline constexpr int path_steps = 200;
/// Relative distances below this count as 0 in 50 digits: rounding is 10^20 times smaller.
inline constexpr double thirtieth_digit = 1e-30;
inline constexpr const char* in_50_digits = "50 digits; what is below 10^-30 counts as 0";

inline constexpr std::array<std::uint64_t, 9> shown_widths{16,   64,   256,  512,  768,
                                                           1024, 2048, 4096, 16384};

/// A model with its start, and the run with the factor at the token.
template <AnalyticScalar Real>
using Path = Problem<Real, Model<Real>>;

/// How far another run of it parts.
template <AnalyticScalar Real>
double deviation(const Path<Real>& path, const Run<Real>& other) {
  return static_cast<double>(path.deviation(other, path_steps, library<Real>));
}

/// One class where the width makes more of them costly.
inline constexpr Shape small_shape{2, 2, small_width, 2};
constexpr Shape wide_shape(std::size_t d) { return {2, 2, d, 1}; }
constexpr Shape rich_shape(std::size_t d) { return {2, 3, d, 2}; }

/// A table of standard deviation 1/m and what trains it; `seed` and `name` draw it.
template <AnalyticScalar Real>
Path<Real> path_of(std::uint64_t seed, std::string_view name, const Shape& shape, const Real& m,
                   std::size_t optimiser, Norm first, Loss loss) {
  const Stream stream(seed, name);
  Numbers numbers(stream, 0);
  return drawn_problem(shape, m, optimiser, first, loss, numbers);
}

/// √d in 50 digits.
inline Wide wide_root(std::uint64_t d) { return sqrt(Wide(d)); }

/// How many paths differ in a bit where none may, by the record.
inline void measure_bits(Section& s) {
  s.measure_failures("bit_disagreements", {{"steps", "1 to 128"}}, "same_bits_at_powers_of_two");
}

/// A distance in 50 digits as a measurement has it, of one drawn path: 0 where it is rounding.
inline Value beyond_rounding(double deviation) {
  return Value::example(deviation < thirtieth_digit ? 0.0 : deviation);
}

}  // namespace embedscale::optimizer_analysis
