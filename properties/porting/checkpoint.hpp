#pragma once
// The model of either code by the library's own parts: what it computes of its tokens, and the
// gradients of a loss to all that is trained. A checkpoint of it in the middle of training, with
// the settings of each parameter; what a recipe makes of that; and training that goes on. Compiled
// once, in checkpoint.cpp.
//
//   x = m·E[v] + k·P[i]    y = blocks(x)    h = g ⊙ N(y) + b    z = c·O·h    O = E where tied
#include <array>
#include <cstddef>
#include <optional>
#include <vector>

#include "../optimizer/model.hpp"
#include "primitives.hpp"

namespace embedscale::properties::porting {

using optimizer::Loss;
using optimizer::Norm;

inline constexpr std::array all_parameters{Parameter::token_table, Parameter::position_table,
                                           Parameter::gain, Parameter::bias,
                                           Parameter::output_table};

/// One of each for the parameters.
template <class T>
struct Each {
  std::array<T, all_parameters.size()> all{};
  T& operator[](Parameter of) { return all[static_cast<std::size_t>(of)]; }
  const T& operator[](Parameter of) const { return all[static_cast<std::size_t>(of)]; }
};

/// What is computed of which tokens, whatever the code: row i of the input is that of tokens[i] at
/// the position of the i-th token; over the rationals the loss is quadratic. The code adds gain,
/// bias and logit factor.
template <Scalar Real>
struct Task : optimizer::Model<Real> {
  std::vector<std::size_t> tokens;
};

template <Scalar Real>
struct Model {
  Convention<Real> code;
  Task<Real> task;
  /// Row by row as the code keeps them, the gain as g or w; empty where there is none. Sinusoids
  /// are a table from the first token's row on, learned positions one from row 0 on.
  Each<std::vector<Real>> parameters;

  /// The row of P that the first token gets.
  std::size_t first_row() const;
  /// Its code's sinusoids for its tokens; none where that adds others, or none.
  std::vector<Real> sinusoids() const;
  /// g, however it is kept; none without one.
  std::vector<Real> gain() const;
  optimizer::Activations<Real> activations() const;
  /// Those of the summed loss to what the parameters hold.
  Each<std::vector<Real>> gradients() const;
};

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

}  // namespace embedscale::properties::porting
