#pragma once
// The model of either code by the library's own parts: what it computes of its tokens, and the
// gradients of a loss to all that is trained. Compiled once, in model.cpp.
//
//   x = m·E[v] + k·P[i]    y = blocks(x)    h = g ⊙ N(y) + b    z = c·O·h    O = E where tied
#include <embedscale/block.hpp>

#include <array>
#include <cstddef>
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

/// An encoder block, whose weights are fixed; there is none over the rationals.
template <Scalar Real>
struct Block {};
template <AnalyticScalar Real>
struct Block<Real> : EncoderBlock<Real> {};

/// What is computed of which tokens, whatever the code: row i of the input is that of tokens[i] at
/// the position of the i-th token, and what follows is a norm, or none, as over the rationals,
/// where the loss is quadratic.
template <Scalar Real>
struct Task {
  std::size_t d;
  std::vector<std::size_t> tokens;
  Norm norm = Norm::none;
  Real epsilon = Real(0);
  Loss loss = Loss::quadratic;
  std::vector<Real> targets = {};  ///< a row of V for each token
  Real loss_scale = Real(1);       ///< times the loss, as in training in few bits
  Real tilt = Real(0);             ///< so much times each logit, + and − in turn, beside the loss
};

/// On the way to the logits.
template <Scalar Real>
struct Activations {
  std::vector<std::vector<Real>> stream;     ///< x, and what each block made of it: (n, d)
  std::vector<Real> normed, hidden, logits;  ///< N(y), h, and z, (n, V)
};

template <Scalar Real>
struct Model {
  Convention<Real> code;
  Task<Real> task;
  /// Row by row as the code keeps them, the gain as g or w; empty where there is none. Sinusoids
  /// are a table from the first token's row on, learned positions one from row 0 on.
  Each<std::vector<Real>> parameters;
  std::vector<Block<Real>> blocks;

  /// The row of P that the first token gets.
  std::size_t first_row() const;
  /// Its code's sinusoids for its tokens; none where that adds others, or none.
  std::vector<Real> sinusoids() const;
  /// g, however it is kept; none without one.
  std::vector<Real> gain() const;
  Activations<Real> activations() const;
  /// Those of the summed loss to what the parameters hold.
  Each<std::vector<Real>> gradients() const;
};

extern template struct Model<Rational>;
extern template struct Model<Wide>;
extern template struct Model<double>;
extern template struct Model<float>;

}  // namespace embedscale::properties::porting
