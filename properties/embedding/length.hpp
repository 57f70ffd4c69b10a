#pragma once
// Measures of how long a looked-up token is: how its squared length spreads, and when it is shorter
// than a sinusoid.
#include <embedscale/format.hpp>

#include <array>
#include <cmath>
#include <cstdint>
#include <span>
#include <variant>
#include <vector>

#include "../conventions/scale.hpp"
#include "primitives.hpp"

namespace embedscale::properties::embedding {

using conventions::Start;

/// A law that takes a few values, each with the probability weight/Σweights.
template <Scalar Real>
struct FiniteLaw {
  std::vector<Real> values, weights;
};

template <Scalar Real>
Real expectation(const FiniteLaw<Real>& law, int power) {
  Real all(0), sum(0);
  for (std::size_t i = 0; i < law.values.size(); ++i) {
    Real x = law.weights[i];
    for (int k = 0; k < power; ++k) x = x * law.values[i];
    all = all + law.weights[i];
    sum = sum + x;
  }
  return sum / all;
}

/// Every row of d entries of a finite law, with its probability.
template <Scalar Real>
struct EveryRow {
  std::vector<Real> entries, probabilities;
};
template <Scalar Real>
EveryRow<Real> every_row(const FiniteLaw<Real>& law, std::size_t d) {
  EveryRow<Real> rows;
  const std::size_t values = law.values.size();
  Real all(0);
  for (const Real& weight : law.weights) all = all + weight;
  std::size_t count = 1;
  for (std::size_t j = 0; j < d; ++j) count *= values;
  for (std::size_t row = 0; row < count; ++row) {
    Real probability(1);
    for (std::size_t j = 0, rest = row; j < d; ++j, rest /= values) {
      rows.entries.push_back(law.values[rest % values]);
      probability = probability * law.weights[rest % values] / all;
    }
    rows.probabilities.push_back(probability);
  }
  return rows;
}

/// Whether the squared length of a looked-up token of d independent entries has mean m²·d·E e² and
/// variance m⁴·d·(E e⁴ − (E e²)²), so relative variance (κ − 1)/d: over all rows, exactly.
template <Scalar Real>
bool squared_length_spreads_as_stated(const FiniteLaw<Real>& law, std::size_t d, const Real& m,
                                      const PrimitivesIn<Real>& primitives) {
  const auto rows = every_row(law, d);
  const EmbeddingTable<Real> table(rows.probabilities.size(), d, rows.entries);
  std::vector<Real> token(d, Real(0));
  Real mean(0), square(0);
  for (std::size_t v = 0; v < rows.probabilities.size(); ++v) {
    primitives.look_up(table, v, m, std::span<Real>(token));
    Real length(0);
    for (const Real& t : token) length = length + t * t;
    mean = mean + rows.probabilities[v] * length;
    square = square + rows.probabilities[v] * length * length;
  }
  const Real width(static_cast<int>(d)), second = expectation(law, 2);
  const Real spread = width * (expectation(law, 4) - second * second);
  return mean == m * m * width * second && square - mean * mean == m * m * m * m * spread;
}

/// κ = E e⁴/(E e²)² of an initial law: 3 for a normal one, 9/5 for a uniform one, and for a normal
/// one cut at ±2, with f = φ(2)/erf(√2), (3 − 28f)/(1 − 4f)², from 40 digits.
inline double stated_kurtosis(const Initializer& law) {
  struct {
    double operator()(const Normal&) const { return 3.0; }
    double operator()(const Uniform&) const { return 1.8; }
    double operator()(const TruncatedNormal&) const { return 2.3655367171296495; }
    double operator()(const XavierUniform&) const { return 1.8; }
    double operator()(const XavierNormal&) const { return 3.0; }
  } of;
  return std::visit(of, law);
}

/// |E e⁴/(E e²)²/κ − 1| over its bound. In u, for the cut law, the worst: E e⁴ 15
/// (initializer_test) and four products, E e² 4 and two, twice, and its square; the quotient, κ,
/// the comparison: 35.
inline double kurtosis_share_of_bound(const Initializer& law, const Primitives& primitives) {
  const double square = primitives.variance(law);
  const double kurtosis = primitives.fourth_moment(law) / (square * square);
  return std::abs(kurtosis / stated_kurtosis(law) - 1.0) /
         (36.0 * unit_roundoff<double>);  // one for higher orders
}

/// Standard deviation of ‖t‖² over its mean: √((κ − 1)/d).
inline double relative_deviation_of_square(const Initializer& law, std::size_t d,
                                           const Primitives& primitives) {
  const double square = primitives.variance(law);
  const double kurtosis = primitives.fourth_moment(law) / (square * square);
  return std::sqrt((kurtosis - 1.0) / static_cast<double>(d));
}

/// ‖t‖²/‖p‖² of the looked-up row σ·z and the position vector.
inline double squared_length_ratio(std::span<const double> z, double sigma, double m,
                                   const Start& at, const Primitives& primitives) {
  std::vector<double> row(z.begin(), z.end()), token(at.d), position(at.d);
  for (double& e : row) e *= sigma;
  primitives.of<double>().look_up(EmbeddingTable<double>(1, at.d, row), 0, m,
                                  std::span<double>(token));
  const std::vector<double> w = primitives.of<double>().frequencies(at.d, at.rule, 10000.0);
  primitives.of<double>().encode(at.position, std::span<const double>(w), at.layout,
                                 std::span<double>(position));
  const double ratio = conventions::root_mean_square<double>(std::span<const double>(token)) /
                       conventions::root_mean_square<double>(std::span<const double>(position));
  return ratio * ratio;
}

/// Whether the token is shorter than the position vector exactly where Σz² < d/(2m²σ²); true within
/// the rounding of that end. In u: two roundings of a channel, σz and m·σz, squared 4, beside twice
/// rounding_of_ratio; Σz² d, the right side 5.
inline bool shorter_where_stated(std::span<const double> z, double sigma, double m, const Start& at,
                                 const Primitives& primitives) {
  double squares = 0;
  for (const double x : z) squares += x * x;
  const auto d = static_cast<double>(at.d);
  const double stated = d / (2.0 * (m * sigma) * (m * sigma));
  const double doubt =
      2.0 * conventions::rounding_of_ratio<double>(at.d) + (d + 12.0) * unit_roundoff<double>;
  if (std::abs(squares / stated - 1.0) <= doubt) return true;
  return (squared_length_ratio(z, sigma, m, at, primitives) < 1.0) == (squares < stated);
}

}  // namespace embedscale::properties::embedding
