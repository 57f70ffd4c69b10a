#pragma once
// What the sections share, of the claims about training.
#include "cli/options.hpp"
#include "properties/optimizer/claims.hpp"
#include "report/section.hpp"

namespace embedscale::optimizer_analysis {

using namespace report;
using cli::Options;
using cli::points;

}  // namespace embedscale::optimizer_analysis
