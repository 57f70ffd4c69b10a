#pragma once
// What the claims about a norm are about: the library's functions, or others in their place.
#include <embedscale/expected/normalization.hpp>
#include <embedscale/format.hpp>
#include <embedscale/normalization.hpp>

#include <span>
#include <type_traits>

#include "../domain/surds.hpp"
#include "../exact/decimal50.hpp"
#include "../over.hpp"

namespace embedscale::properties::normalization {

using domain::Rational, domain::Surd;
using Wide = exact::Decimal50;

template <AnalyticScalar Real>
struct Operations {
  using Norm = void (*)(std::span<const Real> x, const Real& epsilon, EpsilonPlacement placement,
                        std::span<Real> out);
  Norm layer_norm = embedscale::layer_norm<Real>;
  Norm rms_norm = embedscale::rms_norm<Real>;
  /// ε′ with N_ε(c·x) = N_ε′(x).
  Real (*rescaled_epsilon)(const Real& epsilon, const Real& c,
                           EpsilonPlacement placement) = expected::rescaled_epsilon<Real>;
};

/// The library's.
template <AnalyticScalar Real>
inline constexpr Operations<Real> library{};

struct Primitives : Over<Operations, Surd, Wide, double, float, bfloat16> {};
/// What a measure takes; Primitives convert.
template <AnalyticScalar Real>
using PrimitivesIn = std::type_identity_t<Operations<Real>>;

}  // namespace embedscale::properties::normalization
