#pragma once
// The measures of the facts. Each compares two numbers that are equal over the reals, in units of
// what their roundings may have made of them, which RunningError counts.
//
//   adjoint        <J v, g> against <v, Jᵀ g>: J v by Boost.Math's forward automatic
//                  differentiation along v, Jᵀ g by the gradient written by hand
//   difference     (<f(x + h v), g> − <f(x − h v), g>)/2h against <v, Jᵀ g>, in 50 digits
//
// f is one of functions.hpp. Where it has kinks, x is to be further from one than rounding, or h v,
// leads.
#include <algorithm>
#include <array>
#include <cmath>
#include <span>
#include <vector>

#include "functions.hpp"
#include "reference.hpp"

namespace embedscale::properties::block {

/// The Taylor coefficients of <f(x + t v), g> at t = 0, up to an order: compiled once, in
/// taylor.cpp, for each f up to order 1 in binary64 and 50 digits, and up to 5 in binary64.
template <std::size_t order, class Real, class Function>
std::array<Tracked<Real>, order + 1> along(const Function& f, const std::vector<double>& x,
                                           const std::vector<double>& v,
                                           const std::vector<double>& g);

/// <v, Jᵀ g>.
template <class Real, class Function>
Real back_along(const Function& f, const PrimitivesIn<Real>& primitives,
                const std::vector<double>& x, const std::vector<double>& v,
                const std::vector<double>& g) {
  const auto point = as<Real>(x), direction = as<Real>(v), upstream = as<Real>(g);
  std::vector<Real> out(x.size(), Real(0));
  f.gradient(primitives, std::span<const Real>(point), std::span<const Real>(upstream),
             std::span<Real>(out));
  return dot<Real>(direction, out);
}

/// The adjoint identity's two sides.
template <class Real, class Function>
double adjoint_share(const Function& f, const Primitives& primitives, const std::vector<double>& x,
                     const std::vector<double>& v, const std::vector<double>& g) {
  return share_of_errors(along<1, Real>(f, x, v, g)[1],
                         back_along<Tracked<Real>>(f, primitives, x, v, g));
}

/// The central difference at h = 2^-56, where both of its errors are near 2^-112 of what they are
/// relative to: with the coefficients a_k of <f(x + t v), g> it is a_1 + a_3 h² + a_5 h⁴ + …, so
/// that truncation is |a_3| h² + |a_5| h⁴ and what is smaller by h² again, for which both count
/// twice; rounding, divided by 2h, is in the errors of the two values.
template <class Function>
double difference_share(const Function& f, const Primitives& primitives,
                        const std::vector<double>& x, const std::vector<double>& v,
                        const std::vector<double>& g) {
  using Real = Tracked<Wide>;
  constexpr double h = 0x1p-56;
  const auto value_at = [&](double t) {
    std::vector<Real> point, out(g.size(), Real(0));
    for (std::size_t i = 0; i < x.size(); ++i) point.push_back(Real(x[i]) + Real(t) * Real(v[i]));
    f(std::span<const Real>(point), std::span<Real>(out));
    return dot<Real>(as<Real>(g), out);
  };
  const Real slope = (value_at(h) - value_at(-h)) / Real(2 * h);
  const auto series = along<5, double>(f, x, v, g);
  const auto most = [&](std::size_t k) { return std::abs(series[k].value()) + series[k].error(); };
  const double truncated = 2.0 * h * h * (most(3) + h * h * most(5));
  return share_of_errors(slope, back_along<Real>(f, primitives, x, v, g), truncated);
}

/// The largest share of any channel of the block against its formulas written a second time.
template <class Real>
double forward_share(const Sample& sample, const Primitives& primitives) {
  using T = Tracked<Real>;
  const auto block = as<T>(block_of(sample));
  const auto x = as<T>(Block(sample).point());
  std::vector<T> out(x.size());
  primitives.of<T>().apply(block, x, out);
  const std::size_t d = sample.shape.d_model;
  Rows<T> rows(sample.tokens, std::vector<T>(d));
  for (std::size_t i = 0; i < x.size(); ++i) rows[i / d][i % d] = x[i];
  const auto expected = reference_block(block, rows);
  double worst = 0.0;
  for (std::size_t i = 0; i < out.size(); ++i)
    worst = std::max(worst, share_of_errors(out[i], expected[i / d][i % d]));
  return worst;
}

}  // namespace embedscale::properties::block
