#pragma once
// How long a looked-up token vector is, and beside a sinusoid, where the table is drawn with
// independent entries: t = m·e, e of variance σ², and a position vector of ‖p‖² = d/2.
//
//   energy      E‖t‖² = d·m²σ², so the tokens' energy over the positions' is 2·m²σ²
//   normal e    ‖t‖²/(m²σ²) ~ χ²_d, so P(‖t‖ < ‖p‖) = P(χ²_d < d/(2m²σ²))
#include <cstdint>

namespace embedscale::expected {

/// The width from which √d·e has at least the energy of a sinusoid: 2dσ² = 1.
///
/// Requires  σ > 0.  Error 3u: a square, a product that is exact, a quotient; the square's counts
/// once.
double break_even_width(double sigma);

/// Standard deviation of ‖z‖ over √(E‖z‖²) for z of d independent normal entries of mean 0:
/// √(1 − μ²/d) with μ = √2·Γ((d+1)/2)/Γ(d/2), about 1/√(2d). At d = 1 that is the size |z| of one
/// entry.
///
/// Requires  1 <= d <= 2^24.
/// Error     below 10^−7 of the value. From d = 64 on 1 − μ²/d is taken from the series that
///           Stirling's for ln Γ gives, (1/(2d))·(1 − 1/(4d) − 1/(8d²) + 5/(64d³)), whose next term
///           is below d^−4; before, at most 64 times the few ulps of a quotient of gammas are lost.
double relative_length_deviation(std::uint64_t width);

/// P(‖m·e‖ < ‖p‖) for a row e of d independent N(0, σ²) entries and ‖p‖² = d/2: the regularised
/// lower incomplete gamma function P(d/2, d/(4m²σ²)), as χ²_d/2 is Gamma(d/2).
///
/// Requires  d >= 1, σ > 0, m != 0.
/// Error     that of Boost's gamma_p, below 10^−9 of the value where that is above 10^−300 (tested
///           against 50 digits for d up to 2^14).
double probability_shorter(std::uint64_t d, double m, double sigma);

}  // namespace embedscale::expected
