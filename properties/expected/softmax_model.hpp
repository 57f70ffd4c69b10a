#pragma once
// What the tests of an expected softmax share: where they look, other quadrature rules, and the
// mean of the largest logit.
#include <embedscale/expected/softmax.hpp>

#include <gtest/gtest.h>
#include <boost/math/quadrature/gauss.hpp>
#include <boost/math/quadrature/tanh_sinh.hpp>

#include <array>
#include <cmath>
#include <limits>
#include <numbers>
#include <vector>

namespace embedscale::properties::expected_softmax {

inline constexpr double pi = std::numbers::pi;
inline constexpr double ulp = std::numeric_limits<double>::epsilon();
inline constexpr std::array deviations{1e-6, 0.01, 0.1,  0.5, 1.0, 1.5,
                                       3.0,  10.0, 40.0, 1e3, 1e4, 1e6};
inline constexpr std::array<std::uint64_t, 7> counts{2,       3,          50,        1000,
                                                     256'000, 1ull << 32, 1ull << 40};
inline double bell(double t) { return std::exp(-0.5 * t * t) / std::sqrt(2.0 * pi); }

inline ::testing::AssertionResult within(const expected::Expectation& found, double exact,
                                         double slack) {
  if (std::abs(found.value - exact) <= found.error + slack) return ::testing::AssertionSuccess();
  return ::testing::AssertionFailure() << found.value << " for " << exact;
}

// Gauss's rule with 30 nodes on each panel. Its error is of the order of ρ^−60, ρ = r + √(1 + r²),
// where the integrand is analytic and tame to r half panels off the axis: 1e−18 at r = 0.76.
template <class Function>
double integral(Function f, const std::vector<double>& panels) {
  double sum = 0;
  for (std::size_t i = 1; i < panels.size(); ++i)
    if (panels[i - 1] < panels[i])
      sum += boost::math::quadrature::gauss<double, 30>::integrate(f, panels[i - 1], panels[i]);
  return sum;
}
inline std::vector<double> equal_panels(double left, double right, int count) {
  std::vector<double> points;
  for (int i = 0; i <= count; ++i) points.push_back(left + i * (right - left) / count);
  return points;
}

// E max of n standard normals = ∫ n t φ(t) Φ^{n−1}(t) dt. Φ^n falls within 1/√(2 ln n), as
// exp(−exp(−x)) does within 1, tame to π/2: r = 0.84 for half of that panel at n = 2^40.
inline double expected_largest(double n) {
  return integral(
      [n](double t) {
        const double above = 0.5 * std::erfc(t / std::numbers::sqrt2);
        return n * t * bell(t) * std::exp((n - 1) * std::log1p(-above));
      },
      equal_panels(-8, 12, 40));
}

// Over d = |z_1 − z_2|, z_1 − z_2 ~ N(0, 2s²), to `end`; tanh_sinh stops at 1e−13 of its integral.
template <class Function>
double mean_over_difference(double s, double end, Function f) {
  const double deviation = std::numbers::sqrt2 * s;
  return boost::math::quadrature::tanh_sinh<double>().integrate(
      [&](double d) { return 2 * f(d) * bell(d / deviation) / deviation; }, 0.0, end, 1e-13);
}

}  // namespace embedscale::properties::expected_softmax
