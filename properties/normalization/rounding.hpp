#pragma once
// What rounding leaves of a norm's indifference to a factor, and of its closed form with ε.
#include <embedscale/format.hpp>
#include <embedscale/random.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include "../evidence/rounding.hpp"
#include "exact.hpp"

namespace embedscale::properties::normalization {

/// 2 to 16 channels, of either sign and 1/8 to 1 in size, the first above 0 and the second below:
/// with 2^−20 <= |c| <= 2^20 no square leaves the normal range of binary32's exponents, as what
/// differs from the mean does so by an ulp of 1/8 at least, 2^−46 with the smallest c.
template <Scalar Real>
std::vector<Real> drawn_channels(const Stream& stream, std::uint64_t index) {
  const std::size_t n = 2 + stream.block(index, 1)[0] % 15;
  std::vector<Real> x;
  for (std::uint64_t k = 2; x.size() < n; ++k)
    for (const auto word : stream.block(index, k))
      if (x.size() < n) {
        const double size = size_of_entry(word);
        const bool negative = x.size() < 2 ? x.size() == 1 : word % 2 == 1;
        x.push_back(static_cast<Real>(negative ? -size : size));
      }
  return x;
}

/// Whether N(2^k·x) has the bits of N(x): every step is shifted, or the same.
template <AnalyticScalar Real>
bool has_bits_of_unscaled(const std::vector<Real>& x, NormKind kind, int k,
                          const PrimitivesIn<Real>& primitives) {
  const BlockNorm<Real> norm{kind};
  return normalized(product(static_cast<Real>(std::ldexp(1.0, k)), x), norm, primitives) ==
         normalized(x, norm, primitives);
}

/// max_j |N(c·x)_j − sign(c)·N(x)_j| as computed in Real, as a share of what rounding allows.
///
/// RMSNorm. Square, n − 1 additions, n, quotient, root and quotient make the computed N(x) exact up
/// to γ_(n+6). A rounded product c·x_j moves x_j by u at most, RMS(x) too, so that N(c·x) is that
/// of x up to γ_(n+8).
///
/// LayerNorm, with x_j − mean = c_j and its RMS D. The computed mean is off by γ_(n+1)·mean|x|, so
/// c_j by δ = γ_(n+1)·mean|x| + 2u·max|c|, and the root of the mean of their squares by δ, as a
/// norm is; its own roundings and the quotient's make γ_(n+6): N is off by B(δ) = (|c_j| + δ)/((D −
/// δ)(1 − γ_(n+6))) − |c_j|/D. The products c·x_j move c_j and D by η = u·(max|x| + mean|x|) at
/// most and δ by as much times 1 + 2u: B((1 + 2u)(δ + η)) for that side.
///
/// Bounds are computed in double, with n + 30 roundings at most, and made smaller by as many.
///
/// Ensures   ∞ where the bound says nothing, as D is not above δ + η.
template <AnalyticScalar Real>
double share_of_bound(const std::vector<Real>& x, NormKind kind, const Real& c,
                      const PrimitivesIn<Real>& primitives) {
  const BlockNorm<Real> norm{kind};
  const auto y = normalized(x, norm, primitives);
  const auto z = normalized(product(c, x), norm, primitives);
  std::vector<Wide> wide;
  for (const Real& value : x) wide.emplace_back(static_cast<double>(value));
  const auto parts = divided(wide, kind);
  const auto size_of = [](const Wide& part) { return std::abs(static_cast<double>(part)); };
  const double root = static_cast<double>(Wide(sqrt(mean_square(parts))));
  double mean = 0, largest = 0, farthest = 0;
  for (std::size_t j = 0; j < x.size(); ++j) {
    const double size = size_of(wide[j]);
    mean += size / static_cast<double>(x.size());
    largest = std::max(largest, size);
    farthest = std::max(farthest, size_of(parts[j]));
  }
  const std::size_t n = x.size();
  const double u = unit_roundoff<Real>, own = gamma<Real>(n + 6);
  const double delta = gamma<Real>(n + 1) * mean + 2 * u * farthest;
  const double moved = (1 + 2 * u) * (delta + u * (largest + mean));
  if (kind == NormKind::layer_norm && !(moved < root)) return HUGE_VAL;
  // (part + δ)/((D − δ)(1 − γ)) − part/D without its difference of nearly equal numbers.
  const auto off = [&](double part, double by) {
    return (by * (root + part) + part * (root - by) * own) / (root * (root - by) * (1 - own));
  };
  double worst = 0;
  for (std::size_t j = 0; j < n; ++j) {
    const double part = size_of(parts[j]);
    const double bound = kind == NormKind::rms_norm ? (own + gamma<Real>(n + 8)) * part / root
                                                    : off(part, delta) + off(part, moved);
    const double apart =
        std::abs(static_cast<double>(c > Real(0) ? Real(z[j] - y[j]) : Real(z[j] + y[j])));
    const double share = apart / (bound * (1 - gamma<double>(n + 30)));
    if (!(share <= worst)) worst = share;  // a NaN stays
  }
  return worst;
}

/// The largest change of a channel when x becomes c·x, in u; channels have RMS 1.
template <AnalyticScalar Real>
double largest_change(const std::vector<Real>& x, NormKind kind, const Real& c,
                      const PrimitivesIn<Real>& primitives) {
  const BlockNorm<Real> norm{kind};
  const auto y = normalized(x, norm, primitives);
  const auto z = normalized(product(c, x), norm, primitives);
  double worst = 0;
  for (std::size_t j = 0; j < x.size(); ++j)
    worst = std::max(worst, std::abs(static_cast<double>(z[j]) - static_cast<double>(y[j])));
  return worst / unit_roundoff<Real>;
}

/// 1 − RMS N(x/c) over RMS N(x), both by the primitives.
template <AnalyticScalar Real>
Real measured_deviation(const std::vector<Real>& x, const BlockNorm<Real>& norm, const Real& c,
                        const PrimitivesIn<Real>& primitives) {
  using std::sqrt;
  const auto rms = [&](const std::vector<Real>& of) {
    return Real(sqrt(mean_square(normalized(of, norm, primitives))));
  };
  return Real(1) - rms(product(Real(Real(1) / c), x)) / rms(x);
}

/// |closed form − what the norm does in 50 digits| as a share of 14u·closed form: 12.6u of the
/// closed form as computed (its test derives them), and 1u for rounding s to double: with q = √(1 −
/// r) and q² >= t = s/(s + c²ε), s·∂/∂s ln f = −(1 + q)/(2q)·t lies above −q(1 + q)/2 >= −1; beside
/// the root of the mean square it is −½ at most. The 50 digits lose as many as s/(c²ε) has: 2^−100
/// stands for that.
inline double deviation_share(const std::vector<double>& channels, const BlockNorm<double>& norm,
                              double c, const Primitives& primitives) {
  const std::vector<Wide> x(channels.begin(), channels.end());
  const BlockNorm<Wide> wide{norm.kind, Wide(norm.epsilon), norm.placement};
  const auto measured = measured_deviation(x, wide, Wide(c), primitives);
  const double s = static_cast<double>(Wide(mean_square(divided(x, norm.kind))));
  const double expected = expected::epsilon_deviation(s, expected_of(norm), c);
  return static_cast<double>(Wide(abs(Wide(measured - expected)))) /
         (14 * unit_roundoff<double> * std::abs(expected) + 0x1p-100);
}

}  // namespace embedscale::properties::normalization
