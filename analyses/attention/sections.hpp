#pragma once
// What the sections share, of the claims about products of queries and keys, their softmax and its
// gradient; and about a factor at the input of the first attention.
#include <array>
#include <cstdint>

#include "cli/options.hpp"
#include "properties/attention/claims.hpp"
#include "report/section.hpp"

namespace embedscale::attention_analysis {

using namespace report;
using cli::Options;
using cli::points;

/// A few widths of models, where there are other axes, too.
inline constexpr std::array<std::uint64_t, 5> few_widths{64, 256, 512, 1024, 4096};

}  // namespace embedscale::attention_analysis
