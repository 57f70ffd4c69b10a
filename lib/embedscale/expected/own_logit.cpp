#include "own_logit.hpp"

#include <boost/math/quadrature/gauss_kronrod.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <stdexcept>

namespace embedscale::expected {

// Where the integrand f = exp(½(n − 2) ln(1 − sin²θ) − ½μ² sin²θ) is below exp(−40) it is cut: as
// cos θ <= exp(−θ²/2) and sin θ >= 2θ/π, from θ² = 80/(n − 2 + 4μ²/π²) on. Before, eight panels
// of about one deviation; the error is Gauss and Kronrod's difference, and rounding: an exponent
// of at most 50 or so with four roundings, 61 + 8 additions and some: 256 u.
Expectation aligned_normal(std::uint64_t n, double mu) {
  if (n == 0 || !(mu >= 0 && std::isfinite(mu)))
    throw std::invalid_argument("expected::aligned_normal: needs n >= 1 and a finite mu >= 0");
  constexpr double u = std::numeric_limits<double>::epsilon() / 2;
  const double scale = std::sqrt(2 / std::numbers::pi);
  if (n == 1) {  // E g·sgn(g + μ) = 2φ(μ)
    const double value = scale * std::exp(-0.5 * mu * mu);
    return {value, value * (4 + mu * mu) * u};
  }
  const double degrees = static_cast<double>(n) - 2;
  const double steepness = degrees + 4 * mu * mu / (std::numbers::pi * std::numbers::pi);
  constexpr double right = std::numbers::pi / 2;
  const double end = steepness > 0 ? std::min(right, std::sqrt(80 / steepness)) : right;
  constexpr int panels = 8;
  double sum = 0, error = 0;
  for (int k = 0; k < panels; ++k) {
    double difference = 0;
    const double half = end / (2 * panels), centre = (2 * k + 1) * half;
    sum += boost::math::quadrature::gauss_kronrod<double, 61>::integrate(
        [&](double t) {  // the integrator states errors for its own interval, [−1, 1]
          const double sine = std::sin(centre + half * t), square = sine * sine;
          return half * std::exp(0.5 * degrees * std::log1p(-square) - 0.5 * mu * mu * square);
        },
        -1.0, 1.0, 0, 0.0, &difference);
    error += difference;
  }
  const double factor = (degrees + 1) * scale;
  return {factor * sum, factor * (error + 256 * u * sum)};
}

double own_logit_to_leading_order(const TiedToken& token, double mean_square) {
  const double d = static_cast<double>(token.width), sigma = token.deviation;
  const double centring = token.final_norm == Norm::Kind::layer_norm ? 1 - 1 / d : 1;
  const double overlap = token.multiplier * d * sigma * sigma * centring;
  return token.output_multiplier * overlap / std::sqrt(mean_square);
}

Expectation own_logit(const TiedToken& token, double position_square) {
  const bool centred = token.final_norm == Norm::Kind::layer_norm;
  const double scale = std::abs(token.multiplier) * token.deviation;
  const auto [value, error] =
      aligned_normal(token.width - (centred ? 1 : 0), std::sqrt(position_square) / scale);
  const double factor =
      std::copysign(token.output_multiplier, token.output_multiplier * token.multiplier) *
      token.deviation * std::sqrt(static_cast<double>(token.width));
  // μ has three roundings; J falls in it by less than its own share, |dJ/dμ|·μ <= J·min(μ², 1).
  const double rounding = 8 * std::numeric_limits<double>::epsilon();
  return {factor * value, std::abs(factor) * (error + rounding * value)};
}

double other_logit_deviation(const TiedToken& token) {
  return std::abs(token.output_multiplier) * token.deviation *
         std::sqrt(static_cast<double>(token.width));
}

}  // namespace embedscale::expected
