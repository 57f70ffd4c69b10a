#pragma once
// How the weights of one query follow its logits: measures of the claims about saturation and about
// a constant in all keys, each a share of a derived bound.
#include <embedscale/expected/softmax_weights.hpp>
#include <embedscale/format.hpp>

#include <algorithm>
#include <boost/math/quadrature/gauss.hpp>
#include <boost/multiprecision/cpp_bin_float.hpp>
#include <cmath>
#include <cstdint>
#include <span>
#include <vector>

#include "attention.hpp"

namespace embedscale::properties::attention {

/// How concentrated weights are: each is what a report shows of it.
struct Concentration {
  double entropy, largest, squares;
};

template <class Primitives>
Concentration concentration(std::vector<double> logits, const Primitives& primitives) {
  primitives.softmax(std::span<double>(logits));
  const std::span<const double> weights(logits);
  Concentration c{primitives.entropy(weights), 0, 0};
  for (const double w : weights) c.largest = std::max(c.largest, w), c.squares += w * w;
  return c;
}

inline std::vector<double> scaled(std::span<const double> x, double factor) {
  std::vector<double> out;
  for (const double value : x) out.push_back(factor * value);
  return out;
}

/// By how much entropy rises, or largest weight or Σa² fall, from logits s·ξ to t·ξ, t >= s >= 0,
/// as a share of what rounding may make of it: over the reals dH/ds = −s Var_a ξ, d ln max a/ds =
/// max ξ − E_a ξ and dΣa²/ds = 2 Cov_a(a, ξ) have one sign each.
///
/// With R = t(max ξ − min ξ), a logit and its difference from the largest have two roundings, 2Ru
/// in the exponent; exp an ulp, 2u; the sum n; the quotient one: a weight is off by a factor
/// within 1 ± e, e = (4R + n + 6)u to first order, and by 1 % more with all others while e < 0.01
/// (the exponentials of two weights enter the quotient). Then Σa² is off by 2e + nu, and H, whose
/// terms a ln a move by e(|a ln a| + a) and round three times, by (e + (n + 3)u)·H + e.
template <class Primitives>
double sharper_share_of_bound(std::span<const double> xi, double s, double t,
                              const Primitives& primitives) {
  const Concentration before = concentration(scaled(xi, s), primitives);
  const Concentration after = concentration(scaled(xi, t), primitives);
  const auto [least, most] = std::minmax_element(xi.begin(), xi.end());
  const double n = static_cast<double>(xi.size()), u = unit_roundoff<double>;
  const double e = 1.01 * (4 * t * (*most - *least) + n + 6) * u;
  const double of_entropy = (e + (n + 3) * u) * (before.entropy + after.entropy) + 2 * e;
  const auto share = [](double wrong_way, double bound) {
    return std::isnan(wrong_way) ? HUGE_VAL : std::max(0.0, wrong_way) / bound;
  };
  return std::max({share(after.entropy - before.entropy, of_entropy),
                   share(before.largest - after.largest, 2 * e * before.largest),
                   share(before.squares - after.squares, 2 * (2 * e + n * u) * before.squares)});
}

/// What E H, E max a and E Σa² of two logits are by integrals, with what these may be off by.
struct TwoKeys {
  double s;
  expected::Expectation entropy, largest, squares;
  explicit TwoKeys(double deviation)
      : s(deviation),
        entropy(expected::softmax(deviation, 2).entropy),
        largest(expected::largest_weight(deviation, 2)),
        squares(expected::sum_of_squares(deviation, 2)) {}
};

/// |mean over two logits of deviation s − integral| as a share of its bound, for entropy, largest
/// weight and Σa²: the mean by Gauss's rule over the difference s·√2·x of the two, x ~ N(0, 1), at
/// whose nodes the primitive is called.
///
/// Panels of x are w = min(1, 1.2/s) long, up to 9 (beyond lies 2e−19). The integrand has its poles
/// at |Im x| = π/(√2 s) >= 1.85 w, 3.7 half panels off, where 20 nodes err by about 7.5^−40.
/// Rounding: weights as in sharper_share_of_bound, e = (4R + 8)u with R = 9·√2·s; N positive terms
/// of the mean and its density, (N + 90)u, as the exponent x²/2 < 41 rounds twice.
template <class Primitives>
double two_keys_share_of_bound(const TwoKeys& exact, const Primitives& primitives) {
  using Rule = boost::math::quadrature::gauss<double, 20>;
  const double s = exact.s, width = std::min(1.0, 1.2 / s), u = unit_roundoff<double>;
  Concentration mean{0, 0, 0};
  double nodes = 0;
  const auto add = [&](double x, double weight) {
    const double p = 2 * weight * std::exp(-0.5 * x * x) / std::sqrt(2 * std::numbers::pi);
    const auto c = concentration({s * std::numbers::sqrt2 * x, 0.0}, primitives);
    mean.entropy += p * c.entropy, mean.largest += p * c.largest, mean.squares += p * c.squares;
    ++nodes;
  };
  for (double left = 0; left < 9; left += width)
    for (std::size_t k = 0; k < Rule::abscissa().size(); ++k)
      for (const double side : {-1.0, 1.0})
        add(left + 0.5 * width * (1 + side * Rule::abscissa()[k]),
            0.5 * width * Rule::weights()[k]);
  const double e = (4 * 9 * std::numbers::sqrt2 * s + 8) * u, sum = (nodes + 90) * u;
  const auto share = [&](double value, const expected::Expectation& integral, double rounding) {
    const double error = std::abs(value - integral.value);
    return std::isnan(error) ? HUGE_VAL : error / (integral.error + rounding);
  };
  return std::max(
      {share(mean.entropy, exact.entropy, (e + 5 * u + sum) * exact.entropy.value + e),
       share(mean.largest, exact.largest, (e + sum) * exact.largest.value),
       share(mean.squares, exact.squares, (2 * e + 2 * u + sum) * exact.squares.value)});
}

/// Whether ⟨q, k_i + c⟩ − ⟨q, k_j + c⟩ = ⟨q, k_i⟩ − ⟨q, k_j⟩, scaled, in exact arithmetic.
template <Scalar Real, class Primitives>
bool logit_differences_stay(const std::vector<Real>& q, const std::vector<Real>& first,
                            const std::vector<Real>& second, const std::vector<Real>& c,
                            const Real& scale, const Primitives& primitives) {
  const auto logit = [&](const std::vector<Real>& key) {
    return primitives.logit(std::span<const Real>(q), std::span<const Real>(key), scale);
  };
  const auto shifted = [&](std::vector<Real> key) {
    for (std::size_t i = 0; i < key.size(); ++i) key[i] = key[i] + c[i];
    return key;
  };
  return logit(shifted(first)) - logit(shifted(second)) == logit(first) - logit(second);
}

/// The largest relative change of a weight when δ is added to all logits, as a share of what 50
/// digits (ε) allow: a logit and its difference from the largest round to within 2(|z| + |δ|)ε, exp
/// by 2ε, the sum of n and the quotient by (n + 1)ε, both times and twice (numerator and sum).
template <class Primitives>
double shift_share_of_bound(const std::vector<double>& z, double delta,
                            const Primitives& primitives) {
  using Wide = boost::multiprecision::number<boost::multiprecision::cpp_bin_float<50>,
                                             boost::multiprecision::et_off>;
  std::vector<Wide> plain(z.begin(), z.end()), shifted;
  double largest = 0;
  for (const double value : z) {
    shifted.push_back(Wide(value) + Wide(delta));
    largest = std::max(largest, std::abs(value));
  }
  primitives.softmax(std::span<Wide>(plain));
  primitives.softmax(std::span<Wide>(shifted));
  const double n = static_cast<double>(z.size()), size = largest + std::abs(delta);
  const Wide allowed = std::numeric_limits<Wide>::epsilon() * Wide(16 * size + 2 * n + 12);
  double worst = 0;
  for (std::size_t j = 0; j < z.size(); ++j)
    worst = std::max(worst, double(Wide(abs(Wide(shifted[j] / plain[j] - 1)) / allowed)));
  return worst;
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
template <Scalar Real, class Primitives>
Shifted shifted_keys(std::span<const double> q, std::span<const double> keys,
                     std::span<const double> c, const Primitives& primitives) {
  const std::size_t d = q.size(), n = keys.size() / d;
  const auto scale = primitives.template scale<Real>(d);
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
    z.push_back(primitives.logit(std::span<const Real>(query), std::span<const Real>(key), scale));
    size = std::max(size, products);
    least = std::min(least, static_cast<double>(z.back()));
    most = std::max(most, static_cast<double>(z.back()));
  }
  primitives.softmax(std::span<Real>(z));
  const auto gamma = [u](std::size_t k) {
    const double ku = static_cast<double>(k) * u;
    return ku < 1 ? ku / (1 - ku) : HUGE_VAL;
  };
  const double off = s * gamma(d + 2) * size, e = std::exp((most - least) * u) * (1 + 2 * u) - 1;
  const double factor = std::exp(2 * off) * (1 + e) / ((1 - e) * (1 - gamma(n))) - 1;
  const bool bounded = e < 1 && gamma(n) < 1 && std::isfinite(factor);
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
