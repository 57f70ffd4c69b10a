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
using properties::Part;
using report::Place;
using Vector = properties::sinusoidal::Place;
using Table = properties::sinusoidal::Table;

/// The widths to measure at: those told, or `otherwise`.
std::vector<std::size_t> even_widths(const Options& options,
                                     const std::vector<std::uint64_t>& otherwise);

/// Positions, or numbers of positions, to measure at: those told, or `otherwise`.
std::vector<std::int64_t> positions(const Options& options,
                                    const std::vector<std::uint64_t>& otherwise);

/// Whole numbers on a logarithmic scale, for curves: 2^(k/parts) up to 2^last, each once.
std::vector<std::int64_t> by_powers(int parts, int last);

/// As many of them as a figure has curves.
template <class T>
std::vector<T> first_of(std::size_t count, std::vector<T> all) {
  if (all.size() > count) all.resize(count);
  return all;
}

inline constexpr std::array rules{FrequencyRule::paper, FrequencyRule::tensor2tensor};
inline constexpr std::array layouts{SinusoidalLayout::interleaved, SinusoidalLayout::halves};
constexpr const char* name_of(FrequencyRule rule) {
  return rule == FrequencyRule::paper ? "paper" : "tensor2tensor";
}
inline const Primitives primitives;

/// Whether so many entries are computed one by one; a larger table has its closed forms alone.
constexpr bool is_small(std::size_t d, std::int64_t length) {
  return static_cast<std::int64_t>(d) * length <= 1 << 18;
}

/// A position, or a number of positions, at each width: by both rules, in both layouts.
template <class Where>
std::vector<Where> each(const std::vector<std::size_t>& widths,
                        const std::vector<std::int64_t>& counts) {
  std::vector<Where> all;
  for (const auto count : counts)
    for (const auto d : widths)
      for (const auto rule : rules)
        for (const auto layout : layouts) all.push_back({d, count, rule, layout});
  return all;
}

/// The worst of some shares of a bound has to be at most 1; nothing where there are none.
void bounded(Section& s, const char* of, const Greatest& worst, Part part, std::string method);

}  // namespace embedscale::sinusoidal_analysis
