#pragma once
// What the sections share, of the claims about products of queries and keys, their softmax and its
// gradient; and about a factor at the input of the first attention.
#include "cli/options.hpp"
#include "properties/attention/claims.hpp"
#include "report/section.hpp"

namespace embedscale::attention_analysis {

using namespace report;
using cli::Options;
using cli::points;

}  // namespace embedscale::attention_analysis
