#pragma once
// A linear layer, out = W x + b, and the product with the transposed matrix that is its gradient.
#include <embedscale/attention.hpp>
#include <embedscale/scalar.hpp>

#include <algorithm>
#include <span>

namespace embedscale {

/// Weights (out, in) in row-major order and a bias of `out` entries; an empty bias: none.
template <Scalar Real>
struct LinearLayer {
  std::span<const Real> weights;
  std::span<const Real> bias;
};

/// out_i = fl(<W_i, x> + b_i), or <W_i, x> without a bias.
///
/// Requires  weights of size out·x, a bias of size out or none; out apart from x.
/// Errors    std::invalid_argument where the sizes disagree.
template <Scalar Real>
void linear(const LinearLayer<Real>& layer, std::span<const Real> x, std::span<Real> out) {
  require_size("linear: weights", layer.weights.size(), out.size() * x.size());
  if (!layer.bias.empty()) require_size("linear: bias", layer.bias.size(), out.size());
  dots(layer.weights, x, out);
  for (std::size_t i = 0; i < layer.bias.size(); ++i) out[i] = out[i] + layer.bias[i];
}

/// out = Σ_i a_i row_i, from the first row to the last: the mean of values under attention's
/// weights, and, as Wᵀ a, the gradient to x through W x + b.
///
/// Requires  rows of size a·out, row-major; out apart from both.
/// Errors    std::invalid_argument where the sizes disagree.
template <Scalar Real>
void weighted_sum(std::span<const Real> coefficients, std::span<const Real> rows,
                  std::span<Real> out) {
  require_size("weighted_sum: rows", rows.size(), coefficients.size() * out.size());
  std::fill(out.begin(), out.end(), Real(0));
  for (std::size_t i = 0; i < coefficients.size(); ++i) {
    const auto row = rows.subspan(i * out.size(), out.size());
    for (std::size_t j = 0; j < out.size(); ++j) out[j] = out[j] + Real(coefficients[i] * row[j]);
  }
}

}  // namespace embedscale
