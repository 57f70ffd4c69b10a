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

using namespace report;
using namespace properties::sinusoidal;
using cli::Options;
using cli::points;
using report::Place;
using Vector = properties::sinusoidal::Place;
using Table = properties::sinusoidal::Table;

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
std::vector<std::int64_t> by_powers(int parts, int last);

/// As many of them as a figure has curves.
template <class T>
std::vector<T> first_of(std::size_t count, std::vector<T> all) {
  if (all.size() > count) all.resize(count);
  return all;
}

inline constexpr std::array rules{FrequencyRule::paper, FrequencyRule::tensor2tensor};
constexpr const char* name_of(FrequencyRule rule) {
  return rule == FrequencyRule::paper ? "paper" : "tensor2tensor";
}

/// The largest share of a bound that a property found.
void largest_share(Section& s, const char* of, const char* property);

}  // namespace embedscale::sinusoidal_analysis
