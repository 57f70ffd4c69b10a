#pragma once
// The measures of the facts. Each compares two numbers that are equal over the reals, in units of
// what their roundings may have made of them, which RunningError counts: a block and its formulas;
// <J v, g>, J v by Boost.Math's forward automatic differentiation along v, and <v, Jᵀ g>, Jᵀ g by
// the gradient written by hand.
//
// f is one of functions.hpp. Where it has kinks, x is to be further from one than rounding leads.
#include <algorithm>
#include <span>
#include <vector>

#include "functions.hpp"
#include "reference.hpp"

namespace embedscale::properties::block {

/// The derivative of <f(x), g> along v, by automatic differentiation: compiled once, in
/// taylor.cpp.
template <class Function>
Tracked derivative_along(const Function& f, const std::vector<double>& x,
                         const std::vector<double>& v, const std::vector<double>& g);

/// The adjoint identity's two sides.
template <class Function>
double adjoint_share(const Function& f, const PrimitivesIn<Tracked>& primitives,
                     const std::vector<double>& x, const std::vector<double>& v,
                     const std::vector<double>& g) {
  const auto point = as<Tracked>(x), upstream = as<Tracked>(g);
  std::vector<Tracked> out(x.size());
  f.gradient(primitives, std::span<const Tracked>(point), std::span<const Tracked>(upstream),
             std::span<Tracked>(out));
  return share_of_errors(derivative_along(f, x, v, g), dot<Tracked>(as<Tracked>(v), out));
}

/// The largest share of any channel of the block against its formulas written a second time.
inline double forward_share(const Sample& sample, const PrimitivesIn<Tracked>& primitives) {
  const auto block = as<Tracked>(block_of(sample));
  const auto x = as<Tracked>(Block(sample).point());
  std::vector<Tracked> out(x.size());
  primitives.apply(block, x, out);
  const std::size_t d = sample.shape.d_model;
  Rows<Tracked> rows(sample.tokens, std::vector<Tracked>(d));
  for (std::size_t i = 0; i < x.size(); ++i) rows[i / d][i % d] = x[i];
  const auto expected = reference_block(block, rows);
  double worst = 0.0;
  for (std::size_t i = 0; i < out.size(); ++i)
    worst = std::max(worst, share_of_errors(out[i], expected[i / d][i % d]));
  return worst;
}

}  // namespace embedscale::properties::block
