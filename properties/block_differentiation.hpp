#pragma once
// The measures of the facts of block.hpp. Each compares two numbers that are equal over the reals,
// in units of what their roundings may have made of them, which RunningError counts.
//
//   adjoint        <J v, g> against <v, Jᵀ g>: J v by Boost.Math's forward automatic
//                  differentiation along v, Jᵀ g by the gradient written by hand
//   difference     (<f(x + h v), g> − <f(x − h v), g>)/2h against <v, Jᵀ g>, in 50 digits
//
// A function f and its gradient are functors over the type of number: f(x, out), gradient(x, g,
// out), all spans. Where f has kinks, x is to be further from one than rounding, or h v, leads.
#include <boost/math/differentiation/autodiff.hpp>

#include <span>
#include <vector>

#include "block_reference.hpp"
#include "block_sample.hpp"
#include "evidence/running_error.hpp"
#include "properties/exact/decimal50.hpp"

namespace embedscale::properties::block {

using Wide = exact::Decimal50;
template <class Real>
using Tracked = RunningError<Real>;
/// Taylor coefficients up to an order along one direction.
template <class Real, std::size_t order>
using Taylor = boost::math::differentiation::autodiff_fvar<Real, order>;

}  // namespace embedscale::properties::block

// What automatic differentiation needs of a RunningError beyond the operations: exp divides its
// derivatives by factorials, which Boost otherwise takes from tables and a gamma function.
namespace boost::math {
template <>
inline embedscale::properties::RunningError<double> factorial(unsigned n) {
  return factorial<double>(n);
}
template <>
inline embedscale::properties::RunningError<embedscale::properties::block::Wide> factorial(
    unsigned n) {
  return embedscale::properties::block::Wide(factorial<double>(n));
}
}  // namespace boost::math

namespace embedscale::properties::block {

/// The Taylor coefficients of <f(x + t v), g> at t = 0.
template <std::size_t order, class Real, class Function>
Taylor<Real, order> along(const Function& f, const std::vector<double>& x,
                          const std::vector<double>& v, const std::vector<double>& g) {
  using Series = Taylor<Real, order>;
  const auto t = boost::math::differentiation::make_fvar<Real, order>(Real(0));
  std::vector<Series> point, out(g.size(), Series(0)), weights;
  for (std::size_t i = 0; i < x.size(); ++i) point.push_back(Series(x[i]) + Real(v[i]) * t);
  for (const double value : g) weights.push_back(Series(value));
  f(std::span<const Series>(point), std::span<Series>(out));
  return dot<Series>(weights, out);
}

/// <v, Jᵀ g>.
template <class Real, class Gradient>
Real back_along(const Gradient& gradient, const std::vector<double>& x,
                const std::vector<double>& v, const std::vector<double>& g) {
  const auto point = as<Real>(x), direction = as<Real>(v), upstream = as<Real>(g);
  std::vector<Real> out(x.size(), Real(0));
  gradient(std::span<const Real>(point), std::span<const Real>(upstream), std::span<Real>(out));
  return dot<Real>(direction, out);
}

/// The adjoint identity's two sides.
template <class Real, class Function, class Gradient>
double adjoint_share(const Function& f, const Gradient& gradient, const std::vector<double>& x,
                     const std::vector<double>& v, const std::vector<double>& g) {
  return share_of_errors(along<1, Tracked<Real>>(f, x, v, g).at(1),
                         back_along<Tracked<Real>>(gradient, x, v, g));
}

/// The central difference at h = 2^-56, where both of its errors are near 2^-112 of what they are
/// relative to: with the coefficients a_k of <f(x + t v), g> it is a_1 + a_3 h² + a_5 h⁴ + …, so
/// that truncation is |a_3| h² + |a_5| h⁴ and what is smaller by h² again, for which both count
/// twice; rounding, divided by 2h, is in the errors of the two values.
template <class Function, class Gradient>
double difference_share(const Function& f, const Gradient& gradient, const std::vector<double>& x,
                        const std::vector<double>& v, const std::vector<double>& g) {
  using Real = Tracked<Wide>;
  constexpr double h = 0x1p-56;
  const auto value_at = [&](double t) {
    std::vector<Real> point, out(g.size(), Real(0));
    for (std::size_t i = 0; i < x.size(); ++i) point.push_back(Real(x[i]) + Real(t) * Real(v[i]));
    f(std::span<const Real>(point), std::span<Real>(out));
    return dot<Real>(as<Real>(g), out);
  };
  const Real slope = (value_at(h) - value_at(-h)) / Real(2 * h);
  const auto series = along<5, Tracked<double>>(f, x, v, g);
  const auto most = [&](std::size_t k) {
    return std::abs(series.at(k).value()) + series.at(k).error();
  };
  const double truncated = 2.0 * h * h * (most(3) + h * h * most(5));
  return share_of_errors(slope, back_along<Real>(gradient, x, v, g), truncated);
}

/// The largest share of any channel of the block against its formulas written a second time.
template <class Real, class Primitives>
double forward_share(const Sample& sample, const std::vector<double>& x,
                     const Primitives& primitives) {
  using T = Tracked<Real>;
  const auto block = as<T>(block_of(sample));
  const std::size_t d = sample.shape.d_model;
  const auto input = as<T>(x);
  std::vector<T> out(x.size());
  primitives.template apply<T>(block, input, out);
  Rows<T> rows;
  for (std::size_t at = 0; at < x.size(); at += d)
    rows.emplace_back(input.begin() + static_cast<std::ptrdiff_t>(at),
                      input.begin() + static_cast<std::ptrdiff_t>(at + d));
  const auto expected = reference_block(block, rows);
  double worst = 0.0;
  for (std::size_t i = 0; i < out.size(); ++i)
    worst = std::max(worst, share_of_errors(out[i], expected[i / d][i % d]));
  return worst;
}

}  // namespace embedscale::properties::block
