#pragma once
// What a factor at the input does to the first attention, where no normalisation stands between.
// The claims, and the primitives they are about. Their measures stand in attention_input_exact.hpp,
// attention_input_terms.hpp and attention_input_rounding.hpp.
#include <embedscale/attention.hpp>
#include <embedscale/combination.hpp>
#include <embedscale/embedding.hpp>
#include <embedscale/expected/projection.hpp>
#include <embedscale/initializer.hpp>

#include <span>
#include <vector>

#include "attention/claims.hpp"

namespace embedscale::properties::attention {

/// The primitives of the library, as the properties take them: from the two parts of an input to
/// the weights of the first attention. Write such a type of your own to put your own code under the
/// same properties.
struct InputLibrary {
  /// m = √d.
  template <Scalar Real>
  static Real multiplier(std::size_t d_model) {
    return root_multiplier<Real>(d_model);
  }
  /// One channel of the input.
  template <Scalar Real>
  static Real input(const Real& e, const Real& p, const Real& m) {
    return up(e, p, m);
  }
  /// out = W·x + b; W holds (out.size(), x.size()) in row-major order.
  template <Scalar Real>
  static void project(std::span<const Real> w, std::span<const Real> b, std::span<const Real> x,
                      std::span<Real> out) {
    for (std::size_t a = 0; a < out.size(); ++a)
      out[a] = dot(w.subspan(a * x.size(), x.size()), x) + b[a];
  }
  /// s = 1/√d_k. (d_model is there for programs that take it.)
  template <AnalyticScalar Real>
  static Real scale(std::size_t /*d_model*/, std::size_t d_k) {
    return attention_scale<Real>(d_k);
  }
  template <Scalar Real>
  static Real logit(std::span<const Real> q, std::span<const Real> k, const Real& scale) {
    return scale * dot(q, k);
  }
  template <AnalyticScalar Real>
  static void softmax(std::span<Real> z) {
    embedscale::softmax(z);
  }
  /// Σ_j weight_j·row_j, of `out.size()` channels each.
  template <Scalar Real>
  static void mix(std::span<const Real> weights, std::span<const Real> rows, std::span<Real> out) {
    for (std::size_t a = 0; a < out.size(); ++a) {
      out[a] = Real(0);
      for (std::size_t j = 0; j < weights.size(); ++j)
        out[a] = out[a] + weights[j] * rows[j * out.size() + a];
    }
  }
  /// An entry of the projection that undoes the factor c.
  template <Scalar Real>
  static Real absorbed(const Real& w, const Real& c) {
    return w / c;
  }
  /// The law of a projection's entries, and its variance.
  static Initializer projection_law(expected::ProjectionLaw law,
                                    const expected::ProjectionShape& shape, double sigma) {
    return expected::initializer_of(law, shape, sigma);
  }
  static double variance(const Initializer& law) { return embedscale::variance(law); }
};

}  // namespace embedscale::properties::attention
