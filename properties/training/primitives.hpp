#pragma once
// What the claims about real training are about: the arms, the input that they make, the steps of
// the optimisers with their settings for a folded table, and what judges the runs.
#include <span>
#include <type_traits>

#include "../optimizer/primitives.hpp"
#include "../over.hpp"
#include "arm.hpp"
#include "paired.hpp"
#include "trend.hpp"

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
  Operation<Parametrisation<Real>(Arm arm, std::size_t vocabulary, std::size_t d)> parametrisation =
      training::parametrisation<Real>;
  Operation<double(const Parametrisation<Real>& of)> ratio = token_to_position_ratio<Real>;
  Operation<Real(const Real& e, const Real& p, const Parametrisation<Real>& of)> input =
      training::input<Real>;

  void list(Members& to) {
    optimizer::Operations<Real>::list(to);
    EMBEDSCALE_LIST(to, parametrisation, ratio, input);
  }
};

struct Primitives : Over<Operations, double, float> {
  Operation<Difference(std::span<const double> of, std::span<const double> against, double alpha)>
      paired_difference = training::paired_difference;
  Operation<Finding(const Difference& difference, double that_counts)> judged = training::judged;
  Operation<double(const Difference& difference)> smallest_seen = training::smallest_seen;
  Operation<std::size_t(std::span<const Swept> sweep)> own_rate = training::own_rate;
  Operation<RateRange(std::span<const Swept> sweep, double within)> good_rates =
      training::good_rates;
  Operation<double(std::span<const double> curve, double threshold, double steps)> steps_to =
      training::steps_to;
  Operation<Least(std::span<const double> x, std::span<const double> y, double steepest)> least_of =
      training::least_of;
  Operation<double(std::span<const double> x, std::span<const double> y)> slope = training::slope;
  using OfRecipe = Operation<double(const Recipe& recipe)>;
  OfRecipe token_size = training::token_size;
  OfRecipe input_step = training::input_step;
  OfRecipe recipe_ratio = [](const Recipe& of) { return token_to_position_ratio(of); };

  void list(Members& to) {
    Over::list(to);
    EMBEDSCALE_LIST(to, paired_difference, judged, smallest_seen, own_rate, good_rates, steps_to,
                    least_of, slope, token_size, input_step, recipe_ratio);
  }
};

/// What a measure takes; Primitives convert.
template <AnalyticScalar Real>
using PrimitivesIn = std::type_identity_t<Operations<Real>>;

}  // namespace embedscale::properties::training
