#pragma once
// The sections of the concatenation page, one function for each claim.
#include <embedscale/properties/concatenation.hpp>

#include <cstdint>

#include "cli/options.hpp"
#include "report/section.hpp"

namespace embedscale::concatenation_analysis {

using cli::points;

report::Section is_a_padded_sum(const cli::Options& options);
report::Section sum_is_a_tied_concatenation(const cli::Options& options);
report::Section first_channels_unusable(const cli::Options& options);
report::Section parts_are_nearly_orthogonal(const cli::Options& options);
report::Section costs(const cli::Options& options);

/// What vocabulary and length are where none is told: those of the paper's translation models, and
/// a length of its time.
inline constexpr std::uint64_t paper_vocabulary = 37000, usual_length = 512;

}  // namespace embedscale::concatenation_analysis
