#pragma once
// From the two parts of an input to the weights of the first attention: what the claims about it
// are about, where no normalisation stands between.
#include <embedscale/attention.hpp>
#include <embedscale/combination.hpp>
#include <embedscale/embedding.hpp>
#include <embedscale/expected/projection.hpp>
#include <embedscale/format.hpp>
#include <embedscale/initializer.hpp>

#include <span>
#include <type_traits>
#include <vector>

#include "../domain/rationals.hpp"
#include "../over.hpp"

namespace embedscale::properties::attention::input {

/// out = W·x + b; W holds (out.size(), x.size()) in row-major order.
template <Scalar Real>
void project_by_rows(std::span<const Real> w, std::span<const Real> b, std::span<const Real> x,
                     std::span<Real> out) {
  for (std::size_t a = 0; a < out.size(); ++a)
    out[a] = dot(w.subspan(a * x.size(), x.size()), x) + b[a];
}

/// Σ_j weight_j·row_j, of `out.size()` channels each.
template <Scalar Real>
void mixture(std::span<const Real> weights, std::span<const Real> rows, std::span<Real> out) {
  for (std::size_t a = 0; a < out.size(); ++a) {
    out[a] = Real(0);
    for (std::size_t j = 0; j < weights.size(); ++j)
      out[a] = out[a] + weights[j] * rows[j * out.size() + a];
  }
}

template <Scalar Real>
struct RationalOperations {
  using Numbers = std::span<const Real>;
  /// One channel of the input.
  Real (*input)(const Real& e, const Real& p, const Real& m) = up<Real>;
  void (*project)(Numbers w, Numbers b, Numbers x, std::span<Real> out) = project_by_rows<Real>;
  Real (*logit)(Numbers q, Numbers k, const Real& scale) =
      [](Numbers q, Numbers k, const Real& scale) { return Real(scale * dot(q, k)); };
  void (*mix)(Numbers weights, Numbers rows, std::span<Real> out) = mixture<Real>;
  /// An entry of the projection that undoes the factor c.
  Real (*absorbed)(const Real& w, const Real& c) = [](const Real& w, const Real& c) {
    return Real(w / c);
  };
};

template <Scalar Real>
struct Operations : RationalOperations<Real> {};

template <AnalyticScalar Real>
struct Operations<Real> : RationalOperations<Real> {
  /// m = √d.
  Real (*multiplier)(std::size_t d_model) = root_multiplier<Real>;
  /// s = 1/√d_k. (d_model is there for programs that take it.)
  Real (*scale)(std::size_t d_model, std::size_t d_k) = [](std::size_t, std::size_t d_k) {
    return attention_scale<Real>(d_k);
  };
  void (*softmax)(std::span<Real> z) = embedscale::softmax<Real>;
};

/// The library's.
template <Scalar Real>
inline constexpr Operations<Real> library{};

struct Primitives : Over<Operations, domain::Rational, double, float, binary16, bfloat16> {
  /// The law of a projection's entries, and its variance.
  Initializer (*projection_law)(expected::ProjectionLaw law, const expected::ProjectionShape& shape,
                                double sigma) = expected::initializer_of;
  double (*variance)(const Initializer& law) = embedscale::variance;
};

/// What a measure takes; Primitives convert.
template <Scalar Real>
using PrimitivesIn = std::type_identity_t<Operations<Real>>;

}  // namespace embedscale::properties::attention::input
