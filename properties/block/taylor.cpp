// Taylor series by Boost.Math's automatic differentiation.
#include <boost/math/differentiation/autodiff.hpp>

#include "differentiation.hpp"

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

template <std::size_t order, class Real, class Function>
std::array<Tracked<Real>, order + 1> along(const Function& f, const std::vector<double>& x,
                                           const std::vector<double>& v,
                                           const std::vector<double>& g) {
  using Coefficient = Tracked<Real>;
  using Series = boost::math::differentiation::autodiff_fvar<Coefficient, order>;
  const auto t = boost::math::differentiation::make_fvar<Coefficient, order>(Coefficient(0));
  std::vector<Series> point, out(g.size(), Series(0)), weights;
  for (std::size_t i = 0; i < x.size(); ++i) point.push_back(Series(x[i]) + Coefficient(v[i]) * t);
  for (const double value : g) weights.push_back(Series(value));
  f(std::span<const Series>(point), std::span<Series>(out));
  const auto product = dot<Series>(weights, out);
  std::array<Coefficient, order + 1> coefficients;
  for (std::size_t k = 0; k <= order; ++k) coefficients[k] = product.at(k);
  return coefficients;
}

#define EMBEDSCALE_ALONG(order, Real, Function)                                \
  template std::array<Tracked<Real>, order + 1> along<order, Real>(            \
      const Function&, const std::vector<double>&, const std::vector<double>&, \
      const std::vector<double>&);
#define EMBEDSCALE_ALONG_OF(Function)   \
  EMBEDSCALE_ALONG(1, double, Function) \
  EMBEDSCALE_ALONG(1, Wide, Function)   \
  EMBEDSCALE_ALONG(5, double, Function)
EMBEDSCALE_ALONG_OF(OneNorm)
EMBEDSCALE_ALONG_OF(Network)
EMBEDSCALE_ALONG_OF(Attention)
EMBEDSCALE_ALONG_OF(Block)
EMBEDSCALE_ALONG_OF(TokenPath)
#undef EMBEDSCALE_ALONG_OF
#undef EMBEDSCALE_ALONG

}  // namespace embedscale::properties::block
