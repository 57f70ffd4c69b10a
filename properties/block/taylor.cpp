// Derivatives by Boost.Math's automatic differentiation.
#include <boost/math/differentiation/autodiff.hpp>

#include "functions.hpp"

// What automatic differentiation needs of a RunningError beyond the operations: exp divides its
// derivatives by factorials, which Boost otherwise takes from tables and a gamma function.
namespace boost::math {
template <>
inline embedscale::properties::RunningError<double> factorial(unsigned n) {
  return factorial<double>(n);
}
}  // namespace boost::math

namespace embedscale::properties::block {

template <class Function>
Tracked derivative_along(const Function& f, const std::vector<double>& x,
                         const std::vector<double>& v, const std::vector<double>& g) {
  using Series = boost::math::differentiation::autodiff_fvar<Tracked, 1>;
  const auto t = boost::math::differentiation::make_fvar<Tracked, 1>(Tracked(0));
  std::vector<Series> point, out(g.size(), Series(0)), weights;
  for (std::size_t i = 0; i < x.size(); ++i) point.push_back(Series(x[i]) + Tracked(v[i]) * t);
  for (const double value : g) weights.push_back(Series(value));
  f(std::span<const Series>(point), std::span<Series>(out));
  return dot<Series>(weights, out).at(1);
}

#define EMBEDSCALE_DERIVATIVE(Function)                                          \
  template Tracked derivative_along(const Function&, const std::vector<double>&, \
                                    const std::vector<double>&, const std::vector<double>&);
EMBEDSCALE_DERIVATIVE(OneNorm)
EMBEDSCALE_DERIVATIVE(Network)
EMBEDSCALE_DERIVATIVE(Attention)
EMBEDSCALE_DERIVATIVE(Block)
EMBEDSCALE_DERIVATIVE(TokenPath)
#undef EMBEDSCALE_DERIVATIVE

}  // namespace embedscale::properties::block
