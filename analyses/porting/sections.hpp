#pragma once
// What the sections share, of the claims about ports.
#include "cli/options.hpp"
#include "properties/porting/claims.hpp"
#include "report/section.hpp"

namespace embedscale::porting_analysis {

using namespace report;
using cli::Options;
using cli::points;

}  // namespace embedscale::porting_analysis
