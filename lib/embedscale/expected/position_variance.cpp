#include "position_variance.hpp"

#include <boost/math/special_functions/zeta.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

namespace embedscale::expected {

double mean_cosine(double w, std::int64_t length) {
  return dirichlet(w, length) * std::cos(static_cast<double>(length - 1) * w / 2);
}
double mean_sine(double w, std::int64_t length) {
  return dirichlet(w, length) * std::sin(static_cast<double>(length - 1) * w / 2);
}

namespace {
// Σ_n c_n·(of_double·4^n + of_single)·(x^{2n} − y^{2n}), where −ln(sin x/x) = Σ c_n·x^{2n} with
// c_n = ζ(2n)/(n·π^{2n}): so −ln D(w) is that of (0, 1), and −ln D(2w) that of (1, 0).
//
// Requires  0 <= 2y <= x or x = y; x <= 1, and x <= 1/2 where of_double is not 0: 32 terms then
//           leave less than one part in 2^64.
// Ensures   a relative error below 2^−48 where all terms have one sign.
double log_kernel(double x, double y, double of_double, double of_single) {
  static const auto coefficients = [] {
    std::array<double, 32> c{};
    for (std::size_t n = 1; n <= c.size(); ++n)
      c[n - 1] = boost::math::zeta(2.0 * static_cast<double>(n)) / static_cast<double>(n);
    return c;
  }();
  const double pi = std::numbers::pi;
  const double a = (x / pi) * (x / pi), b = (y / pi) * (y / pi);
  double sum = 0, x_power = 1, y_power = 1, four = 1;
  for (const double c : coefficients) {
    x_power *= a, y_power *= b, four *= 4;
    sum += c * (of_double * four + of_single) * (x_power - y_power);
  }
  return sum;
}
}  // namespace

double pair_variance(double w, std::int64_t length) {
  if (length == 1) return 0.0;
  const double y = w / 2, x = static_cast<double>(length) * y;
  if (x <= 1) return -std::expm1(-2 * log_kernel(x, y, 0, 1));
  const double d = dirichlet(w, length);
  return (1 - d) * (1 + d);
}

ChannelVariances channel_variances(double w, std::int64_t length) {
  if (length == 1) return {0.0, 0.0};
  const double y = w / 2, x = static_cast<double>(length) * y;
  const double d = dirichlet(w, length);
  const double gap =
      x <= 0.5 ? -d * d * std::expm1(-log_kernel(x, y, 1, -2)) : d * d - dirichlet(2 * w, length);
  const double v = pair_variance(w, length);
  const double turned = gap * std::cos(static_cast<double>(length - 1) * w);
  return {std::max(0.0, (v + turned) / 2), std::max(0.0, (v - turned) / 2)};
}

PairProducts pair_products(double v, double w, std::int64_t length) {
  const double apart = mean_cosine(v - w, length), together = mean_cosine(v + w, length);
  return {(apart - together) / 2, (mean_sine(v + w, length) + mean_sine(v - w, length)) / 2,
          (apart + together) / 2};
}

}  // namespace embedscale::expected
