#pragma once
// The sections of the sinusoidal page, one function for each claim.
#include <embedscale/properties/sinusoidal.hpp>

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "cli/options.hpp"
#include "report/section.hpp"

namespace embedscale::sinusoidal_analysis {

using cli::points;

/// The widths to measure at: those told, or `otherwise`.
///
/// Errors    std::invalid_argument where one is odd or below 4, as tensor2tensor's rule needs.
std::vector<std::size_t> even_widths(const cli::Options& options,
                                     const std::vector<std::uint64_t>& otherwise);

/// Positions, or numbers of positions, to measure at: those told, or `otherwise`.
///
/// Errors    std::invalid_argument where 0 is told.
std::vector<std::int64_t> positions(const cli::Options& options,
                                    const std::vector<std::uint64_t>& otherwise);

inline constexpr std::array rules{FrequencyRule::paper, FrequencyRule::tensor2tensor};
inline constexpr std::array layouts{SinusoidalLayout::interleaved, SinusoidalLayout::halves};
constexpr const char* name_of(FrequencyRule rule) {
  return rule == FrequencyRule::paper ? "paper" : "tensor2tensor";
}

/// Whether so many entries are computed one by one; a larger table has its closed forms alone.
constexpr bool is_small(std::size_t d, std::int64_t length) {
  return static_cast<std::int64_t>(d) * length <= 1 << 18;
}

/// The worst of some shares of a bound: an obligation that it is at most 1, where there are any.
class Worst {
 public:
  Worst(const char* of, const char* method, properties::Part part, const char* field)
      : m_{.quantity = "worst_share_of_bound", .at = {{"of", of}}, .method = method}, part_(part) {
    m_.field = field;
  }
  /// A share that is no number stays.
  void add(double share) {
    if (!(share <= m_.value)) m_.value = share;
    ++m_.samples;
  }
  void record(report::Section& section) const;

 private:
  report::Measurement m_;
  properties::Part part_;
};

report::Section stays_within_one(const cli::Options& options);
report::Section mean_square_is_half(const cli::Options& options);
report::Section is_not_zero_mean(const cli::Options& options);
report::Section constant_share(const cli::Options& options);
report::Section early_channels_move(const cli::Options& options);
report::Section shift_is_linear(const cli::Options& options);
report::Section product_depends_on_offset(const cli::Options& options);
report::Section layouts_are_permutations(const cli::Options& options);
report::Section effective_rank(const cli::Options& options);

}  // namespace embedscale::sinusoidal_analysis
