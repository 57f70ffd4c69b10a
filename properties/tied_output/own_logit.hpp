#pragma once
// The measures of copies_its_input: the overlap of a row with what becomes of it, and the mean of
// its own logit by another formula.
#include <embedscale/format.hpp>

#include <limits>
#include <numbers>

#include "scales.hpp"

namespace embedscale::properties::tied_output {

/// x less its mean over channels, where the norm would take it away.
template <Scalar Real>
std::vector<Real> centred(std::vector<Real> x, Norm norm) {
  if (norm == Norm::rms_norm) return x;
  Real sum(0);
  for (const Real& value : x) sum = sum + value;
  const Real mean = sum / Real(static_cast<int>(x.size()));
  for (Real& value : x) value = value - mean;
  return x;
}

/// Means over the rows v of an uncorrelated table with the state m·e_v + p: of the own logit
/// c·⟨e_v, state⟩, of all others', and of the others' when squared.
struct Overlaps {
  Rational own, others, squares;  ///< squares: of all logits of a state less c²σ²‖state‖², summed
};

inline Overlaps overlaps(const Rational& sigma, const std::vector<Rational>& p, const Rational& m,
                         const Rational& c, Norm norm, const Primitives& primitives) {
  const auto& of = primitives.of<Rational>();
  const auto table = uncorrelated_table(p.size(), sigma);
  const std::size_t rows = table.vocabulary();
  Overlaps sums{0, 0, 0};
  std::vector<Rational> z(rows);
  for (std::size_t v = 0; v < rows; ++v) {
    std::vector<Rational> x;
    for (std::size_t j = 0; j < p.size(); ++j) x.push_back(of.input(table.row(v)[j], p[j], m));
    const auto state = centred(x, norm);
    of.logits(table, state, c, z);
    for (std::size_t w = 0; w < rows; ++w) (w == v ? sums.own : sums.others) += z[w];
    sums.squares +=
        dot<Rational>(z, z) - Rational(rows) * c * c * sigma * sigma * dot<Rational>(state, state);
  }
  return {sums.own / Rational(rows), sums.others / Rational(rows * (rows - 1)), sums.squares};
}

/// |z − c·√d·⟨e, x⟩/‖x‖| over its bound, for one row through input, norm and output in Real, and x
/// in long double (less its mean over channels behind a LayerNorm, as the norm's input is then).
///
/// With E = |c|·√d·‖e‖, the largest that |z| can be. The computed x is off by δ, |δ_j| <=
/// 2u(|m·e_j| + |p_j|), and where it is centred by (d + 2)u times the mean of |x_j| and u times the
/// rest; that turns it by at most 2‖δ‖/‖x‖. The norm's divisor is off by (d/2 + 3)u, the quotient
/// by u, the sum of d products by d·u of Σ|e_j h_j| <= ‖e‖√d, the last product by u. Higher orders:
/// 1 + 2^−6, as nothing here is above 2^−7 in binary32 for d <= 64 where ‖x‖ keeps 2^−8 of its
/// parts.
template <Scalar Real>
double own_logit_share_of_bound(const std::vector<Real>& row, const std::vector<Real>& p,
                                const Real& m, const Real& c, Norm norm,
                                const PrimitivesIn<Real>& primitives) {
  const std::size_t d = row.size();
  std::vector<Real> x, h(d, Real(0)), z(1, Real(0));
  std::vector<long double> exact;
  for (std::size_t j = 0; j < d; ++j) {
    x.push_back(primitives.input(row[j], p[j], m));
    exact.push_back(static_cast<long double>(m) * row[j] + p[j]);
  }
  primitives.normalise(x, norm, h);
  primitives.logits(EmbeddingTable<Real>(1, d, row), h, c, z);

  const auto length = [](const auto& v) {
    long double sum = 0;
    for (const auto y : v) sum += static_cast<long double>(y) * y;
    return std::sqrt(sum);
  };
  const auto state = centred(exact, norm);
  const long double size = length(state), n = static_cast<long double>(d);
  long double product = 0;
  for (std::size_t j = 0; j < d; ++j) product += row[j] * state[j];
  const long double value = c * std::sqrt(n) * product / size;
  const long double largest = std::abs(static_cast<long double>(c)) * std::sqrt(n) * length(row);
  long double off = 2 * (std::abs(static_cast<long double>(m)) * length(row) + length(p));
  if (norm == Norm::layer_norm) off += (n + 2) * length(exact) + size;
  const long double bound =
      largest * unit_roundoff<Real> * (2 * off / size + 1.5L * n + 6) * (1 + 0x1p-6L);
  return static_cast<double>(std::abs(static_cast<long double>(z[0]) - value) / bound);
}

/// J(n, μ) = (n − 1)·E 1/‖N(μ, I_n)‖ by the law of the length: ‖y‖² is χ² with n + 2K degrees, K of
/// Poisson's law with mean μ²/2, and E 1/χ_k = Γ((k − 1)/2)/(√2·Γ(k/2)). All terms are positive;
/// the weights are taken from the mode outwards until they are below 10^−22 of it, and divided by
/// their sum: at most 10^5 roundings of long double each way, 10^−14 at the very most.
///
/// Requires  n >= 2.
inline long double aligned_by_mixture(std::uint64_t n, long double mu) {
  const long double mean = mu * mu / 2, half = static_cast<long double>(n) / 2;
  // Γ((n − 1)/2)/Γ(n/2), from Γ(1/2)/Γ(1) or Γ(1)/Γ(3/2) up by twos.
  const long double root = std::sqrt(std::numbers::pi_v<long double>);
  long double ratio = n % 2 == 0 ? root : 2 / root;
  for (std::uint64_t k = n % 2 == 0 ? 2 : 3; k < n; k += 2)
    ratio *= static_cast<long double>(k - 1) / static_cast<long double>(k);
  const auto mode = static_cast<std::uint64_t>(mean);
  for (std::uint64_t k = 0; k < mode; ++k) {
    const auto i = static_cast<long double>(k);
    ratio *= (half - 0.5L + i) / (half + i);
  }
  long double weights = 0, sum = 0, weight = 1, term = ratio;
  for (auto k = static_cast<long double>(mode); weight > 1e-22L; ++k) {
    weights += weight, sum += weight * term;
    weight *= mean / (k + 1), term *= (half - 0.5L + k) / (half + k);
  }
  weight = 1, term = ratio;
  for (auto k = static_cast<long double>(mode); k > 0 && weight > 1e-22L; --k) {
    weight *= k / mean, term *= (half + k - 1) / (half - 1.5L + k);
    weights += weight, sum += weight * term;
  }
  return static_cast<long double>(n - 1) * sum / weights / std::numbers::sqrt2_v<long double>;
}

/// |E z − sgn(m)·c·σ·√d·J| over the stated error and the rounding of this: 16 u of double.
///
/// Requires  d >= 2, and 3 for a LayerNorm.
inline double mean_share_of_bound(const expected::TiedToken& token, double p_square,
                                  const Primitives& primitives) {
  const std::uint64_t n = token.width - (token.final_norm == Norm::layer_norm ? 1 : 0);
  const long double m = token.multiplier, sigma = token.deviation;
  const long double mu = std::sqrt(static_cast<long double>(p_square)) / (std::abs(m) * sigma);
  const long double value = std::copysign(1.0L, m) * token.output_multiplier * sigma *
                            std::sqrt(static_cast<long double>(token.width)) *
                            aligned_by_mixture(n, mu);
  const auto found = primitives.own_logit(token, p_square);
  constexpr long double rounding = 8 * std::numeric_limits<double>::epsilon();
  return static_cast<double>(std::abs(static_cast<long double>(found.value) - value) /
                             (found.error + rounding * std::abs(value)));
}

/// What comes out of the block with its two last matrices times these signs.
inline std::vector<double> with_signs(EncoderBlock<double> block, const std::vector<double>& x,
                                      double attention, double network,
                                      const Primitives& primitives) {
  for (double& w : block.weights.output) w *= attention;
  for (double& w : block.weights.outer) w *= network;
  std::vector<double> out(x.size());
  primitives.block(block, x, out);
  return out;
}

/// The farthest that a state's mean over the four signs of a pre-norm block's last matrices is from
/// the state, over its bound. Over the reals they agree: x ± A, and then ± F of either.
///
/// A and F change their signs exactly. Sums y = fl(x ± A) are off by u·|y| and count twice, those
/// that come out by u·|out|, the sum of four here by 3u of their sizes, the quarter by nothing. y
/// is half of two that come out, but for their roundings: |y| <= their mean size·(1 + u). So 5u of
/// the mean of |out|, and higher orders.
///
/// Requires  no biases.
inline double mean_over_signs_share_of_bound(const EncoderBlock<double>& block,
                                             const std::vector<double>& x,
                                             const Primitives& primitives) {
  std::vector<double> sum(x.size()), size(x.size());
  for (const double attention : {1.0, -1.0})
    for (const double network : {1.0, -1.0}) {
      const auto out = with_signs(block, x, attention, network, primitives);
      for (std::size_t i = 0; i < x.size(); ++i) sum[i] += out[i], size[i] += std::abs(out[i]);
    }
  double worst = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    const double bound = 5 * unit_roundoff<double> * (size[i] / 4) * (1 + 0x1p-20);
    const double off = std::abs(sum[i] / 4 - x[i]);
    if (off > 0) worst = std::max(worst, off / bound);
  }
  return worst;
}

}  // namespace embedscale::properties::tied_output
