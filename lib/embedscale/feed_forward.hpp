#pragma once
// The position-wise feed-forward network of a block: out = W_2 relu(W_1 x + b_1) + b_2.
#include <embedscale/linear.hpp>
#include <embedscale/scalar.hpp>

#include <span>
#include <vector>

namespace embedscale {

/// x where x > 0, else 0; a NaN stays one.
template <Scalar Real>
constexpr Real relu(const Real& x) {
  return x < Real(0) ? Real(0) : x;
}

namespace detail {
// W_1 x + b_1: d_ff numbers.
template <Scalar Real>
std::vector<Real> before_relu(const LinearLayer<Real>& inner, std::span<const Real> x) {
  std::vector<Real> hidden(x.empty() ? 0 : inner.weights.size() / x.size(), Real(0));
  linear<Real>(inner, x, hidden);
  return hidden;
}
}  // namespace detail

/// One token through the network.
///
/// Requires  `inner` of d → d_ff and `outer` of d_ff → d; x and out of size d, out may be x.
/// Ensures   without biases, positively homogeneous: c·x gives c·out for c > 0, over the reals.
/// Errors    std::invalid_argument where the sizes disagree.
/// Source    Vaswani et al. 2017, equation 2.
template <Scalar Real>
void feed_forward(const LinearLayer<Real>& inner, const LinearLayer<Real>& outer,
                  std::span<const Real> x, std::span<Real> out) {
  auto hidden = detail::before_relu(inner, x);
  for (Real& value : hidden) value = relu(value);
  linear<Real>(outer, hidden, out);
}

/// out = Jᵀ g, the gradient of a loss to x from its gradient g to the network's output:
///
///   out = W_1ᵀ diag(z > 0) W_2ᵀ g        z = W_1 x + b_1, recomputed here
///
/// At the kink, z = 0, the slope is taken as 0, as frameworks do.
/// Requires  as feed_forward, and g of size d; out may be x or g.
/// Errors    std::invalid_argument where the sizes disagree.
template <Scalar Real>
void feed_forward_gradient(const LinearLayer<Real>& inner, const LinearLayer<Real>& outer,
                           std::span<const Real> x, std::span<const Real> upstream,
                           std::span<Real> out) {
  require_size("feed_forward_gradient: out", out.size(), x.size());
  require_size("feed_forward_gradient: upstream", upstream.size(), x.size());
  const auto z = detail::before_relu(inner, x);
  std::vector<Real> slopes(z.size(), Real(0));
  weighted_sum<Real>(upstream, outer.weights, slopes);
  for (std::size_t k = 0; k < z.size(); ++k)
    if (!(z[k] > Real(0))) slopes[k] = Real(0);
  weighted_sum<Real>(slopes, inner.weights, out);
}

}  // namespace embedscale
