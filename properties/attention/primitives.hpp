#pragma once
// What the claims about products of queries and keys are about, from the dot product to the
// gradient through the softmax: the library's functions, or others in their place.
#include <embedscale/attention.hpp>
#include <embedscale/format.hpp>

#include <concepts>
#include <cstdint>
#include <span>
#include <type_traits>

#include "../domain/rationals.hpp"
#include "../exact/decimal50.hpp"
#include "../over.hpp"

namespace embedscale::properties::attention {

template <Scalar Real>
struct ScalarOperations {
  using Numbers = std::span<const Real>;
  Real (*dot)(Numbers q, Numbers k) = embedscale::dot<Real>;
  Real (*logit)(Numbers q, Numbers k, const Real& scale) = [](Numbers q, Numbers k,
                                                              const Real& scale) {
    Real z(0);
    embedscale::logits<Real>(q, k, scale, std::span<Real>(&z, 1));
    return z;
  };
  /// out = J g, with the Jacobian of the softmax.
  void (*gradient)(Numbers weights, Numbers g,
                   std::span<Real> out) = embedscale::softmax_gradient<Real>;
};

template <Scalar Real>
struct Operations : ScalarOperations<Real> {};

template <AnalyticScalar Real>
requires(!std::integral<Real>) struct Operations<Real> : ScalarOperations<Real> {
  using Numbers = std::span<const Real>;
  /// 1/√d_k.
  Real (*scale)(std::size_t d_k) = embedscale::attention_scale<Real>;
  void (*softmax)(std::span<Real> z) = embedscale::softmax<Real>;
  Real (*entropy)(Numbers weights) = embedscale::entropy<Real>;
};

/// The library's.
template <Scalar Real>
inline constexpr Operations<Real> library{};

struct Primitives : Over<Operations, domain::Rational, exact::Decimal50, double, float, binary16,
                         bfloat16, std::int64_t> {};
/// What a measure takes; Primitives convert.
template <Scalar Real>
using PrimitivesIn = std::type_identity_t<Operations<Real>>;

}  // namespace embedscale::properties::attention
