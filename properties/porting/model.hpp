#pragma once
// The model of either code by the library's own parts: what it computes of its tokens, and the
// gradients of a loss to all that is trained. Compiled once, in model.cpp.
//
//   x = m·E[v] + k·P[i]    y = blocks(x)    h = g ⊙ N(y) + b    z = c·O·h    O = E where tied
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

extern template struct Model<Rational>;
extern template struct Model<Wide>;
extern template struct Model<double>;
extern template struct Model<float>;

}  // namespace embedscale::properties::porting
