#pragma once
// The sections of the combination page, one function for each claim.
#include <embedscale/properties/combination.hpp>

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "cli/options.hpp"
#include "report/section.hpp"

namespace embedscale::combination_analysis {

using cli::points;

report::Section up_is_down_times_root_d(const cli::Options& options);
report::Section only_the_ratio_sets_direction(const cli::Options& options);
report::Section rounds_identically(const cli::Options& options);
report::Section down_makes_positions_too_faint(const cli::Options& options);
report::Section dropout_commutes(const cli::Options& options);
report::Section multiplier_commutes_with_order(const cli::Options& options);

}  // namespace embedscale::combination_analysis
