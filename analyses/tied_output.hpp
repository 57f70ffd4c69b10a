#pragma once
// The sections of the page about the shared table, one function for each claim.
#include <embedscale/properties/domain/rationals.hpp>
#include <embedscale/properties/tied_output_scales.hpp>
#include <embedscale/random.hpp>

#include <array>
#include <cmath>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "cli/options.hpp"
#include "conventions.hpp"
#include "report/section.hpp"

namespace embedscale::tied_output_analysis {

using cli::points;
using conventions_analysis::System;

/// Where these claims are measured unless the options tell it.
inline constexpr std::array<std::uint64_t, 9> usual_widths{16,   64,   256,  512,  768,
                                                           1024, 2048, 4096, 16384};
inline constexpr std::array<std::uint64_t, 1> usual_vocabulary{32768};
inline constexpr std::array<double, 1> usual_deviations{0.02};

/// Exact samples: up to sixteen numbers for each case.
class Draws {
 public:
  Draws(std::uint64_t seed, std::string_view name) : stream_(seed, name) {}
  properties::domain::Rational any(std::uint64_t i, std::uint64_t k) const {
    return properties::domain::rational(stream_, 16 * i + k);
  }
  properties::domain::Rational positive(std::uint64_t i, std::uint64_t k) const {
    return properties::domain::positive_rational(stream_, 16 * i + k);
  }
  properties::tied_output::TwoChannels<properties::domain::Rational> two_channels(
      std::uint64_t i) const {
    return {{any(i, 8), any(i, 9)}, {any(i, 10), any(i, 11)}, {any(i, 12), any(i, 13)}};
  }

 private:
  Stream stream_;
};

/// A way to spell the scales of a shared table at one (d, V): deviation σ, m in, c out.
struct Parametrisation {
  std::string name;
  double sigma, m, c;

  double input_rms() const { return std::abs(m) * sigma; }
  double logit_std(std::uint64_t d) const {
    return std::abs(c) * sigma * std::sqrt(static_cast<double>(d));
  }
};

/// Equal but for the rounding of a few operations.
inline bool is_one(double x) { return std::abs(x - 1) < 1e-9; }

report::Section one_table_two_scales(const cli::Options& options);
report::Section initial_loss(const cli::Options& options);
report::Section multipliers_trade_places(const cli::Options& options);
report::Section sharing_is_not_needed(const cli::Options& options, const std::vector<System>& all);
report::Section copies_its_input(const cli::Options& options, const std::vector<System>& all);

}  // namespace embedscale::tied_output_analysis
