#pragma once
// What is measured of each claim about products of queries and keys, their softmax and its
// gradient; and about a factor at the input of the first attention.
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

void root_d_model_does_not_cancel(Section& s, const Options& options);
void factor_is_a_temperature(Section& s, const Options& options);
void projections_absorb_the_factor(Section& s, const Options& options);
/// Errors    FileError, for the atlas' records.
void first_layer_terms(Section& s, const Options& options);
void first_projection_range(Section& s, const Options& options);

}  // namespace embedscale::attention_analysis
