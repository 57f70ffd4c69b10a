#pragma once
// What is measured of each claim about training.
#include "cli/options.hpp"
#include "properties/optimizer/claims.hpp"
#include "report/section.hpp"

namespace embedscale::optimizer_analysis {

using namespace report;
using cli::Options;
using cli::points;

void same_function_same_path(Section& s, const Options& options);
void folded_sgd_step(Section& s, const Options& options);
void folded_adam_step(Section& s, const Options& options);
void relative_step(Section& s, const Options& options);

}  // namespace embedscale::optimizer_analysis
