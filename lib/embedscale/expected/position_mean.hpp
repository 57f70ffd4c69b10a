#pragma once
// The mean over coordinates of one position of a sinusoidal table, for d → ∞: the integral over
// the frequencies base^(−x), x from 0 to 1.
#include <boost/math/constants/constants.hpp>

#include <cmath>
#include <complex>
#include <limits>

namespace embedscale::expected {

/// Si(x) = ∫_0^x sin t/t dt and Ci(x) = γ + ln x + ∫_0^x (cos t − 1)/t dt.
struct SineCosineIntegrals {
  double si, ci;
};

/// By their power series up to 4, whose largest terms are below 8, beyond by the continued fraction
/// of E₁(ix) = −Ci(x) + i·(Si(x) − π/2).
///
/// Requires  x > 0.
/// Ensures   an error below 2^−47·max(1, |ln x|): at most 30 terms or some hundred steps, of which
///           the later ones count less, each rounded in its last place.
/// Source    Press et al. 2007, Numerical Recipes, section 6.8.
inline SineCosineIntegrals sine_cosine_integrals(double x) {
  if (x <= 4) {
    double si = x, ci = 0, term = x;  // term = ±x^n/n!
    for (int n = 2; n < 60; ++n) {
      term *= x / n;
      if (n % 2 == 0) term = -term;
      (n % 2 == 0 ? ci : si) += term / n;
    }
    return {si, boost::math::constants::euler<double>() + std::log(x) + ci};
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
  return {boost::math::constants::half_pi<double>() + h.imag(), -h.real()};
}

/// lim (1/d)·Σ_i (sin k·w_i + cos k·w_i) = ½·∫_0^1 (sin + cos)(k·base^(−x)) dx, for both rules of
/// frequencies: with t = k·base^(−x), (Si(k) − Si(k/base) + Ci(k) − Ci(k/base))/(2 ln base).
///
/// Requires  k >= 0, base > 1.  Ensures   an error below 2^−44.
inline double mean_over_coordinates(double k, double base = 10000) {
  if (k == 0) return 0.5;
  const auto far = sine_cosine_integrals(k), near = sine_cosine_integrals(k / base);
  return (far.si - near.si + far.ci - near.ci) / (2 * std::log(base));
}

/// How far the mean over d coordinates may be from it: d/2 frequencies at x = 2i/d (or i/(d/2 − 1))
/// leave no gap of which their share differs from its length by more than 2/d, so by Koksma's
/// inequality it is at most 2/d of the integrand's variation ½·∫|cos t − sin t| dt over
/// (k/base, k), which is at most k/√2·(1 − 1/base).
inline double mean_distance_bound(double k, double d, double base = 10000) {
  return std::sqrt(2.0) * k * (1 - 1 / base) / d;
}

}  // namespace embedscale::expected
