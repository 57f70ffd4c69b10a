#include "position_mean.hpp"

#include <cmath>
#include <complex>
#include <limits>
#include <numbers>

namespace embedscale::expected {

SineCosineIntegrals sine_cosine_integrals(double x) {
  if (x <= 4) {
    double si = x, ci = 0, term = x;  // term = ±x^n/n!
    for (int n = 2; n < 60; ++n) {
      term *= x / n;
      if (n % 2 == 0) term = -term;
      (n % 2 == 0 ? ci : si) += term / n;
    }
    return {si, std::numbers::egamma + std::log(x) + ci};
  }
  using Complex = std::complex<double>;
  // Lentz's way to 1/(1+ix − 1/(3+ix − 4/(5+ix − …))), from the front.
  Complex b(1, x), c(std::numeric_limits<double>::max(), 0), d = 1.0 / b, h = d;
  for (int n = 1; n < 10'000; ++n) {
    const double a = -static_cast<double>(n) * n;
    b += 2.0;
    d = 1.0 / (a * d + b);
    c = b + a / c;
    const Complex step = c * d;
    h *= step;
    if (std::abs(step - 1.0) < std::numeric_limits<double>::epsilon()) break;
  }
  h *= std::polar(1.0, -x);
  return {std::numbers::pi / 2 + h.imag(), -h.real()};
}

double mean_over_coordinates(double k, double base) {
  if (k == 0) return 0.5;
  const auto far = sine_cosine_integrals(k), near = sine_cosine_integrals(k / base);
  return (far.si - near.si + far.ci - near.ci) / (2 * std::log(base));
}

double mean_distance_bound(double k, double d, double base) {
  return std::sqrt(2.0) * k * (1 - 1 / base) / d;
}

}  // namespace embedscale::expected
