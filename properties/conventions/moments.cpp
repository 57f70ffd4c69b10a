#include <boost/math/quadrature/gauss_kronrod.hpp>

#include <limits>
#include <variant>

#include "moments.hpp"

namespace embedscale::properties::conventions {
namespace {

/// ∫z²f(z)dz / ∫f(z)dz over |z| <= reach, of a bell exp(−z²/2) or flat. In pieces of one scale:
/// Gauss and Kronrod with 61 nodes, whose difference from the 30 nodes of Gauss is the error that
/// the integrator states.
template <bool bell, int reach>
const Integral& moment() {
  const auto integral = [](int power) {
    Integral sum{0, 0};
    for (int left = -reach; left < reach; ++left) {
      long double error = 0;
      const long double centre = static_cast<long double>(left) + 0.5L;
      // z = centre + t/2: the integrator states errors for its own interval, [−1, 1].
      sum.value += boost::math::quadrature::gauss_kronrod<long double, 61>::integrate(
          [&](long double t) {
            const long double z = centre + t / 2;
            return (power == 2 ? z * z : 1.0L) * (bell ? std::exp(-z * z / 2) : 1.0L) / 2;
          },
          -1.0L, 1.0L, 0, 0.0L, &error);
      sum.error += error;
    }
    return sum;
  };
  static const Integral once = [&] {
    const Integral all = integral(0), squares = integral(2);
    const long double value = squares.value / all.value;
    const long double rounding = 128.0L * std::numeric_limits<long double>::epsilon();
    return Integral{value,
                    value * (squares.error / squares.value + all.error / all.value + rounding)};
  }();
  return once;
}

Integral scaled(const Integral& of, long double square) {
  return {of.value * square, of.error * square};
}

/// Beyond 12σ lies less than 10^−29 of a normal law's second moment, 2·(12φ(12) + Φ(−12)): far
/// below all rounding.
const Integral& normal() { return moment<true, 12>(); }
const Integral& uniform() { return moment<false, 1>(); }

long double squared(long double x) { return x * x; }
long double fans(const auto& l) { return static_cast<long double>(l.vocabulary + l.d_model); }

}  // namespace

/// The scale is told here from the law's definition, not asked of the library.
Integral second_moment(const Initializer& law) {
  struct {
    Integral operator()(const Normal& l) { return scaled(normal(), squared(l.standard_deviation)); }
    Integral operator()(const Uniform& l) { return scaled(uniform(), squared(l.half_range)); }
    Integral operator()(const TruncatedNormal& l) {
      return scaled(moment<true, 2>(), squared(l.standard_deviation));
    }
    Integral operator()(const XavierUniform& l) { return scaled(uniform(), 6 / fans(l)); }
    Integral operator()(const XavierNormal& l) { return scaled(normal(), 2 / fans(l)); }
  } of;
  return std::visit(of, law);
}

}  // namespace embedscale::properties::conventions
