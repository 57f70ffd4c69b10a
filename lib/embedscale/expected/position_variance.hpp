#pragma once
// What the channels of a sinusoidal table do over its positions 0 … L−1: variances and second
// moments in closed form. With y = w/2, x = Lw/2 and 2φ = (L−1)w,
//   (1/L)·Σ e^{ilw} = D(w)·e^{iφ},   D(w) = sin x/(L·sin y)   (Dirichlet's kernel).
#include <embedscale/expected/position_table.hpp>

#include <boost/math/special_functions/zeta.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <numbers>

namespace embedscale::expected {

/// (1/L)·Σ cos(lw) and (1/L)·Σ sin(lw).
///
/// Requires  |w| <= 2, L >= 1.  Ensures   an error of at most 12u: that of D, and of the phase φ,
///           u·φ·D <= u·φ/(L·sin y) <= 1.2u, of its cosine or sine and the product, 3u.
inline double mean_cosine(double w, std::int64_t length) {
  return dirichlet(w, length) * std::cos(static_cast<double>(length - 1) * w / 2);
}
inline double mean_sine(double w, std::int64_t length) {
  return dirichlet(w, length) * std::sin(static_cast<double>(length - 1) * w / 2);
}

namespace detail {
/// Σ_n c_n·(of_double·4^n + of_single)·(x^{2n} − y^{2n}), where −ln(sin x/x) = Σ c_n·x^{2n} with
/// c_n = ζ(2n)/(n·π^{2n}): so −ln D(w) is that of (0, 1), and −ln D(2w) that of (1, 0).
///
/// Requires  0 <= 2y <= x or x = y; x <= 1, and x <= 1/2 where of_double is not 0: 32 terms then
///           leave less than one part in 2^64.
/// Ensures   a relative error below 2^−48 where all terms have one sign.
inline double log_kernel(double x, double y, double of_double, double of_single) {
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
}  // namespace detail

/// 1 − D(w)²: the variance over positions of a pair, sine and cosine together.
///
/// Requires  0 <= w <= 1, L >= 1.
/// Ensures   a relative error below 2^−45: for x <= 1 it is −expm1(2 ln D), which does not cancel;
///           beyond, it is at least 0.22 (D <= cos y there, as at L = 2) and off by 18u.
inline double pair_variance(double w, std::int64_t length) {
  if (length == 1) return 0.0;
  const double y = w / 2, x = static_cast<double>(length) * y;
  if (x <= 1) return -std::expm1(-2 * detail::log_kernel(x, y, 0, 1));
  const double d = dirichlet(w, length);
  return (1 - d) * (1 + d);
}

/// Variances of the two channels of a frequency over the positions 0 … L−1, divided by L.
struct ChannelVariances {
  double sine, cosine;
};

/// The mean of cos² is (1 + D(2w)·cos 2φ)/2 and the squared mean D(w)²·cos²φ, so that with
/// v = 1 − D(w)² and g = D(w)² − D(2w) they are (v ± g·cos 2φ)/2.
///
/// Requires  0 <= w <= 1, L >= 1.
/// Ensures   an error below 2^−43·v each: g is v to leading order, and taken without cancellation
///           as −D(w)²·expm1(ln D(2w) − 2 ln D(w)) for x <= 1/2; beyond, v > 0.06 and all is off by
///           40u at most.
inline ChannelVariances channel_variances(double w, std::int64_t length) {
  if (length == 1) return {0.0, 0.0};
  const double y = w / 2, x = static_cast<double>(length) * y;
  const double d = dirichlet(w, length);
  const double gap = x <= 0.5 ? -d * d * std::expm1(-detail::log_kernel(x, y, 1, -2))
                              : d * d - dirichlet(2 * w, length);
  const double v = pair_variance(w, length);
  const double turned = gap * std::cos(static_cast<double>(length - 1) * w);
  return {std::max(0.0, (v + turned) / 2), std::max(0.0, (v - turned) / 2)};
}

/// Means over the positions 0 … L−1 of the products of two pairs' channels.
struct PairProducts {
  double sine_sine, sine_cosine, cosine_cosine;  ///< of (sin lv, sin lw), (sin lv, cos lw), …
};

/// By 2·sin a·sin b = cos(a−b) − cos(a+b) and its like.
///
/// Requires  0 <= v, w <= 1, L >= 1.  Ensures   errors of at most 13u each.
inline PairProducts pair_products(double v, double w, std::int64_t length) {
  const double apart = mean_cosine(v - w, length), together = mean_cosine(v + w, length);
  return {(apart - together) / 2, (mean_sine(v + w, length) + mean_sine(v - w, length)) / 2,
          (apart + together) / 2};
}

}  // namespace embedscale::expected
