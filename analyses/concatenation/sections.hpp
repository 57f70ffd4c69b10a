#pragma once
// What is measured of each claim about sums and concatenations.
#include "cli/options.hpp"
#include "properties/concatenation/claims.hpp"
#include "report/section.hpp"

namespace embedscale::concatenation_analysis {

using namespace report;
using cli::Options;
using cli::points;

void is_a_padded_sum(Section& s, const Options& options);
void sum_is_a_tied_concatenation(Section& s, const Options& options);
void first_channels_unusable(Section& s, const Options& options);
void parts_are_nearly_orthogonal(Section& s, const Options& options);
void costs(Section& s, const Options& options);

/// Of first_channels_unusable: error rates of readers of normal tables beside sinusoids. Those of
/// all channels do not know the position, or its mean over 0 … L−1 alone: quadrature.
void measure_all_channels(Section& s, const Options& options);
/// Those of the first channels know the position, x rounded to bfloat16: draws; or do not:
/// quadrature.
void measure_first_channels(Section& s, const Options& options);

/// What vocabulary and length are where none is told: those of the paper's translation models, and
/// a length of its time.
inline constexpr std::uint64_t paper_vocabulary = 37000, usual_length = 512;

}  // namespace embedscale::concatenation_analysis
