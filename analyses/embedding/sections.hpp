#pragma once
// What the sections share, of the claims about the token part.
#include <embedscale/embedding.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "cli/options.hpp"
#include "properties/embedding/claims.hpp"
#include "properties/embedding/primitives.hpp"
#include "report/section.hpp"

namespace embedscale::embedding_analysis {

using namespace report;
using namespace properties::embedding;
using cli::Options, cli::points;

inline const Primitives primitives;

/// Looked up without a factor, and with √d.
struct Program {
  const char* name;
  double (*factor)(std::uint64_t d);
};
inline constexpr Program bare{"1", [](std::uint64_t) { return 1.0; }};
inline constexpr Program scaled{"sqrt(d_model)", root_multiplier<double>};

/// What tables show; figures and counts go through more.
inline constexpr std::array<std::uint64_t, 8> shown_widths{16,   64,   256,  512,
                                                           1024, 2048, 4096, 16384};

/// Sizes of the vocabulary, whose tables are kept whole.
inline constexpr std::array vocabularies{100, 1000, 10'000, 32'000, 50'257, 256'000};

}  // namespace embedscale::embedding_analysis
