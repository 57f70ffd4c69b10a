#pragma once
// What is measured of each claim about products of queries and keys, their softmax and its
// gradient.
#include "cli/options.hpp"
#include "properties/attention/claims.hpp"
#include "report/section.hpp"

namespace embedscale::attention_analysis {

using namespace report;
using cli::Options;
using cli::points;

void dot_variance_is_d_k(Section& s, const Options& options);
void scaling_gives_unit_variance(Section& s, const Options& options);
void unscaled_softmax_saturates(Section& s, const Options& options);
void gradients_vanish_unscaled(Section& s, const Options& options);
void key_constant_cancels(Section& s, const Options& options);
void aligned_vectors_need_one_over_d_k(Section& s, const Options& options);

}  // namespace embedscale::attention_analysis
