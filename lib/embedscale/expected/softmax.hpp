#pragma once
// The softmax over n independent logits z_i = s ξ_i, ξ_i ~ N(0, 1): E ln Σ exp(z_i) and the mean of
// its entropy, by quadrature in the place of draws.
#include <cstdint>

namespace embedscale::expected {

struct Expectation {
  double value, error;  ///< |value − exact| <= error
};
struct LogSumExpAndEntropy {
  Expectation log_sum_exp, entropy;  ///< in nats
};

/// E ln Σ exp(z_i) and E H, H the entropy of w_i = exp(z_i)/Z, of n logits z_i ~ N(0, s²).
///
/// Ensures   error covers the change by the last halving of the step, far above what the next one
///           would change, and rounding: ε for each of the additions, times ∫|integrand|. For
///           s <= 1e250 it is below 3e−13 of the value.
/// Errors    std::invalid_argument where s is negative or not finite, or n is 0.
/// Source    the head of softmax.cpp; for the trick, Maddison, Tarlow and Minka 2014.
LogSumExpAndEntropy log_sum_exp_and_entropy(double s, std::uint64_t n);

}  // namespace embedscale::expected
