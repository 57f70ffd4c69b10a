#pragma once
// Blocks as they start: where they are run, how many of them are drawn there, and what these tell.
#include <functional>
#include <optional>

#include "normalization/sections.hpp"
#include "properties/normalization/initial_block.hpp"
#include "report/loops.hpp"

namespace embedscale::normalization_analysis {

/// The widths of blocks, where none are told.
inline const std::vector<std::uint64_t> usual_widths{16, 32, 64, 128, 256};
/// The factors of a figure.
inline constexpr double powers_of_two[] = {0x1p-6, 0x1p-5, 0x1p-4, 0x1p-3, 0x1p-2, 0x1p-1, 1,
                                           2,      4,      8,      16,     32,     64};

/// A shape of blocks and their input.
struct Setup {
  BlockShape shape;
  InitialTokens start;

  /// At most 8 heads that divide the width, 16 tokens, a table of deviation d^−½, d_ff = 4d.
  explicit Setup(std::uint64_t width) : shape{width, 8, 4 * width}, start{width, 16, 0} {
    while (width % shape.heads != 0) shape.heads /= 2;
    start.sigma = usual_sigma(width);
  }

  /// Multiplications of one block.
  double products() const {
    const auto d = static_cast<double>(shape.d_model), n = static_cast<double>(start.n);
    return n * d * (4 * d + 2 * static_cast<double>(shape.d_ff)) + 2 * n * n * d;
  }
  /// How many models are drawn: at the usual number of samples, 4000, 16 at 256 channels, and more
  /// of smaller ones, whose figures scatter more, in proportion to the samples; 4 at least.
  std::uint64_t draws(std::uint64_t samples) const {
    constexpr double largest_usual = 12.0 * 256 * 256 * 16;  // multiplications, where 16 are drawn
    const double usual = std::clamp(16 * std::sqrt(largest_usual / products()), 4.0, 256.0);
    return static_cast<std::uint64_t>(std::max(4.0, usual * static_cast<double>(samples) / 4000));
  }
  /// A quarter of them for a curve's points, which are many; 4 at least.
  std::uint64_t draws_of_curve(std::uint64_t samples) const {
    return std::max<std::uint64_t>(4, draws(samples) / 4);
  }
  /// `at`, with the width.
  Place on(Place at) const { return at.set("d_model", shape.d_model); }
};

/// At the widths told, or `otherwise`.
inline std::vector<Setup> setups(const Options& options,
                                 const std::vector<std::uint64_t>& otherwise) {
  std::vector<Setup> all;
  for (const auto d : points(options.widths, otherwise)) all.emplace_back(d);
  return all;
}

/// A stream of random numbers of one drawn model.
inline Stream stream_of(const Options& options, const std::string& what, std::uint64_t draw) {
  return {options.seed, "normalization blocks/" + what + "/" + std::to_string(draw)};
}

/// What one drawn model tells of a quantity at a place.
struct Figure {
  const char* quantity;
  Place at;
  double value;
  std::optional<double> over = {};  ///< the quotient of both means is measured
};
using Figures = std::vector<Figure>;

/// Measures the means over n drawn models, made on all processors: each has the same figures, which
/// rounding may have made so much too large or too small.
inline void measure_means(Section& s, const std::string& method, std::uint64_t n,
                          const std::function<Figures(std::uint64_t draw)>& of,
                          double rounding = 0) {
  std::vector<Figures> all(n);
  in_parallel(n, [&](std::uint64_t draw) { all[draw] = of(draw); });
  for (std::size_t k = 0; k < all[0].size(); ++k) {
    const auto& [quantity, at, value, divisor] = all[0][k];
    if (divisor) {
      const auto both = over<Quotient>(
          n, [&](std::uint64_t draw) { return std::pair(all[draw][k].value, *all[draw][k].over); });
      s.measure(quantity, at, both.with_error(NormalConfidence::p999), method);
      continue;
    }
    const auto sum = over<Sum>(n, [&](std::uint64_t draw) { return all[draw][k].value; });
    const Value mean = sum.with_error(NormalConfidence::p999);
    s.measure(quantity, at,
              Estimate(sum.mean(), sum)
                  .as_sure_as(mean, *mean.lower() - rounding, *mean.upper() + rounding),
              method);
  }
}

}  // namespace embedscale::normalization_analysis
