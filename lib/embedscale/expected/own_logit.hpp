#pragma once
// The logit that a shared table gives at initialisation to the very token that was put in.
//
// The state is x = m·e + p behind the final norm (ε = 0; what the blocks' branches add is left
// out), h = x/RMS(x), and the token's own logit z = c·⟨e, h⟩. Entries of e have mean 0 and
// deviation σ and are uncorrelated: E⟨e, m·e + p⟩ = m·d·σ² exactly, and to leading order in 1/d
//
//   E z = c·m·d·σ²/√q,   q the mean square of x
//
// For normal entries it is exact. With g = e/σ, y = g + p/(mσ) and μ = ‖p‖/(|m|σ),
//
//   E z = sgn(m)·c·σ·√d·J(d, μ)     J(n, μ) = E⟨g, y⟩/‖y‖ = (n − 1)·E 1/‖y‖
//
// as E g_j f(g) = E ∂f/∂g_j (Stein 1981). With 1/‖y‖ = π^−½ ∫ t^−½ exp(−t‖y‖²) dt, a Gaussian
// integral over y and 2t = tan²θ,
//
//   E 1/‖y‖ = √(2/π) ∫_0^{π/2} cos^{n−2}θ exp(−μ² sin²θ/2) dθ     n >= 2
//
// A LayerNorm takes a dimension away: x, p and e less their means over channels, n = d − 1.
// The other tokens' logits are normal of mean 0 and deviation |c|·σ·√d, whatever x is.
#include <embedscale/expected/normalization.hpp>
#include <embedscale/expected/softmax.hpp>

#include <boost/math/quadrature/gauss_kronrod.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <numbers>
#include <stdexcept>

namespace embedscale::expected {

/// J(n, μ) = E⟨g, g + μ⟩/‖g + μ‖ over g ~ N(0, I_n), for a vector of length μ.
///
/// Where the integrand f = exp(½(n − 2) ln(1 − sin²θ) − ½μ² sin²θ) is below exp(−40) it is cut: as
/// cos θ <= exp(−θ²/2) and sin θ >= 2θ/π, from θ² = 80/(n − 2 + 4μ²/π²) on. Before, eight panels
/// of about one deviation; the error is Gauss and Kronrod's difference, and rounding: an exponent
/// of at most 50 or so with four roundings, 61 + 8 additions and some: 256 u.
///
/// Requires  n >= 1, μ >= 0 and finite.   Errors  std::invalid_argument.
inline Expectation aligned_normal(std::uint64_t n, double mu) {
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

/// A token of a shared table on its way from look-up to output.
struct TiedToken {
  std::size_t width = 1;         ///< d
  double deviation = 1;          ///< σ of the table's entries
  double multiplier = 1;         ///< m, of a row on the way in; not 0
  double output_multiplier = 1;  ///< c, of the logits
  Norm::Kind final_norm = Norm::Kind::rms_norm;
};

/// E z to leading order in 1/d, for entries of any law: `mean_square` is that of x, less its mean
/// over channels where the norm is a LayerNorm, which also takes 1/d of ⟨e, e⟩.
///
/// Requires  mean_square > 0.
inline double own_logit_to_leading_order(const TiedToken& token, double mean_square) {
  const double d = static_cast<double>(token.width), sigma = token.deviation;
  const double centring = token.final_norm == Norm::Kind::layer_norm ? 1 - 1 / d : 1;
  const double overlap = token.multiplier * d * sigma * sigma * centring;
  return token.output_multiplier * overlap / std::sqrt(mean_square);
}

/// E z for normal entries, with p of this squared length (less its mean over channels where the
/// norm is a LayerNorm).
///
/// Requires  σ > 0, m ≠ 0, position_square >= 0; d >= 2 for a LayerNorm.
inline Expectation own_logit(const TiedToken& token, double position_square) {
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

/// |c|·σ·√d: the deviation of every other token's logit, for a state of RMS 1.
inline double other_logit_deviation(const TiedToken& token) {
  return std::abs(token.output_multiplier) * token.deviation *
         std::sqrt(static_cast<double>(token.width));
}

}  // namespace embedscale::expected
