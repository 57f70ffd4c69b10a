#pragma once
// The sections of the attention page, one function for each claim, and what they share.
#include <embedscale/properties/attention_moments.hpp>
#include <embedscale/properties/domain/rationals.hpp>
#include <embedscale/random.hpp>

#include <cstdint>
#include <string>
#include <vector>

#include "cli/options.hpp"
#include "report/section.hpp"

namespace embedscale::attention_analysis {

using cli::points;
using properties::domain::Rational;

report::Section dot_variance_is_d_k(const cli::Options& options);
report::Section scaling_gives_unit_variance(const cli::Options& options);
report::Section unscaled_softmax_saturates(const cli::Options& options);
report::Section gradients_vanish_unscaled(const cli::Options& options);
report::Section key_constant_cancels(const cli::Options& options);
report::Section aligned_vectors_need_one_over_d_k(const cli::Options& options);

/// Draw i of the laws of one channel: a third each independent, coupled, and coupled so that the
/// variance is 1 all the same.
properties::attention::ChannelLaw<Rational> drawn_law(const Stream& stream, std::uint64_t i);

/// "0.469 to 0.577", or one number where both are the same.
std::string extremes(const std::vector<double>& values, int digits);

/// "1,500": to two significant digits, without an exponent.  Requires  1 <= x < 1e15.
std::string two_digits(double x);

}  // namespace embedscale::attention_analysis
