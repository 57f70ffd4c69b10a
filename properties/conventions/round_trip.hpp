#pragma once
// The measures of the claim about round-trip tests: how far outputs part where the multiplier is
// missing, and how far probabilities can.
#include <embedscale/format.hpp>

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>
#include <vector>

#include "scale.hpp"

namespace embedscale::properties::conventions {

/// A model of one branch, in whole numbers: a token's row, its branch, and the multiplier.
struct RoundTrip {
  std::vector<int> e, b;
  int m;
};

template <AnalyticScalar Real>
std::vector<double> normed(const std::vector<Real>& x, const PrimitivesIn<Real>& primitives) {
  std::vector<Real> y(x.size(), Real(0));
  primitives.rms_norm(x, Real(0), EpsilonPlacement::variance, y);
  return {y.begin(), y.end()};
}

/// RMSNorm of m·e + b.
///
/// Requires  the stream exact in Real, and not 0.
template <AnalyticScalar Real>
std::vector<double> final_output(const RoundTrip& trip, int m,
                                 const PrimitivesIn<Real>& primitives) {
  const std::vector<Real> e(trip.e.begin(), trip.e.end());
  auto x = looked_up<Real>({1, e.size(), e}, 0, static_cast<Real>(m), primitives);
  std::ranges::transform(x, trip.b, x.begin(), std::plus<Real>());
  return normed(x, primitives);
}

inline double mean_square_apart(const std::vector<double>& p, const std::vector<double>& q) {
  double sum = 0;
  for (std::size_t j = 0; j < p.size(); ++j) sum += (p[j] - q[j]) * (p[j] - q[j]);
  return sum / static_cast<double>(p.size());
}

/// sin² of the angle between m·e + b and e + b, as stated.
inline double stated_sine_square(const RoundTrip& trip) {
  const auto dot = [](const auto& x, const auto& y) {
    return std::inner_product(x.begin(), x.end(), y.begin(), 0.0);
  };
  const double ee = dot(trip.e, trip.e), bb = dot(trip.b, trip.b), eb = dot(trip.e, trip.b),
               m = trip.m, with = m * m * ee + 2 * m * eb + bb, lacking = ee + 2 * eb + bb;
  return (m - 1) * (m - 1) * (ee * bb - eb * eb) / (with * lacking);
}

/// |C(1 − C/4) − sin²| of the outputs as a share of its bound; u is of Real, u′ of double.
///
///   outputs  x and Σx² are whole numbers below 2^24, so exact. Σx²/d, its root and the quotient
///            leave y within 3u of itself, so that the difference is off by 6u of RMS, and by 2u′
///            where it is taken: C <= 4 is off by 2√C·(6u + 2u′) <= 24u + 8u′, its sum of d
///            squares by 4(d + 2)u′, and |d(C − C²/4)/dC| <= 1.
///   the rest 4u′ in C(1 − C/4). In sin² all but the last two operations are exact: 2u′.
/// Higher orders are within 25u.
template <AnalyticScalar Real>
double angle_share_of_bound(const RoundTrip& trip, const PrimitivesIn<Real>& primitives) {
  const double apart = mean_square_apart(final_output<Real>(trip, trip.m, primitives),
                                         final_output<Real>(trip, 1, primitives));
  const double bound = 25 * unit_roundoff<Real> +
                       static_cast<double>(4 * trip.e.size() + 22) * unit_roundoff<double>;
  return std::abs(apart * (1 - apart / 4) - stated_sine_square(trip)) / bound;
}

/// The most that one probability of V can change while logits stay within ±B.
inline double largest_probability_difference(std::size_t V, double B) {
  const double others = static_cast<double>(V - 1);
  return 1 / (1 + others * std::exp(-2 * B)) - 1 / (1 + others * std::exp(2 * B));
}

/// How far the difference of two computed probabilities, and what it is compared with, may be off.
///
/// A channel is within 3u of itself, the product of d channels within d, and c = 1 and σ have one
/// each: a logit within B·(d + 5)u, a difference of two within 2B·(d + 6)u. Its exponential is off
/// by that and 2u, the sum of V by V − 1 more, the quotient by 1: p <= 1 by u(4B(d + 6) + V + 4).
/// Two of them; and the stated one within as much by 2B·u and 6u in double. d + 7 and V + 12 cover
/// it and higher orders.
template <AnalyticScalar Real>
double rounding_of_probabilities(std::size_t V, double B, std::size_t d) {
  return 2 * unit_roundoff<Real> *
         (4 * B * static_cast<double>(d + 7) + static_cast<double>(V + 12));
}

/// The probabilities of V words behind RMSNorm: rows of entries ±B/d, so of norm B/√d.
template <AnalyticScalar Real>
std::vector<double> probabilities(const EmbeddingTable<Real>& table, const std::vector<int>& stream,
                                  const PrimitivesIn<Real>& primitives) {
  const auto y = normed(std::vector<Real>(stream.begin(), stream.end()), primitives);
  std::vector<Real> z(table.vocabulary(), Real(0));
  primitives.logits(table, std::vector<Real>(y.begin(), y.end()), Real(1), z);
  primitives.softmax(z);
  return {z.begin(), z.end()};
}

/// max |p − q| of two streams' probabilities.
template <AnalyticScalar Real>
double probabilities_apart(const EmbeddingTable<Real>& table, const std::vector<int>& x,
                           const std::vector<int>& other, const PrimitivesIn<Real>& primitives) {
  const auto p = probabilities(table, x, primitives), q = probabilities(table, other, primitives);
  double most = 0;
  for (std::size_t j = 0; j < p.size(); ++j) most = std::max(most, std::abs(p[j] - q[j]));
  return most;
}

/// Whether the most is attained: by one row along the stream, all others against it, and the stream
/// turned round.
template <AnalyticScalar Real>
double attained_share_of_bound(std::size_t V, double B, std::size_t d,
                               const PrimitivesIn<Real>& primitives) {
  const Real sigma = static_cast<Real>(B / static_cast<double>(d));
  std::vector<Real> rows(V * d, -sigma);
  std::fill_n(rows.begin(), d, sigma);
  const double apart = probabilities_apart<Real>({V, d, rows}, std::vector<int>(d, 1),
                                                 std::vector<int>(d, -1), primitives);
  return std::abs(apart - largest_probability_difference(V, B)) /
         rounding_of_probabilities<Real>(V, B, d);
}

}  // namespace embedscale::properties::conventions
