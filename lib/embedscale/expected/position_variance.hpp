#pragma once
// What the channels of a sinusoidal table do over its positions 0 … L−1: variances and second
// moments in closed form. With y = w/2, x = Lw/2 and 2φ = (L−1)w,
//   (1/L)·Σ e^{ilw} = D(w)·e^{iφ},   D(w) = sin x/(L·sin y)   (Dirichlet's kernel).
#include <embedscale/expected/position_table.hpp>

#include <cstdint>

namespace embedscale::expected {

/// (1/L)·Σ cos(lw) and (1/L)·Σ sin(lw).
///
/// Requires  |w| <= 2, L >= 1.  Ensures   an error of at most 12u: that of D, and of the phase φ,
///           u·φ·D <= u·φ/(L·sin y) <= 1.2u, of its cosine or sine and the product, 3u.
double mean_cosine(double w, std::int64_t length);
double mean_sine(double w, std::int64_t length);

/// 1 − D(w)²: the variance over positions of a pair, sine and cosine together.
///
/// Requires  0 <= w <= 1, L >= 1.
/// Ensures   a relative error below 2^−46: for x <= 1 it is −expm1(2 ln D), which does not cancel,
///           off by 34u; beyond, it is at least 0.22 (D <= cos y there, as at L = 2), and
///           (1 − D)(1 + D) off by 2·8u·D and three roundings: 68u of it.
double pair_variance(double w, std::int64_t length);

/// Variances of the two channels of a frequency over the positions 0 … L−1, divided by L.
struct ChannelVariances {
  double sine, cosine;
};

/// The mean of cos² is (1 + D(2w)·cos 2φ)/2 and the squared mean D(w)²·cos²φ, so that with
/// v = 1 − D(w)² and g = D(w)² − D(2w) they are (v ± g·cos 2φ)/2.
///
/// Requires  0 <= w <= 1, L >= 1.
/// Ensures   an error below 2^−47·v each for x <= 1/2, as g <= v, taken without cancellation as
///           −D(w)²·expm1(ln D(2w) − 2 ln D(w)), is off by 53u of it, the cosine by 2u, v by 34u;
///           beyond, below 2^−48: g is off by 25u, v by 17u, (L − 1)w by u of itself, of which
///           |g|·(L − 1)w < 2 comes through.
ChannelVariances channel_variances(double w, std::int64_t length);

/// Means over the positions 0 … L−1 of the products of two pairs' channels.
struct PairProducts {
  double sine_sine, sine_cosine, cosine_cosine;  ///< of (sin lv, sin lw), (sin lv, cos lw), …
};

/// By 2·sin a·sin b = cos(a−b) − cos(a+b) and its like.
///
/// Requires  0 <= v, w <= 1, L >= 1.  Ensures   errors of at most 13u each.
PairProducts pair_products(double v, double w, std::int64_t length);

}  // namespace embedscale::expected
