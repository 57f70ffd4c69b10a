#pragma once
// What the sections share, of the claims about products of queries and keys, their softmax and its
// gradient; and about a factor at the input of the first attention.
#include <array>
#include <cstdint>

#include "cli/analysis.hpp"
#include "properties/attention/claims.hpp"
#include "report/section.hpp"

namespace embedscale::attention_analysis {

using namespace report;
using cli::Options;
using cli::points;

cli::Measure dot_variance_is_d_k, scaling_gives_unit_variance, aligned_vectors_need_one_over_d_k,
    unscaled_softmax_saturates, gradients_vanish_unscaled, key_constant_cancels,
    root_d_model_does_not_cancel, factor_is_a_temperature, projections_absorb_the_factor,
    first_layer_terms, first_projection_range;

/// A few widths of models, where there are other axes, too.
inline constexpr std::array<std::uint64_t, 5> few_widths{64, 256, 512, 1024, 4096};
inline constexpr std::array<std::uint64_t, 6> few_head_widths{8, 16, 32, 64, 128, 256};

inline double real(std::uint64_t n) { return static_cast<double>(n); }

}  // namespace embedscale::attention_analysis
