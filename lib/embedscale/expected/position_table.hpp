#pragma once
// Sums over the positions first … first+L−1 of a sinusoidal table, in the channels of its d/2
// frequencies w_i, sines and cosines both. The layout does not matter to any of them.
#include <embedscale/sinusoidal.hpp>

#include <complex>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

namespace embedscale::expected {

/// The rows of a sinusoidal table, each channel times `multiplier`.
struct SinusoidalTable {
  std::vector<double> frequencies;
  std::int64_t first = 0;   ///< the first position
  std::int64_t length = 1;  ///< L >= 1
  double multiplier = 1;

  friend bool operator==(const SinusoidalTable&, const SinusoidalTable&) = default;
};

/// ‖p‖²/d of its rows: sin² + cos² = 1 for each pair.
double mean_square(const SinusoidalTable& table);

/// D(w) = sin(Lw/2)/(L·sin(w/2)), 1 at w = 0: Dirichlet's kernel. As the sum of e^{ilw} over L
/// successive l is L·D(w) times a phase, it is the length, with a sign, of the mean over positions
/// of a pair (sin lw, cos lw), wherever l starts.
///
/// Requires  |w| <= π, as near 2π Lw/2 loses the digits that the quotient needs; L >= 1.
/// Ensures   an error of at most 8u for |w| <= 2: Lw/2 is off by u·Lw/2, which is at most 1.2u
///           times L·sin(w/2); two sines, a product and a quotient by 6u of |D| <= 1.
double dirichlet(double w, std::int64_t length);

/// The share of the table's energy that is the same at every position:
/// Σ_j (mean over positions of p_j)² / mean over positions of ‖p‖², which is 1 for each pair.
///
/// Requires  at least one frequency; 0 <= w <= π, L >= 1.
double constant_share(const SinusoidalTable& table);

/// Calls use(pairs) for each position in order: pairs[i] = multiplier·e^{i·l·w_i}, whose imaginary
/// part is the sine channel and whose real part is the cosine channel.
///
/// Every 64 positions sine and cosine are taken afresh at θ = fl(l·w); at most 63 turns by w
/// follow, each off by (√5 + 2)u: an absolute error below 3·10⁻¹⁴ of the multiplier, beside the
/// u·|θ| that θ's own rounding is.
void for_each_position(const SinusoidalTable& table,
                       const std::function<void(std::span<const std::complex<double>>)>& use);

}  // namespace embedscale::expected
