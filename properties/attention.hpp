#pragma once
// What does the multiplier have to do with 1/√d_k? The claims about products of queries and keys,
// their softmax and its gradient, and the primitives they are about. Their measures stand in
// attention_moments.hpp, attention_softmax.hpp and attention_gradient.hpp.
#include <embedscale/attention.hpp>

#include <span>

#include "attention/claims.hpp"

namespace embedscale::properties::attention {

/// The primitives of the library, as the properties take them: a type with these six operations.
/// Write such a type of your own to put your own code under the same properties.
struct Library {
  template <Scalar Real>
  static Real dot(std::span<const Real> q, std::span<const Real> k) {
    return embedscale::dot(q, k);
  }
  /// 1/√d_k.
  template <AnalyticScalar Real>
  static Real scale(std::size_t d_k) {
    return embedscale::attention_scale<Real>(d_k);
  }
  template <Scalar Real>
  static Real logit(std::span<const Real> q, std::span<const Real> k, const Real& scale) {
    Real z(0);
    embedscale::logits<Real>(q, k, scale, std::span<Real>(&z, 1));
    return z;
  }
  template <AnalyticScalar Real>
  static void softmax(std::span<Real> z) {
    embedscale::softmax(z);
  }
  template <AnalyticScalar Real>
  static Real entropy(std::span<const Real> weights) {
    return embedscale::entropy(weights);
  }
  /// J g, with the Jacobian of the softmax.
  template <Scalar Real>
  static void gradient(std::span<const Real> weights, std::span<const Real> upstream,
                       std::span<Real> out) {
    embedscale::softmax_gradient(weights, upstream, out);
  }
};

}  // namespace embedscale::properties::attention
