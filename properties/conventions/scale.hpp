#pragma once
// The measures of the claims about the scale that a program starts from: how large its tokens are
// beside its positions, measured on a table and a position vector, against what the law tells.
#include <embedscale/format.hpp>
#include <embedscale/random.hpp>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <utility>

#include "../sinusoidal/one_position.hpp"
#include "primitives.hpp"

namespace embedscale::properties::conventions {

/// Where a program is looked at.
using Start = sinusoidal::Place;

/// Over channels; accumulated in double, from left to right.
double root_mean_square(const auto& x) {
  double sum = 0;
  for (const auto& value : x) sum += static_cast<double>(value) * static_cast<double>(value);
  return std::sqrt(sum / static_cast<double>(x.size()));
}

/// Entries ±σ with random signs: a table whose root mean square is σ, exactly and in every row, as
/// that of drawn entries is only on average.
template <Scalar Real>
EmbeddingTable<Real> table_of_rms(const Real& sigma, std::size_t vocabulary, std::size_t d) {
  const Stream signs(d, "signs");
  std::vector<Real> values;
  values.reserve(vocabulary * d);
  for (std::size_t j = 0; j < vocabulary * d; ++j)
    values.push_back((signs.bits(j / 64) >> (j % 64)) % 2 == 0 ? sigma : Real(-sigma));
  return {vocabulary, d, std::move(values)};
}

/// The row of a token times m.
template <Scalar Real>
std::vector<Real> looked_up(const EmbeddingTable<Real>& table, std::size_t token, const Real& m,
                            const PrimitivesIn<Real>& primitives) {
  std::vector<Real> out(table.width(), Real(0));
  primitives.look_up(table, token, m, out);
  return out;
}

/// RMS of a looked-up token over RMS of the position vector, at one position.
template <AnalyticScalar Real>
double token_to_position(const Real& sigma, const Real& m, const Start& at,
                         const PrimitivesIn<Real>& primitives) {
  return root_mean_square(looked_up(table_of_rms(sigma, 1, at.d), 0, m, primitives)) /
         root_mean_square(sinusoidal::encoded<Real>(at, primitives));
}

/// Relative bound on what rounding makes of a measured ratio, and of its comparison with √2·|m|·σ.
///
/// u is of Real, u′ of double; libm's sine and cosine are taken to be within one ulp, which is at
/// most 2u (glibc documents it for x86-64).
///   token      every channel is ±fl(m·σ), of one size: RMS = |m|σ(1+δ), |δ| <= u.
///   position   whatever the angle a = fl(p·w_i) is, sin²a + cos²a = 1, and the computed two have
///              (1+2uη) each, |η| <= 1: RMS within 2u of 1/√2.
///   RMS        a sum of d squares of one sign: d roundings at most for each, one of the quotient,
///              halved by the root, which adds one: (d+3)/2·u′; both together (d+3)u′.
///   the rest   the quotient of the two; √2, two products; measured over stated: 5u′.
/// In all 3u + (d+8)u′ to first order; higher orders stay below one part in 2^10 of it for
/// d <= 2^14, as (d+8)u′ < 2^−38.
template <class Real>
double rounding_of_ratio(std::size_t d) {
  const double sums = static_cast<double>(d + 8) * unit_roundoff<double>;
  return (3.0 * unit_roundoff<Real> + sums) * (1.0 + 0x1p-10);
}

/// |measured/(√2·|m|·σ) − 1| as a share of its bound: the claim holds while it is <= 1.
///
/// Requires  σ > 0, m != 0, d <= 2^14; σ and m·σ within [2^−60, 2^60], where no square underflows.
template <AnalyticScalar Real>
double ratio_share_of_bound(const Real& sigma, const Real& m, const Start& at,
                            const PrimitivesIn<Real>& primitives) {
  const double stated =
      std::numbers::sqrt2 * std::abs(static_cast<double>(m)) * static_cast<double>(sigma);
  return std::abs(token_to_position(sigma, m, at, primitives) / stated - 1.0) /
         rounding_of_ratio<Real>(at.d);
}

/// Within a factor 2 of one another.
inline bool is_balanced(double ratio) { return 0.5 <= ratio && ratio <= 2.0; }

/// How far σ²d, or the quotient of two σ, must be from where balance ends to be on one side for
/// certain, relatively. With ρ = rounding_of_ratio the measured ratio is √2·√d·σ(1+η), where
/// |η| <= ρ + u′ as m = fl(√d); its square, 2σ²d(1+η)², is off by 2(ρ + u′), σ²d itself by 2u′.
/// Of two ratios at one m the quotient is off by 2ρ; at m = fl(1/√(2σσ′)), 4u′ off itself, each
/// square by 2(ρ + 4u′); σ/σ′ itself by u′. All are below 2(ρ + 5u′); ρ has its part in 2^10 for
/// higher orders.
inline double doubt_of_balance(std::size_t d) {
  return 2.0 * (rounding_of_ratio<double>(d) + 5.0 * unit_roundoff<double>);
}

/// Whether, with m = √d, the measured ratio is balanced exactly where 1/8 <= σ²d <= 2; true within
/// the rounding of these ends.
inline bool law_decides_balance(double sigma, const Start& at, const Primitives& primitives) {
  const double square = sigma * sigma * static_cast<double>(at.d);
  const double doubt = doubt_of_balance(at.d);
  if (std::abs(8.0 * square - 1.0) <= doubt || std::abs(square / 2.0 - 1.0) <= doubt) return true;
  const double ratio = token_to_position(sigma, root_multiplier<double>(at.d), at, primitives);
  return is_balanced(ratio) == (0.125 <= square && square <= 2.0);
}

/// Whether m balances two tables at once.
inline bool balances_both(double sigma, double other, double m, const Start& at,
                          const Primitives& primitives) {
  return is_balanced(token_to_position(sigma, m, at, primitives)) &&
         is_balanced(token_to_position(other, m, at, primitives));
}

/// Whether the factor m0 = 1/√(2σσ′), which puts the two ratios at √(σ/σ′) and √(σ′/σ), balances
/// both exactly where the larger σ is at most 4 times the smaller one, and where it is not
/// `times`·m0 does not either; true within the rounding of that end.
inline bool factor_four_decides(double sigma, double other, double times, const Start& at,
                                const Primitives& primitives) {
  const double quotient = std::max(sigma, other) / std::min(sigma, other);
  if (std::abs(quotient / 4.0 - 1.0) <= doubt_of_balance(at.d)) return true;
  const double middle = 1.0 / std::sqrt(2.0 * sigma * other);
  if (balances_both(sigma, other, middle, at, primitives) != (quotient <= 4.0)) return false;
  return quotient <= 4.0 || !balances_both(sigma, other, times * middle, at, primitives);
}

}  // namespace embedscale::properties::conventions
