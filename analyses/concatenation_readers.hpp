#pragma once
// The readers of normal tables, a part of the section of first_channels_unusable.
#include <array>
#include <cmath>
#include <cstdint>
#include <vector>

#include "concatenation.hpp"

namespace embedscale::concatenation_analysis {

/// What becomes of a table of deviation d^−½: times √d it has deviation 1, as a folded one has.
struct Start {
  enum class Multiplier { root_d, none };
  Multiplier multiplier;
  const char* name;

  double deviation(std::uint64_t d) const {
    return multiplier == Multiplier::root_d ? 1.0 : 1 / std::sqrt(static_cast<double>(d));
  }
};
inline constexpr std::array starts{Start{Start::Multiplier::root_d, "√d or folded"},
                                   Start{Start::Multiplier::none, "1"}};

inline constexpr std::array<std::uint64_t, 3> reader_vocabularies{1000, paper_vocabulary, 256000};

/// Readers of all channels who do not know the position, or only the mean over 0 … L−1: quadrature.
void measure_all_channels(const cli::Options& options, report::Section& section);

/// Readers of the first channels: of those who know the position, x rounded to bfloat16, by draws;
/// of those who do not, by quadrature.
void measure_first_channels(const cli::Options& options, report::Section& section);

}  // namespace embedscale::concatenation_analysis
