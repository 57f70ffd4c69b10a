#pragma once
// What the sections share, of the claims about sinusoidal positions.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include "cli/options.hpp"
#include "properties/sinusoidal/claims.hpp"
#include "properties/sinusoidal/table.hpp"
#include "report/section.hpp"

namespace embedscale::sinusoidal_analysis {

using namespace properties::sinusoidal;
using cli::Options, cli::points;
using report::axis, report::for_each_of, report::Greatest, report::over, report::Place,
    report::Section, report::Sum, report::Tally, report::Value, report::Values;
using Vector = properties::sinusoidal::Place;

/// The widths to measure at, or positions, or numbers of these: those told, or `otherwise`.
inline auto even_widths(const Options& options, const std::vector<std::uint64_t>& otherwise) {
  return points(options.widths, otherwise);
}
inline std::vector<std::int64_t> positions(const Options& options,
                                           const std::vector<std::uint64_t>& otherwise) {
  const auto all = points(options.positions, otherwise);
  return {all.begin(), all.end()};
}

/// Whole numbers on a logarithmic scale, for curves: 2^(k/parts) up to 2^last, each once.
inline std::vector<std::int64_t> by_powers(int parts, int last) {
  std::vector<std::int64_t> all;
  for (int k = 0; k <= parts * last; ++k) {
    const std::int64_t p = std::llround(std::exp2(static_cast<double>(k) / parts));
    if (all.empty() || all.back() != p) all.push_back(p);
  }
  return all;
}

inline constexpr std::array rules{FrequencyRule::paper, FrequencyRule::tensor2tensor};
constexpr const char* name_of(FrequencyRule rule) {
  return rule == FrequencyRule::paper ? "paper" : "tensor2tensor";
}

/// The largest share of a bound that a property found.
inline void largest_share(Section& s, const char* of, const char* property) {
  s.measure_worst("worst_share_of_bound", {{"of", of}}, property);
}

}  // namespace embedscale::sinusoidal_analysis
