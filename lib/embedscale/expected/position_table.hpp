#pragma once
// Sums over the positions first … first+L−1 of a sinusoidal table, in the channels of its d/2
// frequencies w_i, sines and cosines both. The layout does not matter to any of them.
#include <embedscale/sinusoidal.hpp>

#include <cmath>
#include <complex>
#include <cstdint>
#include <span>
#include <vector>

namespace embedscale::expected {

/// The rows of a sinusoidal table, each channel times `multiplier`.
struct SinusoidalTable {
  std::vector<double> frequencies;
  std::int64_t first = 0;   ///< the first position
  std::int64_t length = 1;  ///< L >= 1
  double multiplier = 1;
};

/// ‖p‖²/d of its rows: sin² + cos² = 1 for each pair.
inline double mean_square(const SinusoidalTable& table) {
  return table.multiplier * table.multiplier / 2;
}

/// The share of the table's energy that is the same at every position:
/// Σ_j (mean over positions of p_j)² / mean over positions of ‖p‖².
///
/// The sum of e^{ilw} over L successive l is sin(Lw/2)/sin(w/2) times a phase (Dirichlet's kernel),
/// so the means of a pair have the squared length (sin(Lw/2)/(L·sin(w/2)))², wherever l starts;
/// and ‖p‖² is 1 for each pair.
///
/// Requires  at least one frequency; 0 <= w <= π, as beyond it, near 2π, Lw/2 loses the digits that
///           the quotient needs; L >= 1.
inline double constant_share(const SinusoidalTable& table) {
  const double length = static_cast<double>(table.length);
  double sum = 0;
  for (const double w : table.frequencies) {
    const double sine = std::sin(w / 2);
    const double kernel = sine == 0 ? 1 : std::sin(length * w / 2) / (length * sine);
    sum += kernel * kernel;
  }
  return sum / static_cast<double>(table.frequencies.size());
}

/// Calls use(pairs) for each position in order: pairs[i] = multiplier·e^{i·l·w_i}, whose imaginary
/// part is the sine channel and whose real part is the cosine channel.
///
/// Every 64 positions sine and cosine are taken afresh at θ = fl(l·w); at most 63 turns by w
/// follow, each off by (√5 + 2)u: an absolute error below 3·10⁻¹⁴ of the multiplier, beside the
/// u·|θ| that θ's own rounding is.
template <class Use>
void for_each_position(const SinusoidalTable& table, Use use) {
  constexpr std::int64_t stretch = 64;
  const std::size_t n = table.frequencies.size();
  std::vector<std::complex<double>> pairs(n), turns(n);
  for (std::size_t i = 0; i < n; ++i) turns[i] = std::polar(1.0, table.frequencies[i]);
  for (std::int64_t l = 0; l < table.length; ++l) {
    if (l % stretch == 0)
      for (std::size_t i = 0; i < n; ++i) {
        const double angle = static_cast<double>(table.first + l) * table.frequencies[i];
        pairs[i] = {table.multiplier * std::cos(angle), table.multiplier * std::sin(angle)};
      }
    use(std::span<const std::complex<double>>(pairs));
    for (std::size_t i = 0; i < n; ++i) {
      const double c = pairs[i].real(), s = pairs[i].imag();
      pairs[i] = {c * turns[i].real() - s * turns[i].imag(),
                  c * turns[i].imag() + s * turns[i].real()};
    }
  }
}

}  // namespace embedscale::expected
