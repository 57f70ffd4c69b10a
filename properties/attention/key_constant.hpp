#pragma once
// What a vector added to all keys changes: the measures of key_constant_cancels, exact, in 50
// digits and in floats.
#include <embedscale/format.hpp>
#include <embedscale/random.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>
#include <vector>

#include "../evidence/rounding.hpp"
#include "primitives.hpp"

namespace embedscale::properties::attention {

/// Whether ⟨q, k_i + c⟩ − ⟨q, k_j + c⟩ = ⟨q, k_i⟩ − ⟨q, k_j⟩, scaled, in exact arithmetic.
template <Scalar Real>
bool logit_differences_stay(const std::vector<Real>& q, const std::vector<Real>& first,
                            const std::vector<Real>& second, const std::vector<Real>& c,
                            const Real& scale, const PrimitivesIn<Real>& primitives) {
  const auto logit = [&](const std::vector<Real>& key) { return primitives.logit(q, key, scale); };
  const auto shifted = [&](std::vector<Real> key) {
    for (std::size_t i = 0; i < key.size(); ++i) key[i] = key[i] + c[i];
    return key;
  };
  return logit(shifted(first)) - logit(shifted(second)) == logit(first) - logit(second);
}

/// The largest relative change of a weight when δ is added to all logits, as a share of what 50
/// digits (ε) allow: a logit and its difference from the largest round to within 2(|z| + |δ|)ε, exp
/// by 2ε, the sum of n and the quotient by (n + 1)ε, both times and twice (numerator and sum).
inline double shift_share_of_bound(const std::vector<double>& z, double delta,
                                   const PrimitivesIn<exact::Decimal50>& primitives) {
  using Wide = exact::Decimal50;
  std::vector<Wide> plain(z.begin(), z.end()), shifted;
  double largest = 0;
  for (const double value : z) {
    shifted.push_back(Wide(value) + Wide(delta));
    largest = std::max(largest, std::abs(value));
  }
  primitives.softmax(plain);
  primitives.softmax(shifted);
  const double n = static_cast<double>(z.size()), size = largest + std::abs(delta);
  const Wide allowed = std::numeric_limits<Wide>::epsilon() * Wide(16 * size + 2 * n + 12);
  double worst = 0;
  for (std::size_t j = 0; j < z.size(); ++j)
    worst = std::max(worst, double(Wide(abs(Wide(shifted[j] / plain[j] - 1)) / allowed)));
  return worst;
}

/// n multiples of `step`, uniform up to `most` in size, a multiple of it: the stream's numbers from
/// the first on.
inline std::vector<double> multiples_of(double step, std::size_t n, const Stream& stream,
                                        std::uint64_t first, double most) {
  const auto steps = static_cast<std::uint64_t>(most / step);
  std::vector<double> x;
  for (std::size_t j = 0; j < n; ++j) {
    const auto below = static_cast<double>(stream.below(2 * steps + 1, first + j));
    x.push_back(step * (below - static_cast<double>(steps)));
  }
  return x;
}

/// What they are in double.
inline std::vector<double> rounded(const std::vector<domain::Rational>& x) {
  std::vector<double> all;
  for (const auto& value : x) all.push_back(static_cast<double>(value));
  return all;
}

/// Weights of n keys of d_k channels each, over the reals, for inputs whose products and sums are
/// exact in double.
inline std::vector<long double> exact_weights(std::span<const double> q,
                                              std::span<const double> keys, double scale) {
  std::vector<long double> w;
  for (std::size_t j = 0; j * q.size() < keys.size(); ++j)
    w.push_back(static_cast<long double>(scale) *
                embedscale::dot(q, keys.subspan(j * q.size(), q.size())));
  const long double largest = *std::max_element(w.begin(), w.end());
  long double sum = 0;
  for (auto& value : w) sum += value = std::exp(value - largest);
  for (auto& value : w) value /= sum;
  return w;
}

/// The weights a format makes of the keys with c added to each, against those without it over the
/// reals: the largest change, and the largest as a share of its bound.
struct Shifted {
  double change = 0, share = 0;
};

/// Requires  q, keys, c of numbers of the format whose products and sums double has exactly and
///           that do not underflow: multiples of a power of two, of which 2^−18 is the smallest.
///
/// Each k + c rounds once, the product d_k times, the scaling once: E = s·γ·Σ|q|·|k + c|, γ of d_k
/// + 2 roundings. With R the range of the logits as computed, the difference from the largest
/// rounds, Ru; exp has an ulp, 2u; so a weight is off by a factor within exp(2E)·(1 + e)/((1 −
/// e)(1 − γ_n)), e = exp(Ru)(1 + 2u) − 1, and by 4 of the smallest subnormals (exponential,
/// quotient). No bound, and no share, where e or γ_n reaches 1.
template <Scalar Real>
Shifted shifted_keys(std::span<const double> q, std::span<const double> keys,
                     std::span<const double> c, const PrimitivesIn<Real>& primitives) {
  const std::size_t d = q.size(), n = keys.size() / d;
  const auto scale = primitives.scale(8 * d, d);
  const double s = static_cast<double>(attention_scale<Real>(d)), u = unit_roundoff<Real>;
  const auto exact = exact_weights(q, keys, s);
  std::vector<Real> query, key(d), z;
  for (const double x : q) query.push_back(static_cast<Real>(x));
  double size = 0, least = HUGE_VAL, most = -HUGE_VAL;
  for (std::size_t j = 0; j < n; ++j) {
    double products = 0;
    for (std::size_t i = 0; i < d; ++i) {
      key[i] = static_cast<Real>(keys[j * d + i]) + static_cast<Real>(c[i]);
      products += std::abs(q[i] * (keys[j * d + i] + c[i]));
    }
    z.push_back(primitives.logit(query, key, scale));
    size = std::max(size, products);
    least = std::min(least, static_cast<double>(z.back()));
    most = std::max(most, static_cast<double>(z.back()));
  }
  primitives.softmax(z);
  const double off = s * gamma<Real>(d + 2) * size,
               e = std::exp((most - least) * u) * (1 + 2 * u) - 1;
  const double factor = std::exp(2 * off) * (1 + e) / ((1 - e) * (1 - gamma<Real>(n))) - 1;
  const bool bounded = e < 1 && gamma<Real>(n) < 1 && std::isfinite(factor);
  Shifted result;
  for (std::size_t j = 0; j < n; ++j) {
    const double change = std::abs(
        static_cast<double>(static_cast<long double>(static_cast<double>(z[j])) - exact[j]));
    const double allowed =
        factor * static_cast<double>(exact[j]) + 8 * u * FormatTraits<Real>::min_normal;
    result.change = std::isnan(change) ? HUGE_VAL : std::max(result.change, change);
    const double share = std::isnan(change) ? HUGE_VAL : bounded ? change / allowed : 0.0;
    result.share = std::max(result.share, share);
  }
  return result;
}

}  // namespace embedscale::properties::attention
