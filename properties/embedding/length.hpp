#pragma once
// Measures of how long a looked-up token is: how its squared length spreads, and when it is shorter
// than a sinusoid.
#include <embedscale/attention.hpp>
#include <embedscale/format.hpp>

#include <cmath>
#include <span>
#include <variant>
#include <vector>

#include "../conventions/scale.hpp"
#include "variance.hpp"

namespace embedscale::properties::embedding {

using conventions::Start;

/// Whether the squared length of a looked-up token of d independent entries has mean m²·d·E e² and
/// variance m⁴·d·(E e⁴ − (E e²)²), so relative variance (κ − 1)/d: over all rows that the law may
/// give, exactly.
inline bool squared_length_spreads_as_stated(const FiniteDistribution& law, std::size_t d,
                                             const Rational& m,
                                             const PrimitivesIn<Rational>& primitives) {
  const std::size_t values = law.values.size();
  std::size_t rows = 1;
  for (std::size_t j = 0; j < d; ++j) rows *= values;
  std::vector<Rational> entries;
  FiniteDistribution squares;
  for (std::size_t row = 0; row < rows; ++row) {
    auto& weight = squares.weights.emplace_back(1);
    for (std::size_t j = 0, rest = row; j < d; ++j, rest /= values) {
      entries.push_back(law.values[rest % values]);
      weight *= law.weights[rest % values];
    }
  }
  const EmbeddingTable<Rational> table(rows, d, entries);
  for (std::size_t row = 0; row < rows; ++row) {
    const auto t = conventions::looked_up(table, row, m, primitives);
    squares.values.push_back(dot<Rational>(t, t));
  }
  const Rational second = law.expectation(2), spread = law.expectation(4) - second * second;
  return squares.expectation(1) == m * m * d * second &&
         squares.variance() == m * m * m * m * d * spread;
}

/// κ = E e⁴/(E e²)².
inline double kurtosis(const Initializer& law, const Primitives& primitives) {
  const double square = primitives.variance(law);
  return primitives.fourth_moment(law) / (square * square);
}

/// What it is for an initial law: 3 for a normal one, 9/5 for a uniform one, and for a normal
/// one cut at ±2, with f = φ(2)/erf(√2), (3 − 28f)/(1 − 4f)², from 40 digits.
inline double stated_kurtosis(const Initializer& law) {
  if (std::holds_alternative<TruncatedNormal>(law)) return 2.3655367171296495;
  const bool is_uniform =
      std::holds_alternative<Uniform>(law) || std::holds_alternative<XavierUniform>(law);
  return is_uniform ? 1.8 : 3.0;
}

/// Standard deviation of ‖t‖² over its mean: √((κ − 1)/d).
inline double relative_deviation_of_square(const Initializer& law, std::size_t d,
                                           const Primitives& primitives) {
  return std::sqrt((kurtosis(law, primitives) - 1.0) / static_cast<double>(d));
}

/// ‖t‖²/‖p‖² of the looked-up row σ·z and the position vector.
inline double squared_length_ratio(std::span<const double> z, double sigma, double m,
                                   const Start& at, const Primitives& primitives) {
  std::vector<double> row(z.begin(), z.end());
  for (double& e : row) e *= sigma;
  const auto& in_double = primitives.of<double>();
  const auto token = conventions::looked_up({1, at.d, row}, 0, m, in_double);
  const double ratio = conventions::root_mean_square(token) /
                       conventions::root_mean_square(sinusoidal::encoded<double>(at, in_double));
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
