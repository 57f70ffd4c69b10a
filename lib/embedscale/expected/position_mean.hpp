#pragma once
// The mean over coordinates of one position of a sinusoidal table, for d → ∞: the integral over
// the frequencies base^(−x), x from 0 to 1.

namespace embedscale::expected {

/// Si(x) = ∫_0^x sin t/t dt and Ci(x) = γ + ln x + ∫_0^x (cos t − 1)/t dt.
struct SineCosineIntegrals {
  double si, ci;
};

/// By their power series up to 4, whose largest terms are below 8, beyond by the continued fraction
/// of E₁(ix) = −Ci(x) + i·(Si(x) − π/2).
///
/// Requires  x > 0.
/// Ensures   an error below 2^−47·max(1, |ln x|), tested densely for 2^−20 <= x <= 2^17: the
///           largest that was found is a fifth of it, at the end of the series. At 9 the series'
///           own terms would be up to 900, and their roundings twice the bound.
/// Source    Press et al. 2007, Numerical Recipes, section 6.8.
SineCosineIntegrals sine_cosine_integrals(double x);

/// lim (1/d)·Σ_i (sin k·w_i + cos k·w_i) = ½·∫_0^1 (sin + cos)(k·base^(−x)) dx, for both rules of
/// frequencies: with t = k·base^(−x), (Si(k) − Si(k/base) + Ci(k) − Ci(k/base))/(2 ln base).
///
/// Requires  k >= 0, base > 1.  Ensures   an error below 2^−44.
double mean_over_coordinates(double k, double base = 10000);

/// How far the mean over d coordinates may be from it: d/2 frequencies at x = 2i/d (or i/(d/2 − 1))
/// leave no gap of which their share differs from its length by more than 2/d, so by Koksma's
/// inequality it is at most 2/d of the integrand's variation ½·∫|cos t − sin t| dt over
/// (k/base, k), which is at most k/√2·(1 − 1/base).
double mean_distance_bound(double k, double d, double base = 10000);

}  // namespace embedscale::expected
