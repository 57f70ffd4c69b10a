#pragma once
// How concentrated the softmax over n independent logits z_i = s ξ_i, ξ_i ~ N(0, 1), is expected to
// be: E Σ w_i² and E max w_i, by quadrature. softmax.hpp has the entropy.
#include <embedscale/expected/softmax.hpp>

#include <cstdint>

namespace embedscale::expected {

/// E Σ w²: between 1/n and 1. With g(s) = E ln Z it is 1 − g'(s)/s, and so 1 − (g − E H)/s².
///
/// Ensures   error as expected::log_sum_exp_and_entropy says it.
/// Errors    std::invalid_argument where s is negative or not finite, or n is 0.
Expectation sum_of_squares(double s, std::uint64_t n);

/// E max w: between 1/n and 1.
///
/// Ensures   error covers the change from steps 1.4 times as long, far above what is left, and
///           rounding. It takes a time proportional to 1 + s, some 25 ms at s = 16.
/// Errors    std::invalid_argument where s is negative or not finite, or n is 0.
Expectation largest_weight(double s, std::uint64_t n);

}  // namespace embedscale::expected
