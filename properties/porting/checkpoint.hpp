#pragma once
// A checkpoint in the middle of training, with the settings of each parameter; what a recipe makes
// of it; and training that goes on. Compiled once, in checkpoint.cpp.
#include <optional>
#include <vector>

#include "model.hpp"

namespace embedscale::properties::porting {

/// Clipping by the norm of all gradients, each with its weight.
template <Scalar Real>
struct Clipping {
  Real max_norm;
  Each<Real> weights = {{Real(1), Real(1), Real(1), Real(1), Real(1)}};
};

template <Scalar Real>
struct Checkpoint {
  Model<Real> model;
  Each<std::optional<Rule<Real>>> rules;     ///< none: the parameter is not trained
  Each<std::vector<Memory<Real>>> memories;  ///< of each entry of a parameter
  std::optional<Clipping<Real>> clipping = {};

  /// With no memory of earlier steps.
  void begin();
  /// What the gradients of this step are multiplied by: 1 without clipping.
  Real factor_of(const Each<std::vector<Real>>& gradients,
                 const PrimitivesIn<Real>& primitives) const;
  /// One step of each parameter that is trained.
  void step(const PrimitivesIn<Real>& primitives);
  void train(int steps, const PrimitivesIn<Real>& primitives) {
    for (int k = 0; k < steps; ++k) step(primitives);
  }

  /// What `to`'s code goes on with, the steps applied in their order: each parameter that is
  /// multiplied with its memory and its rule, the gain as g whichever of g and w is kept. Stored
  /// positions are trained if FROM's were; obstacles stay: what TO has no place for is left out,
  /// positions that FROM has not are 0. Clipping keeps its weights.
  ///
  /// Requires  the steps of a recipe from this model's code to `to`.
  Checkpoint ported(const Convention<Real>& to, const Recipe<Real>& recipe,
                    const PrimitivesIn<Real>& primitives) const;
  /// With each part of the norm weighted by what the recipe multiplied its parameter by.
  Checkpoint weighted(const Recipe<Real>& recipe) const;
};

/// A checkpoint, the code that it goes to, and where the factor of tied logits shall go.
template <Scalar Real>
struct Port {
  Checkpoint<Real> from;
  Convention<Real> to;
  std::optional<FactorPlace> place = {};

  Recipe<Real> recipe(const PrimitivesIn<Real>& primitives) const {
    return primitives.recipe(from.model.code, to, place);
  }
  /// The library's, which says what is meant to become of it.
  Recipe<Real> meant() const { return recipe(library<Real>); }
  /// By these steps, or by those of the recipe.
  Checkpoint<Real> by(const Recipe<Real>& steps, const PrimitivesIn<Real>& primitives) const {
    return from.ported(to, steps, primitives);
  }
  Checkpoint<Real> done(const PrimitivesIn<Real>& primitives) const {
    return by(recipe(primitives), primitives);
  }
};

extern template struct Checkpoint<Rational>;
extern template struct Checkpoint<Wide>;
extern template struct Checkpoint<double>;
extern template struct Checkpoint<float>;

}  // namespace embedscale::properties::porting
