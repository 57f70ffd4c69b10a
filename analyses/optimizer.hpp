#pragma once
// The sections of the optimizer page, one function for each claim, and what they share.
#include <embedscale/properties/optimizer_draws.hpp>
#include <embedscale/properties/optimizer_path.hpp>

#include <array>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "cli/options.hpp"
#include "conventions.hpp"
#include "report/section.hpp"

namespace embedscale::optimizer_analysis {

using cli::points;
using conventions_analysis::System;
using properties::optimizer::Wide;

report::Section same_function_same_path(const cli::Options& options);
report::Section folded_sgd_step(const cli::Options& options);
report::Section folded_adam_step(const cli::Options& options);
report::Section relative_step(const cli::Options& options, const std::vector<System>& all);

/// The channels of a path in 50 digits.
inline constexpr std::size_t small_width = 6;
/// How many steps a path has.
inline constexpr int path_steps = 200;
/// Relative distances below this count as 0 in 50 digits: rounding is 10^20 times smaller.
inline constexpr double thirtieth_digit = 1e-30;

/// Powers of 4, whose roots every format has as powers of two; and others between them.
inline constexpr std::array<std::uint64_t, 5> squares_of_powers{16, 64, 256, 1024, 4096};
inline constexpr std::array<std::uint64_t, 9> shown_widths{16,   64,   256,  512,  768,
                                                           1024, 2048, 4096, 16384};

/// A model with its start, and the run with the factor at the token.
template <AnalyticScalar Real>
struct Case {
  properties::optimizer::Start<Real> start;
  properties::optimizer::Model<Real> model;
  properties::optimizer::Run<Real> up;

  auto slopes() const {
    return [this](const std::vector<Real>& x, const std::vector<Real>& head) {
      return properties::optimizer::slopes_at(model, x, head, properties::optimizer::Library{});
    };
  }
  std::vector<Real> distances(const properties::optimizer::Run<Real>& other, int steps) const {
    return properties::optimizer::path_distances(start, up, other, slopes(), steps,
                                                 properties::optimizer::Library{});
  }
  double deviation(const properties::optimizer::Run<Real>& other, int steps = path_steps) const {
    return static_cast<double>(properties::optimizer::path_deviation(
        start, up, other, slopes(), steps, properties::optimizer::Library{}));
  }
  bool same_bits(const properties::optimizer::Run<Real>& other, int steps = path_steps) const {
    return properties::optimizer::paths_have_the_same_bits(start, up, other, slopes(), steps,
                                                           properties::optimizer::Library{});
  }
};

/// Words, inputs and classes: one class where the width makes it costly.
inline constexpr std::array<std::size_t, 3> small_sizes{2, 2, 2}, wide_sizes{2, 2, 1},
    rich_sizes{2, 3, 2};

/// A table of standard deviation 1/m and what trains it; `seed` and `name` draw it.
template <AnalyticScalar Real>
Case<Real> case_of(std::uint64_t seed, std::string_view name, std::size_t d, const Real& m,
                   std::size_t optimiser, properties::optimizer::Norm first,
                   properties::optimizer::Loss loss,
                   const std::array<std::size_t, 3>& sizes = small_sizes) {
  using namespace properties::optimizer;
  const Stream stream(seed, name);
  Numbers numbers(stream, 0);
  const Shape shape{sizes[0], sizes[1], d, sizes[2]};
  const double factor = static_cast<double>(m);
  auto start = drawn_start<Real>(shape, 1.0 / factor, numbers);
  auto model = drawn_model<Real>(shape, first, loss, numbers);
  return {std::move(start),
          std::move(model),
          {Placing::up, m, settings_of<Real>(optimiser, factor, 1e-8),
           settings_of_head<Real>(optimiser)}};
}

/// √d in 50 digits.
inline Wide wide_root(std::uint64_t d) { return sqrt(Wide(d)); }

/// A distance in 50 digits as a measurement has it: 0 where it is rounding.
inline double beyond_rounding(double deviation) {
  return deviation < thirtieth_digit ? 0.0 : deviation;
}
/// And as a table does.
inline std::string shown_deviation(double deviation) {
  return deviation == 0.0 ? "0" : report::significant(deviation, 3);
}

/// How many paths at widths 4^k, in binary32 and binary64, under optimisers `first` … `last`, have
/// other bits than the run that `other` makes of them: a measurement without a rule.
template <class Other>
report::Measurement bit_disagreements(const cli::Options& options, std::string_view name,
                                      std::size_t first, std::size_t last, const Other& other) {
  report::Measurement m{.quantity = "bit_disagreements",
                        .at = {{"d_model", "4^k, 16 to 4096"}, {"steps", path_steps}},
                        .method = "same bits or not, binary32 and binary64",
                        .unit = report::counted};
  const auto count = [&]<class Real>(Real) {
    for (const auto d : squares_of_powers)
      for (std::size_t k = first; k <= last; ++k) {
        const auto path = case_of<Real>(options.seed, name, d, root_multiplier<Real>(d), k,
                                        properties::optimizer::Norm::rms_norm,
                                        properties::optimizer::Loss::bounded, wide_sizes);
        m.value += path.same_bits(other(path.up)) ? 0 : 1;
        ++m.samples;
      }
  };
  count(0.0f);
  count(0.0);
  return m;
}

}  // namespace embedscale::optimizer_analysis
