#pragma once
// The paths that the sections measure: small random models with what trains them.
#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <string_view>
#include <utility>

#include "optimizer/sections.hpp"
#include "properties/optimizer/model.hpp"

namespace embedscale::optimizer_analysis {

using namespace properties::optimizer;
using properties::Part;

/// The channels of a path in 50 digits.
inline constexpr std::size_t small_width = 6;
/// How many steps a path has.
inline constexpr int path_steps = 200;
/// Relative distances below this count as 0 in 50 digits: rounding is 10^20 times smaller.
inline constexpr double thirtieth_digit = 1e-30;
inline constexpr const char* in_50_digits = "50 digits; what is below 10^-30 counts as 0";

/// Powers of 4, whose roots every format has as powers of two; and others between them.
inline constexpr std::array<std::uint64_t, 5> squares_of_powers{16, 64, 256, 1024, 4096};
inline constexpr std::array<std::uint64_t, 9> shown_widths{16,   64,   256,  512,  768,
                                                           1024, 2048, 4096, 16384};

/// A model with its start, and the run with the factor at the token.
template <AnalyticScalar Real>
using Case = Problem<Real, Model<Real>>;

/// How far another run of it parts.
template <AnalyticScalar Real>
double deviation(const Case<Real>& path, const Run<Real>& other) {
  return static_cast<double>(path.deviation(other, path_steps, library<Real>));
}

/// One class where the width makes more of them costly.
inline constexpr Shape small_shape{2, 2, small_width, 2};
constexpr Shape wide_shape(std::size_t d) { return {2, 2, d, 1}; }
constexpr Shape rich_shape(std::size_t d) { return {2, 3, d, 2}; }

/// A table of standard deviation 1/m and what trains it; `seed` and `name` draw it.
template <AnalyticScalar Real>
Case<Real> case_of(std::uint64_t seed, std::string_view name, const Shape& shape, const Real& m,
                   std::size_t optimiser, Norm first, Loss loss) {
  const Stream stream(seed, name);
  Numbers numbers(stream, 0);
  auto start = drawn_start<Real>(shape, 1.0 / static_cast<double>(m), numbers);
  auto model = drawn_model<Real>(shape, first, loss, numbers);
  return {std::move(start), std::move(model), run_of(optimiser, m)};
}

/// √d in 50 digits.
inline Wide wide_root(std::uint64_t d) { return sqrt(Wide(d)); }

/// A distance in 50 digits as a measurement has it, of one drawn path: 0 where it is rounding.
inline Value beyond_rounding(double deviation) {
  return Value::example(deviation < thirtieth_digit ? 0.0 : deviation);
}

/// How many paths at widths 4^k, in binary32 and binary64, under optimisers `first` … `end` − 1,
/// have other bits than the run that `other` makes of them: of gradients as they come, and of a
/// loss so small that squares are near the least normal number, or gradients; the small ones
/// without ε, of a word that begins at 0.
template <class Other>
void measure_bits(Section& s, const Options& options, std::string_view name, std::size_t first,
                  std::size_t end, const Other& other) {
  Tally in_range, elsewhere;
  const auto in = [&]<class Real>(Real) {
    for (const auto d : squares_of_powers)
      for (std::size_t k = first; k < end; ++k)
        for (const int size : {0, 1, 2}) {
          auto path = case_of<Real>(options.seed, name, wide_shape(d), root_multiplier<Real>(d), k,
                                    Norm::rms_norm, Loss::bounded);
          path.model.loss_scale =
              std::ldexp(Real(1), size * (std::numeric_limits<Real>::min_exponent - 1) / 2);
          if (size > 0) begin_at_zero(path.start);
          for (auto* by : {&path.up.of_table, &path.up.of_head})
            if (auto* adam = adam_of(*by); adam && size > 0) adam->epsilon = 0;
          const auto bits =
              bits_of([&] { return path.same_bits(other(path.up), path_steps, library<Real>); });
          (bits.in_range ? in_range : elsewhere).evaluate([&] { return !bits.same; });
        }
  };
  in(0.0f);
  in(0.0);
  const Place at{{"d_model", "4^k, 16 to 4096"}, {"steps", path_steps}};
  constexpr auto how = "same bits or not, binary32 and binary64";
  s.decide_none("bit_disagreements", at, in_range, Part::statement, how);
  s.measure("bits_lost", at, elsewhere, how);
}

}  // namespace embedscale::optimizer_analysis
