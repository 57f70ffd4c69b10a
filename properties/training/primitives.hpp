#pragma once
// What the claims about real training are about: the arms, the input that they make, the steps of
// the optimisers with their settings for a folded table, and what judges the runs.
#include <span>
#include <type_traits>

#include "../optimizer/primitives.hpp"
#include "../over.hpp"
#include "arm.hpp"
#include "paired.hpp"

namespace embedscale::properties::training {

/// One channel of the input, as the study's model makes it: fl(fl(m·e) + fl(fl(c·p)/divisor)).
template <Scalar Real>
Real input(const Real& e, const Real& p, const Parametrisation<Real>& of) {
  const Real token = of.multiplier * e;
  const Real loud = of.position_factor * p, position = loud / of.divisor;
  return token + position;
}

/// Beside those of the optimizer topic.
template <AnalyticScalar Real>
struct Operations : optimizer::Operations<Real> {
  Parametrisation<Real> (*parametrisation)(Arm arm, std::size_t vocabulary,
                                           std::size_t d) = training::parametrisation<Real>;
  double (*ratio)(const Parametrisation<Real>& of) = token_to_position_ratio<Real>;
  Real (*input)(const Real& e, const Real& p,
                const Parametrisation<Real>& of) = training::input<Real>;
};

struct Primitives : Over<Operations, double, float> {
  Difference (*paired_difference)(std::span<const double> of, std::span<const double> against,
                                  double alpha) = training::paired_difference;
  Finding (*judged)(const Difference& difference, double that_counts) = training::judged;
  double (*smallest_seen)(const Difference& difference) = training::smallest_seen;
  std::size_t (*own_rate)(std::span<const Swept> sweep) = training::own_rate;
  RateRange (*good_rates)(std::span<const Swept> sweep, double within) = training::good_rates;
  double (*steps_to)(std::span<const double> curve, double threshold,
                     double steps) = training::steps_to;
};

/// What a measure takes; Primitives convert.
template <AnalyticScalar Real>
using PrimitivesIn = std::type_identity_t<Operations<Real>>;

}  // namespace embedscale::properties::training
