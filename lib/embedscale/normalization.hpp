#pragma once
// LayerNorm and RMSNorm as they are at initialisation: gain 1 and bias 0, so neither appears.
//
//   layer_norm   y = (x − mean) / √(var + ε)      var = Σ(x − mean)²/n, the biased one
//   rms_norm     y = x / √(ms + ε)                ms = Σx²/n
//
// or with ε outside the root, y = … / (√var + ε). With ε = 0 both forget the scale of x, the first
// its mean as well; with ε > 0 they remember it a little, and where ε sits decides how.
//
// The gradients are exact for the formulas above, ε included.
#include <embedscale/attention.hpp>
#include <embedscale/scalar.hpp>

#include <algorithm>
#include <span>
#include <vector>

namespace embedscale {

/// What ε is added to, hence its unit: x² or x.
enum class EpsilonPlacement {
  variance,           ///< √(var + ε): PyTorch, TensorFlow, Llama
  standard_deviation  ///< √var + ε: the Annotated Transformer, the first RMSNorm
};

namespace detail {
// Summed from left to right in Real, as everything here; n is rounded to Real.
template <Scalar Real>
Real mean(std::span<const Real> x) {
  Real sum = Real(0);
  for (const Real& value : x) sum = sum + value;
  return sum / Real(static_cast<int>(x.size()));
}

template <Scalar Real>
bool all_equal(std::span<const Real> x) {
  return std::ranges::all_of(x, [&](const Real& value) { return value == x[0]; });
}

// Σ(x − centre)²/n.
template <Scalar Real>
Real mean_square_about(std::span<const Real> x, const Real& centre) {
  Real sum = Real(0);
  for (const Real& value : x) {
    const Real deviation = value - centre;
    const Real square = deviation * deviation;
    sum = sum + square;
  }
  return sum / Real(static_cast<int>(x.size()));
}

template <AnalyticScalar Real>
Real divisor(const Real& mean_square, const Real& epsilon, EpsilonPlacement placement) {
  using std::sqrt;
  return placement == EpsilonPlacement::variance ? Real(sqrt(Real(mean_square + epsilon)))
                                                 : Real(sqrt(mean_square) + epsilon);
}

template <Scalar Real>
void require_normalizable(const char* what, std::span<const Real> x, const Real& epsilon,
                          std::span<Real> out) {
  require_size(what, out.size(), x.size());
  if (x.empty()) throw std::invalid_argument(std::string(what) + ": an empty vector has no mean");
  if (!(epsilon >= Real(0)))
    throw std::invalid_argument(std::string(what) + ": needs epsilon >= 0");
}
}  // namespace detail

/// out = (x − mean(x)) / deviation of x, in two passes (mean, then squares about it).
///
/// Requires  out of the size of x, which may be x itself; epsilon >= 0.
/// Ensures   over the reals and with ε = 0: mean(out) = 0, Σout² = n, and out is unchanged by
///           x → a·x + b, a > 0.
/// Errors    std::invalid_argument on sizes and ε, and on 0/0: ε = 0 with all of x equal (decided
///           by comparison, since the mean of n equal numbers may round to a neighbour and would
///           leave noise of size 1) or with squares that underflow. A constant x with ε > 0 gives
///           0 up to the rounding of its mean.
/// Source    Ba, Kiros and Hinton 2016, equation 4. The Annotated Transformer's own code divides by
///           n − 1: √((n−1)/n) times this, before ε.
template <AnalyticScalar Real>
void layer_norm(std::span<const Real> x, const Real& epsilon, EpsilonPlacement placement,
                std::span<Real> out) {
  detail::require_normalizable("layer_norm", x, epsilon, out);
  const Real mean = detail::mean(x);
  const Real deviation = detail::divisor(detail::mean_square_about(x, mean), epsilon, placement);
  if (deviation == Real(0) || (epsilon == Real(0) && detail::all_equal(x)))
    throw std::invalid_argument("layer_norm: all channels agree and epsilon is 0: 0/0");
  for (std::size_t j = 0; j < x.size(); ++j) {
    const Real centred = x[j] - mean;
    out[j] = centred / deviation;
  }
}

/// out = x / root mean square of x.
///
/// Requires  out of the size of x, which may be x itself; epsilon >= 0.
/// Ensures   over the reals and with ε = 0: Σout² = n, and out is unchanged by x → a·x, a > 0.
/// Errors    std::invalid_argument on sizes and ε, and on 0/0: ε = 0 with all squares 0.
/// Source    Zhang and Sennrich 2019, equation 4.
template <AnalyticScalar Real>
void rms_norm(std::span<const Real> x, const Real& epsilon, EpsilonPlacement placement,
              std::span<Real> out) {
  detail::require_normalizable("rms_norm", x, epsilon, out);
  const Real size = detail::divisor(detail::mean_square_about(x, Real(0)), epsilon, placement);
  if (size == Real(0))
    throw std::invalid_argument("rms_norm: all squares are 0 and epsilon is 0: 0/0");
  for (std::size_t j = 0; j < x.size(); ++j) out[j] = x[j] / size;
}

namespace detail {
// Jᵀ g of y = c/D, D = √(Σc²/n + ε) or √(Σc²/n) + ε, as if c were the variable. With r the root
// alone, ∂D/∂c_j = c_j/(n r), so that out_j = (g_j − c_j <g, c>/(n D r))/D.
template <AnalyticScalar Real>
void divided_gradient(std::span<const Real> c, std::span<const Real> upstream, const Real& epsilon,
                      EpsilonPlacement placement, std::span<Real> out) {
  const Real mean_square = mean_square_about(c, Real(0));
  const Real whole = divisor(mean_square, epsilon, placement);
  const Real root = placement == EpsilonPlacement::variance
                        ? whole
                        : divisor(mean_square, Real(0), EpsilonPlacement::variance);
  if (whole == Real(0)) throw std::invalid_argument("gradient of a norm: 0/0");
  // c = 0 has r = 0 with ε beside the root: c_j <g, c> is of second order there, so that it goes.
  const Real mean = dot(c, upstream) / Real(static_cast<int>(c.size()));
  const Real along = root == Real(0) ? Real(0) : Real(Real(mean / whole) / root);
  for (std::size_t j = 0; j < c.size(); ++j) {
    const Real part = c[j] * along;
    out[j] = Real(upstream[j] - part) / whole;
  }
}
}  // namespace detail

/// out = Jᵀ g, the gradient of a loss to x from its gradient g to rms_norm's output:
///
///   out_j = (g_j − x_j <g, x>/(n D r))/D        D what x is divided by, r its root: D without ε
///
/// where ε is inside the root, r = D.
/// Requires  as rms_norm, and g of the size of x; out may be x or g.
/// Errors    std::invalid_argument as rms_norm.
template <AnalyticScalar Real>
void rms_norm_gradient(std::span<const Real> x, std::span<const Real> upstream, const Real& epsilon,
                       EpsilonPlacement placement, std::span<Real> out) {
  detail::require_normalizable("rms_norm_gradient", x, epsilon, out);
  require_size("rms_norm_gradient: upstream", upstream.size(), x.size());
  detail::divided_gradient(x, upstream, epsilon, placement, out);
}

/// out = Jᵀ g, the gradient of a loss to x from its gradient g to layer_norm's output. With
/// c = x − mean(x), whose Jacobian I − 11ᵀ/n takes the mean from what comes back by c:
///
///   out_j = (g_j − mean(g) − c_j <g, c>/(n D r))/D
///
/// since Σc = 0. Over the reals Σ out = 0, as y does not see a constant added to x.
/// Requires  as layer_norm, and g of the size of x; out may be x or g.
/// Errors    std::invalid_argument as layer_norm.
template <AnalyticScalar Real>
void layer_norm_gradient(std::span<const Real> x, std::span<const Real> upstream,
                         const Real& epsilon, EpsilonPlacement placement, std::span<Real> out) {
  detail::require_normalizable("layer_norm_gradient", x, epsilon, out);
  require_size("layer_norm_gradient: upstream", upstream.size(), x.size());
  if (epsilon == Real(0) && detail::all_equal(x))
    throw std::invalid_argument("layer_norm_gradient: all channels agree and epsilon is 0: 0/0");
  const Real mean_x = detail::mean(x), mean_g = detail::mean(upstream);
  std::vector<Real> centred, slopes;
  for (std::size_t j = 0; j < x.size(); ++j) {
    centred.push_back(x[j] - mean_x);
    slopes.push_back(upstream[j] - mean_g);
  }
  detail::divided_gradient<Real>(centred, slopes, epsilon, placement, out);
}

}  // namespace embedscale
