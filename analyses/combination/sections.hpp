#pragma once
// What is measured of each claim about up and down.
#include "cli/options.hpp"
#include "properties/combination/claims.hpp"
#include "report/section.hpp"

namespace embedscale::combination_analysis {

using namespace report;
using cli::Options;
using cli::points;

void up_is_down_times_root_d(Section& s, const Options& options);
void only_the_ratio_sets_direction(Section& s, const Options& options);
void rounds_identically(Section& s, const Options& options);
void down_makes_positions_too_faint(Section& s, const Options& options);
void dropout_commutes(Section& s, const Options& options);
void multiplier_commutes_with_order(Section& s, const Options& options);

}  // namespace embedscale::combination_analysis
