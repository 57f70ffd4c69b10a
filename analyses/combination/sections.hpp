#pragma once
// What is measured of each claim about up and down.
#include <embedscale/embedding.hpp>
#include <embedscale/random.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <string>

#include "cli/options.hpp"
#include "properties/combination/claims.hpp"
#include "properties/combination/rounding.hpp"
#include "properties/domain/formats.hpp"
#include "properties/domain/rationals.hpp"
#include "properties/domain/widths.hpp"
#include "report/section.hpp"

namespace embedscale::combination_analysis {

using namespace report;
using namespace properties::combination;
using cli::Options;
using cli::points;
using properties::Part;
using properties::domain::Rational, properties::domain::RationalDraws;

using Measure = void(Section& s, const Options& options);
Measure up_is_down_times_root_d, only_the_ratio_sets_direction, rounds_identically,
    down_makes_positions_too_faint, dropout_commutes, multiplier_commutes_with_order;

inline constexpr const char* exact = "exact rationals";
inline const Primitives primitives;

/// The stream of a claim's draws at one width.
inline Stream stream_at(std::uint64_t d, const Section& s, const Options& options) {
  return {options.seed, std::string(s.claim().id) + "/" + std::to_string(d)};
}

}  // namespace embedscale::combination_analysis
