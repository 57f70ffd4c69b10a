#pragma once
// Wrong gradients of the parts of a block: norms, feed-forward network, attention; from the largest
// defect to the smallest.
#include <cmath>
#include <span>
#include <vector>

#include "../block.hpp"

namespace embedscale::properties::mutants {

using Gradients = block::Library;

/// The same slip in the gradients of both norms: Slip::gradient(c, g, mean of c², ε, placement,
/// out), where c and g are centred for LayerNorm.
template <class Slip>
struct SlipsInTheNorms : Gradients {
  template <AnalyticScalar Real>
  static void layer_norm_gradient(std::span<const Real> x, std::span<const Real> upstream,
                                  const Real& epsilon, EpsilonPlacement placement,
                                  std::span<Real> out) {
    const Real mean_x = embedscale::detail::mean(x), mean_g = embedscale::detail::mean(upstream);
    std::vector<Real> c, g;
    for (std::size_t j = 0; j < x.size(); ++j) {
      c.push_back(x[j] - mean_x);
      g.push_back(upstream[j] - mean_g);
    }
    Slip::template gradient<Real>(c, g, epsilon, placement, out);
  }
  template <AnalyticScalar Real>
  static void rms_norm_gradient(std::span<const Real> x, std::span<const Real> upstream,
                                const Real& epsilon, EpsilonPlacement placement,
                                std::span<Real> out) {
    Slip::template gradient<Real>(x, upstream, epsilon, placement, out);
  }
};

/// g/D alone: the divisor's own dependence on x is left out.
struct Detaches {
  template <AnalyticScalar Real>
  static void gradient(std::span<const Real> c, std::span<const Real> g, const Real& epsilon,
                       EpsilonPlacement placement, std::span<Real> out) {
    const Real divisor = embedscale::detail::divisor(
        embedscale::detail::mean_square_about(c, Real(0)), epsilon, placement);
    for (std::size_t j = 0; j < c.size(); ++j) out[j] = g[j] / divisor;
  }
};
using detaches_the_divisor = SlipsInTheNorms<Detaches>;

/// ε inside the root for ε beside it, and the other way round.
struct Misplaces {
  template <AnalyticScalar Real>
  static void gradient(std::span<const Real> c, std::span<const Real> g, const Real& epsilon,
                       EpsilonPlacement placement, std::span<Real> out) {
    const auto other = placement == EpsilonPlacement::variance
                           ? EpsilonPlacement::standard_deviation
                           : EpsilonPlacement::variance;
    embedscale::detail::divided_gradient<Real>(c, g, epsilon, other, out);
  }
};
using misplaces_epsilon = SlipsInTheNorms<Misplaces>;

/// D² for D·r: the same where ε is inside the root, and where there is none.
struct SquaresTheDivisor {
  template <AnalyticScalar Real>
  static void gradient(std::span<const Real> c, std::span<const Real> g, const Real& epsilon,
                       EpsilonPlacement placement, std::span<Real> out) {
    const Real divisor = embedscale::detail::divisor(
        embedscale::detail::mean_square_about(c, Real(0)), epsilon, placement);
    const Real along = dot<Real>(c, g) / Real(static_cast<int>(c.size())) / divisor / divisor;
    for (std::size_t j = 0; j < c.size(); ++j) out[j] = (g[j] - c[j] * along) / divisor;
  }
};
using squares_the_divisor = SlipsInTheNorms<SquaresTheDivisor>;

/// One part in 2^40 too much.
struct AddsABit {
  template <AnalyticScalar Real>
  static void gradient(std::span<const Real> c, std::span<const Real> g, const Real& epsilon,
                       EpsilonPlacement placement, std::span<Real> out) {
    embedscale::detail::divided_gradient<Real>(c, g, epsilon, placement, out);
    for (Real& value : out) value = value * Real(1.0 + 0x1p-40);
  }
};
using adds_a_bit_to_the_gradient_of_norms = SlipsInTheNorms<AddsABit>;

/// The mean of g stays in, or goes out where it should stay: RMSNorm's gradient for LayerNorm's,
/// and the other way round.
struct exchanges_the_norms : Gradients {
  template <AnalyticScalar Real>
  static void layer_norm_gradient(std::span<const Real> x, std::span<const Real> upstream,
                                  const Real& epsilon, EpsilonPlacement placement,
                                  std::span<Real> out) {
    const Real mean = embedscale::detail::mean(x);
    std::vector<Real> c;
    for (const Real& value : x) c.push_back(value - mean);
    Gradients::rms_norm_gradient<Real>(c, upstream, epsilon, placement, out);
  }
  template <AnalyticScalar Real>
  static void rms_norm_gradient(std::span<const Real> x, std::span<const Real> upstream,
                                const Real& epsilon, EpsilonPlacement placement,
                                std::span<Real> out) {
    const Real mean = embedscale::detail::mean(upstream);
    std::vector<Real> g;
    for (const Real& value : upstream) g.push_back(value - mean);
    Gradients::rms_norm_gradient<Real>(x, g, epsilon, placement, out);
  }
};

/// W_1ᵀ diag(slope_k) W_2ᵀ g with Slip::slope(z_k, (W_2ᵀ g)_k) for the slope of unit k.
template <class Slip>
struct SlipsInTheNetwork : Gradients {
  template <Scalar Real>
  static void feed_forward_gradient(const LinearLayer<Real>& inner, const LinearLayer<Real>& outer,
                                    std::span<const Real> x, std::span<const Real> upstream,
                                    std::span<Real> out) {
    const auto z = embedscale::detail::before_relu<Real>(inner, x);
    std::vector<Real> slopes(z.size(), Real(0));
    weighted_sum<Real>(upstream, outer.weights, slopes);
    for (std::size_t k = 0; k < z.size(); ++k)
      slopes[k] = slopes[k] * Slip::template slope<Real>(z[k], slopes[k]);
    weighted_sum<Real>(slopes, inner.weights, out);
  }
};

/// Units that are off pass their gradient as well.
struct AlwaysOn {
  template <Scalar Real>
  static Real slope(const Real&, const Real&) {
    return Real(1);
  }
};
using forgets_the_kink = SlipsInTheNetwork<AlwaysOn>;

/// The sign of what comes back decides, not that of what went in.
struct ByTheGradient {
  template <Scalar Real>
  static Real slope(const Real&, const Real& g) {
    return g > Real(0) ? Real(1) : Real(0);
  }
};
using opens_by_the_gradient = SlipsInTheNetwork<ByTheGradient>;

/// A unit that is off passes one part in 2^30.
struct Leaks {
  template <Scalar Real>
  static Real slope(const Real& z, const Real&) {
    return z > Real(0) ? Real(1) : Real(0x1p-30);
  }
};
using leaks_below_the_kink = SlipsInTheNetwork<Leaks>;

/// The units are on or off as if there were no bias.
struct opens_without_the_bias : Gradients {
  template <Scalar Real>
  static void feed_forward_gradient(const LinearLayer<Real>& inner, const LinearLayer<Real>& outer,
                                    std::span<const Real> x, std::span<const Real> upstream,
                                    std::span<Real> out) {
    Gradients::feed_forward_gradient<Real>({inner.weights, {}}, outer, x, upstream, out);
  }
};

}  // namespace embedscale::properties::mutants
