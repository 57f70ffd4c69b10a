#pragma once
// LayerNorm and RMSNorm as they are at initialisation: gain 1 and bias 0, so neither appears.
//
//   layer_norm   y = (x − mean) / √(var + ε)      var = Σ(x − mean)²/n, the biased one
//   rms_norm     y = x / √(ms + ε)                ms = Σx²/n
//
// or with ε outside the root, y = … / (√var + ε). With ε = 0 both forget the scale of x, the first
// its mean as well; with ε > 0 they remember it a little, and where ε sits decides how.
#include <embedscale/scalar.hpp>

#include <algorithm>
#include <span>

namespace embedscale {

/// What ε is added to, hence its unit: x² or x.
enum class EpsilonPlacement {
  variance,           ///< √(var + ε): PyTorch, TensorFlow, Llama
  standard_deviation  ///< √var + ε: the Annotated Transformer, the first RMSNorm
};

namespace detail {
// Σ(x − centre)²/n, summed from left to right in Real; n is rounded to Real.
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
  Real sum = Real(0);
  for (const Real& value : x) sum = sum + value;
  const Real mean = sum / Real(static_cast<int>(x.size()));
  const Real deviation = detail::divisor(detail::mean_square_about(x, mean), epsilon, placement);
  const bool constant = std::ranges::all_of(x, [&](const Real& value) { return value == x[0]; });
  if (deviation == Real(0) || (epsilon == Real(0) && constant))
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

}  // namespace embedscale
