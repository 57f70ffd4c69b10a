#pragma once
// Moments of a product of query and key, over every outcome of entries that take finitely many
// values: exact in exact arithmetic, whatever the primitive does.
#include <embedscale/format.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <span>
#include <vector>

#include "primitives.hpp"

namespace embedscale::properties::attention {

using domain::Rational;

/// A law of one channel of mean 0 and variance 1: the query's entry is a or −1/a, the key's b or
/// −1/b, with P(q = a) = 1/(1 + a²). `coupling` t is what P(a, b) exceeds the product of both by:
/// it leaves both laws as they are and makes E[qk] = t(a + 1/a)(b + 1/b).
struct ChannelLaw {
  Rational a, b, coupling = 0;
};

struct Point {
  Rational q, k, probability;
};
using Points = std::vector<Point>;

inline Points points_of(const ChannelLaw& law) {
  const auto& [a, b, t] = law;
  const Rational p = 1 / (1 + a * a), r = 1 / (1 + b * b), low_q = -1 / a, low_k = -1 / b;
  return {{a, b, p * r + t},
          {a, low_k, p * (1 - r) - t},
          {low_q, b, (1 - p) * r - t},
          {low_q, low_k, (1 - p) * (1 - r) + t}};
}

/// E[q^m k^n] of one channel.
inline Rational moment(const ChannelLaw& law, int m, int n) {
  Rational sum = 0;
  for (const auto& point : points_of(law)) {
    Rational term = point.probability;
    for (int i = 0; i < m; ++i) term *= point.q;
    for (int i = 0; i < n; ++i) term *= point.k;
    sum += term;
  }
  return sum;
}

/// E⟨q,k⟩, E⟨q,k⟩², E⟨q,k⟩⁴.
struct DotMoments {
  Rational mean = 0, second = 0, fourth = 0;
  Rational variance() const { return second - mean * mean; }
};

/// Over all outcomes of independent channels, each of which takes one of its points.
inline DotMoments dot_moments(const std::vector<Points>& channels,
                              const PrimitivesIn<Rational>& primitives) {
  std::uint64_t outcomes = 1;
  for (const auto& points : channels) outcomes *= points.size();
  std::vector<Rational> q(channels.size()), k(channels.size());
  DotMoments sum;
  for (std::uint64_t outcome = 0; outcome < outcomes; ++outcome) {
    Rational probability = 1;
    std::uint64_t left = outcome;
    for (std::size_t i = 0; i < channels.size(); left /= channels[i++].size()) {
      const auto& point = channels[i][left % channels[i].size()];
      q[i] = point.q, k[i] = point.k;
      probability *= point.probability;
    }
    const Rational z = primitives.dot(q, k), square = z * z;
    sum.mean += probability * z;
    sum.second += probability * square;
    sum.fourth += probability * square * square;
  }
  return sum;
}

/// Over d channels of one law.
inline DotMoments dot_moments(const ChannelLaw& law, std::size_t d,
                              const PrimitivesIn<Rational>& primitives) {
  return dot_moments(std::vector(d, points_of(law)), primitives);
}

/// Whether mean and variance over d channels of one law are d·ρ and d·(E[q²k²] − ρ²).
inline bool are_as_stated(const DotMoments& moments, const ChannelLaw& law, std::size_t d) {
  const Rational rho = moment(law, 1, 1);
  return moments.mean == d * rho && moments.variance() == d * (moment(law, 2, 2) - rho * rho);
}

/// Var⟨q,k⟩ over keys of mean 0 and variance 1, for a query of entries ±1: Σ_j ⟨q, e_j⟩², as the
/// product is linear in k. It is d whatever the signs, so the same over both. Exact in double.
///
/// Beyond 4096 channels every so many-th j stands for those beside it.
inline double variance_over_keys(std::span<const double> q,
                                 const PrimitivesIn<double>& primitives) {
  const std::size_t stride = (q.size() + 4095) / 4096;
  std::vector<double> unit(q.size());
  double sum = 0, seen = 0;
  for (std::size_t j = 0; j < q.size(); j += stride, ++seen) {
    unit[j] = 1;
    const double z = primitives.dot(q, unit);
    sum += z * z;
    unit[j] = 0;
  }
  return sum * static_cast<double>(q.size()) / seen;
}

/// ±values[i] by bit first + i of the pattern.
inline std::vector<double> signed_by(std::uint64_t pattern, std::size_t first,
                                     std::vector<double> values) {
  for (std::size_t i = 0; i < values.size(); ++i)
    if ((pattern >> (first + i)) % 2 != 0) values[i] = -values[i];
  return values;
}

/// Whether queries and keys are projected by one matrix or by two.
enum class Projections { separate, shared };

/// The mean of product(W_Q x, W_K y)² over all matrices of d_k rows of entries ±1. Exact in double
/// while these are whole numbers: Σ of it below 2^53.
template <class Product>
double mean_square_over_signs(const std::vector<double>& x, const std::vector<double>& y,
                              std::size_t d_k, Projections projections,
                              const PrimitivesIn<double>& primitives, Product product) {
  const std::uint64_t matrices = std::uint64_t{1} << (d_k * x.size());
  const auto projected = [&](const std::vector<double>& input) {  // by each of them
    const std::vector<double> ones(d_k * input.size(), 1.0), none(d_k, 0.0);
    std::vector<std::vector<double>> all(matrices, none);
    for (std::uint64_t w = 0; w < matrices; ++w)
      primitives.project(signed_by(w, 0, ones), none, input, all[w]);
    return all;
  };
  const auto q = projected(x), k = projected(y);
  double sum = 0, count = 0;
  const auto add = [&](std::uint64_t of_q, std::uint64_t of_k) {
    const double z = product(q[of_q], k[of_k]);
    sum += z * z, ++count;
  };
  for (std::uint64_t i = 0; i < matrices; ++i)
    if (projections == Projections::shared)
      add(i, i);
    else
      for (std::uint64_t j = 0; j < matrices; ++j) add(i, j);
  return sum / count;
}

/// Whether E⟨W_Q x, W_K y⟩² over them is as derived, for inputs of two channels: d_k·‖x‖²‖y‖² with
/// two independent matrices, also for y = x; with one matrix, in place of both,
/// d_k²·⟨x,y⟩² + d_k·(‖x‖²‖y‖² + ⟨x,y⟩² − 2Σx_a²y_a²). Whole numbers of at most 15.
inline bool projected_square_is_as_stated(const std::vector<double>& x,
                                          const std::vector<double>& y, std::size_t d_k,
                                          Projections projections,
                                          const PrimitivesIn<double>& primitives) {
  const auto d = static_cast<double>(d_k);
  const double first = x[0] * y[0], second = x[1] * y[1], inner = first + second;
  const double lengths = (x[0] * x[0] + x[1] * x[1]) * (y[0] * y[0] + y[1] * y[1]);
  const double fourth = first * first + second * second;
  const double stated = projections == Projections::separate
                            ? d * lengths
                            : d * d * inner * inner + d * (lengths + inner * inner - 2 * fourth);
  return stated ==
         mean_square_over_signs(x, y, d_k, projections, primitives,
                                [&](const auto& q, const auto& k) { return primitives.dot(q, k); });
}

/// |z − ρ̂·√d| and |z′ − ρ̂| as shares of their bounds, for q and k of entries ±1 that agree in a
/// share (1 + ρ̂)/2 of d channels: z behind the library's 1/√d, z′ behind 1/d.
///
/// ⟨q, k⟩ = ρ̂·d is a whole number up to 2^24, exact in binary32. z has the rounding of s and that
/// of the product, 2.1u with u², and 2.01 units of double in s; z′ has two roundings. ρ̂ has one
/// of double itself.
template <AnalyticScalar Real>
double aligned_share_of_bound(const std::vector<Real>& q, const std::vector<Real>& k,
                              const PrimitivesIn<Real>& primitives) {
  const auto d = static_cast<double>(q.size());
  double agreeing = 0;
  for (std::size_t i = 0; i < q.size(); ++i) agreeing += q[i] == k[i] ? 1 : 0;
  const double rho = (2 * agreeing - d) / d;
  const auto share = [&](const Real& z, long double exact) {
    const double error = static_cast<double>(std::abs(static_cast<long double>(z) - exact));
    const double units = 2.1 * unit_roundoff<Real> + 3.1 * unit_roundoff<double>;
    const double allowed = units * static_cast<double>(std::abs(exact));
    return allowed == 0 ? (error == 0 ? 0.0 : HUGE_VAL) : error / allowed;
  };
  const long double root = std::sqrt(static_cast<long double>(d));
  return std::max(
      share(primitives.logit(q, k, primitives.scale(8 * q.size(), q.size())), rho * root),
      share(primitives.logit(q, k, Real(Real(1) / Real(d))), rho));
}

}  // namespace embedscale::properties::attention
