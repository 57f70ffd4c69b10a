#pragma once
// Measures of what the factor makes of a table: moments over any law, in exact arithmetic; the
// variances of initial laws, and the RMS that their tables come out with.
#include <embedscale/format.hpp>

#include <array>
#include <cmath>
#include <cstdint>
#include <numbers>
#include <numeric>
#include <vector>

#include "../conventions/scale.hpp"
#include "../evidence/rounding.hpp"
#include "primitives.hpp"

namespace embedscale::properties::embedding {

/// Variance of a normal law of deviation 1 cut at ±2, 1 − 4φ(2)/erf(√2), from 40 digits.
inline constexpr double cut_variance = 0.77374130354992325;

/// A law that takes a few values, each with the probability weight/Σweights.
struct FiniteDistribution {
  std::vector<Rational> values, weights;

  Rational total() const { return std::accumulate(weights.begin(), weights.end(), Rational()); }
  /// E e^power.
  Rational expectation(int power) const {
    Rational sum;
    for (std::size_t i = 0; i < values.size(); ++i) {
      Rational x = weights[i];
      for (int k = 0; k < power; ++k) x *= values[i];
      sum += x;
    }
    return sum / total();
  }
  Rational variance() const { return expectation(2) - expectation(1) * expectation(1); }
};

/// Whether a looked-up entry has mean m·E e and variance m²·Var e. Both sides are rational in
/// values and weights, and every law is a limit of finite ones.
inline bool moments_follow_m(const FiniteDistribution& law, const Rational& m,
                             const PrimitivesIn<Rational>& primitives) {
  const EmbeddingTable<Rational> table(law.values.size(), 1, law.values);
  FiniteDistribution after = law;
  for (std::size_t v = 0; v < law.values.size(); ++v)
    after.values[v] = conventions::looked_up(table, v, m, primitives)[0];
  return after.expectation(1) == m * law.expectation(1) &&
         after.variance() == m * m * law.variance();
}

/// Laws of variance 1/d, one of each family: for Xavier's V = d.
inline std::array<Initializer, 5> laws_of_inverse_width(std::size_t width) {
  const auto d = static_cast<double>(width);
  return {Normal{1 / std::sqrt(d)}, Uniform{std::sqrt(3 / d)},
          TruncatedNormal{1 / std::sqrt(d * cut_variance)}, XavierUniform{width, width},
          XavierNormal{width, width}};
}

/// m²·Var e, with m = fl(√d) in the format Real.
template <AnalyticScalar Real>
double token_variance(const Initializer& law, std::uint64_t d, const Primitives& primitives) {
  const double m = static_cast<double>(primitives.of<Real>().root(d));
  return m * m * primitives.variance(law);
}

/// |m²·Var e − 1| over its bound, for a law of variance 1/d.
///
/// m = √d(1+δ), |δ| <= v = u/(1+u), so m² is off by 2v + v² <= 2u. The rest is binary64's, in u′:
/// the cut law is the worst, its σ = fl(1/√(d·c)) has 3 (1/√(d·c): d·c 2, halved; root; quotient),
/// squared 6, s² one, the library's c 4 (initializer_test), the product one: 12; m², the product
/// and the comparison one each: 15. Higher orders stay below one part in 2^8.
template <AnalyticScalar Real>
double unit_variance_share(const Initializer& law, std::uint64_t d, const Primitives& primitives) {
  const double bound = 2.0 * unit_roundoff<Real> + 15.0 * unit_roundoff<double> * (1.0 + 0x1p-8);
  return std::abs(token_variance<Real>(law, d, primitives) - 1.0) / bound;
}

/// How a table's law hangs on its shape: the five that are in use, Xavier's in its two forms.
enum class Family { inverse_root, fixed_range, xavier_uniform, xavier_normal, unit, cut_normal };
inline constexpr std::array families{Family::inverse_root,   Family::fixed_range,
                                     Family::xavier_uniform, Family::xavier_normal,
                                     Family::unit,           Family::cut_normal};
struct Shape {
  std::size_t vocabulary, d;
};

/// What a program of that family draws from; σ is the deviation of the fixed range, and the nominal
/// one of the cut normal.
inline Initializer law_of(Family family, const Shape& shape, double sigma) {
  switch (family) {
    case Family::inverse_root: return Normal{1 / std::sqrt(static_cast<double>(shape.d))};
    case Family::fixed_range: return Uniform{std::numbers::sqrt3 * sigma};
    case Family::xavier_uniform: return XavierUniform{shape.vocabulary, shape.d};
    case Family::xavier_normal: return XavierNormal{shape.vocabulary, shape.d};
    case Family::unit: return Normal{1.0};
    case Family::cut_normal: break;
  }
  return TruncatedNormal{sigma};
}

/// Its variance as stated, in any scalar; c is the cut normal's, which is no rational.
template <Scalar Real>
Real stated_variance(Family family, const Shape& shape, const Real& sigma, const Real& c) {
  const auto whole = [](std::size_t n) { return Real(static_cast<int>(n)); };
  switch (family) {
    case Family::inverse_root: return Real(1) / whole(shape.d);
    case Family::fixed_range: return sigma * sigma;
    case Family::xavier_uniform:
    case Family::xavier_normal: return Real(2) / whole(shape.vocabulary + shape.d);
    case Family::unit: return Real(1);
    case Family::cut_normal: break;
  }
  return c * sigma * sigma;
}

/// RMS of a looked-up token, of a table with the law's RMS in every row; m = 1 for no factor.
inline double token_rms(const Initializer& law, double m, std::size_t d,
                        const Primitives& primitives) {
  const auto table = conventions::table_of_rms(std::sqrt(primitives.variance(law)), 1, d);
  return conventions::root_mean_square(conventions::looked_up(table, 0, m, primitives));
}

/// |token RMS/√(d·stated variance) − 1| over its bound.
///
/// In u: the variance has 7 at most (uniform: √3σ has 2, squared 4; the library's s², 1/3 and
/// product 3), halved by the root, which adds 1: 4.5; m, product and RMS 1 + 1 + (d+3)/2; what is
/// stated: 3 (cut: c, σ², the product), times d one more, halved, and the root: 3; the quotient 1;
/// 12 + d/2 in all, with higher orders below one more.
inline double family_share_of_bound(Family family, const Shape& shape, double sigma,
                                    const Primitives& primitives) {
  const auto d = static_cast<double>(shape.d);
  const double stated = std::sqrt(d * stated_variance(family, shape, sigma, cut_variance));
  const double measured = token_rms(law_of(family, shape, sigma),
                                    primitives.of<double>().root(shape.d), shape.d, primitives);
  return std::abs(measured / stated - 1.0) / ((13.0 + d / 2.0) * unit_roundoff<double>);
}

/// Whether two families have one variance: both by the primitive, up to its rounding (7u each, 3u
/// for a σ that is rounded itself, the quotient and the comparison).
inline bool families_meet(Family one, Family other, const Shape& shape, double sigma,
                          const Primitives& primitives) {
  const double quotient = primitives.variance(law_of(one, shape, sigma)) /
                          primitives.variance(law_of(other, shape, sigma));
  return std::abs(quotient - 1.0) <= 19.0 * unit_roundoff<double>;
}

/// Whether they do so exactly where the stated variances are equal, for a σ that is a fraction.
///
/// The cut normal's c is transcendental: equal to a multiple of itself alone. Two different
/// fractions here, of V + d and d up to 2^21 and σ² up to 360², are further apart than 2^−48.
inline bool meet_where_stated(Family one, Family other, const Shape& shape, const Rational& sigma,
                              const Primitives& primitives) {
  const bool cut = (one == Family::cut_normal) != (other == Family::cut_normal);
  const bool equal = !cut && stated_variance<Rational>(one, shape, sigma, 1) ==
                                 stated_variance<Rational>(other, shape, sigma, 1);
  return families_meet(one, other, shape, static_cast<double>(sigma), primitives) == equal;
}

}  // namespace embedscale::properties::embedding
