#pragma once
// What the claims about attention are about, from the two parts of an input to the weights of the
// first attention and back through the softmax: the library's functions, or others in their place.
#include <embedscale/attention.hpp>
#include <embedscale/combination.hpp>
#include <embedscale/embedding.hpp>
#include <embedscale/expected/projection.hpp>
#include <embedscale/format.hpp>
#include <embedscale/initializer.hpp>
#include <embedscale/linear.hpp>

#include <concepts>
#include <span>
#include <type_traits>

#include "../domain/rationals.hpp"
#include "../exact/decimal50.hpp"
#include "../over.hpp"

namespace embedscale::properties::attention {

template <class Real>
using Numbers = std::span<const Real>;

template <Scalar Real>
struct ScalarOperations {
  using In = Numbers<Real>;
  using Out = std::span<Real>;
  /// One channel of the input.
  Operation<Real(const Real& e, const Real& p, const Real& m)> input = up<Real>;
  /// out = W·x + b; W holds (out.size(), x.size()) in row-major order.
  Operation<void(In w, In b, In x, Out out)> project = [](In w, In b, In x, Out out) {
    linear<Real>({w, b}, x, out);
  };
  /// An entry of the projection that undoes the factor c.
  Operation<Real(const Real& w, const Real& c)> absorbed = [](const Real& w, const Real& c) {
    return Real(w / c);
  };
  Operation<Real(In q, In k)> dot = embedscale::dot<Real>;
  Operation<Real(In q, In k, const Real& scale)> logit = [](In q, In k, const Real& scale) {
    Real z(0);
    logits<Real>(q, k, scale, Out(&z, 1));
    return z;
  };
  /// Σ_j weight_j·row_j, of `out.size()` channels each.
  Operation<void(In weights, In rows, Out out)> mix = weighted_sum<Real>;
  /// out = J g, with the Jacobian of the softmax.
  Operation<void(In weights, In g, Out out)> gradient = softmax_gradient<Real>;

  void list(Members& to) {
    EMBEDSCALE_LIST(to, input, project, absorbed, dot, logit, mix, gradient);
  }
};

/// m = √d, of which the library's has no more digits than double: here to all 50.
template <AnalyticScalar Real>
Real input_multiplier(std::size_t d_model) {
  if constexpr (std::same_as<Real, exact::Decimal50>)
    return sqrt(Real(static_cast<double>(d_model)));
  else
    return root_multiplier<Real>(d_model);
}

template <Scalar Real>
struct Operations : ScalarOperations<Real> {};

template <AnalyticScalar Real>
struct Operations<Real> : ScalarOperations<Real> {
  Operation<Real(std::size_t d_model)> multiplier = input_multiplier<Real>;
  /// 1/√d_k. (d_model is there for programs that take it.)
  Operation<Real(std::size_t d_model, std::size_t d_k)> scale = [](std::size_t, std::size_t d_k) {
    return attention_scale<Real>(d_k);
  };
  Operation<void(std::span<Real> z)> softmax = embedscale::softmax<Real>;
  Operation<Real(Numbers<Real> weights)> entropy = embedscale::entropy<Real>;

  void list(Members& to) {
    ScalarOperations<Real>::list(to);
    EMBEDSCALE_LIST(to, multiplier, scale, softmax, entropy);
  }
};

/// The library's.
template <Scalar Real>
inline constexpr Operations<Real> library{};

struct Primitives
    : Over<Operations, domain::Rational, exact::Decimal50, double, float, binary16, bfloat16> {
  /// The law of a projection's entries, and its variance.
  Operation<Initializer(expected::ProjectionLaw law, const expected::ProjectionShape& shape,
                        double sigma)>
      projection_law = expected::initializer_of;
  Operation<double(const Initializer& law)> variance = embedscale::variance;

  void list(Members& to) {
    Over::list(to);
    EMBEDSCALE_LIST(to, projection_law, variance);
  }
};
/// What a measure takes; Primitives convert.
template <Scalar Real>
using PrimitivesIn = std::type_identity_t<Operations<Real>>;

}  // namespace embedscale::properties::attention
