#pragma once
// What the sections share, of the claims about training.
#include "cli/options.hpp"
#include "properties/optimizer/claims.hpp"
#include "report/section.hpp"

namespace embedscale::optimizer_analysis {

using cli::Options, cli::points;
using report::axis, report::Greatest, report::over, report::Place, report::Section, report::Tally,
    report::Value, report::Values;

}  // namespace embedscale::optimizer_analysis
