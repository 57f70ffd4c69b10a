#pragma once
// A linear layer, out = W x + b, and the product with the transposed matrix that is its gradient.
#include <embedscale/attention.hpp>
#include <embedscale/scalar.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
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
  // Four rows at a time: sums that do not wait for each other. Each is that of dot.
  std::size_t i = 0;
  for (; i + 4 <= out.size(); i += 4) {
    const auto rows = layer.weights.subspan(i * x.size(), 4 * x.size());
    std::array<Real, 4> sums{Real(0), Real(0), Real(0), Real(0)};
    for (std::size_t j = 0; j < x.size(); ++j)
      for (std::size_t k = 0; k < 4; ++k) {
        const Real product = rows[k * x.size() + j] * x[j];
        sums[k] = sums[k] + product;
      }
    std::ranges::copy(sums, out.begin() + static_cast<std::ptrdiff_t>(i));
  }
  for (; i < out.size(); ++i) out[i] = dot(layer.weights.subspan(i * x.size(), x.size()), x);
  for (i = 0; i < layer.bias.size(); ++i) out[i] = out[i] + layer.bias[i];
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
  for (std::size_t j = 0; j < out.size(); ++j) {
    Real sum = Real(0);
    for (std::size_t i = 0; i < coefficients.size(); ++i) {
      const Real product = coefficients[i] * rows[i * out.size() + j];
      sum = sum + product;
    }
    out[j] = sum;
  }
}

}  // namespace embedscale
