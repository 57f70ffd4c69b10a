#pragma once
// How concentrated the softmax over n independent logits z_i = s ξ_i, ξ_i ~ N(0, 1), is expected to
// be, by quadrature: E Σ w_i², E max w_i and the trace of its Jacobian. softmax.hpp has the
// entropy.
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
///           rounding. It takes some 10 ms, whatever s and n are.
/// Errors    std::invalid_argument where s is negative or not finite, or n is 0.
Expectation largest_weight(double s, std::uint64_t n);

/// E tr J of the Jacobian J = diag(w) − w·wᵀ, 1 − E Σw² = (E ln Z − E H)/s²: the one or the other,
/// whichever does not cancel.
///
/// Ensures   error as expected::log_sum_exp_and_entropy says it.
/// Errors    std::invalid_argument where s is negative or not finite, or n is 0.
Expectation jacobian_trace(double s, std::uint64_t n);

/// The median of ‖J‖ = tr J = 1/(2·cosh²(d/2)) over two logits, d = |z_1 − z_2| apart: d/2 has the
/// median erf⁻¹(½)·s.
double median_jacobian_of_two(double s);

/// The s at which that is `level` times what it is at s = 1.  Requires  0 < level <= 1.
double vanishing_deviation_of_two(double level);

}  // namespace embedscale::expected
