#pragma once
// How the weights of one query follow the size of its logits: the measures of
// unscaled_softmax_saturates, each a share of a derived bound.
#include <embedscale/expected/softmax_weights.hpp>
#include <embedscale/format.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <span>
#include <vector>

#include "primitives.hpp"

namespace embedscale::properties::attention {

/// √(2 ln n): about the largest of n standard normal numbers.
inline double regime_change(std::uint64_t n) { return std::sqrt(2 * std::log(n)); }

/// How concentrated weights are: each is what a report shows of it.
struct Concentration {
  double entropy, largest, squares;
};

inline Concentration concentration(std::vector<double> logits,
                                   const PrimitivesIn<double>& primitives) {
  primitives.softmax(logits);
  Concentration c{primitives.entropy(logits), 0, 0};
  for (const double w : logits) c.largest = std::max(c.largest, w), c.squares += w * w;
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
inline double sharper_share_of_bound(std::span<const double> xi, double s, double t,
                                     const PrimitivesIn<double>& primitives) {
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

/// The d_k from which on the largest of n weights of logits of deviation √d_k is a half or more, on
/// average: by E max a = n·∫φ(x)∫e^−t·(∫_−∞^x φ(y)·exp(−t·e^(−s(x − y))) dy)^(n − 1) dt dx and
/// Gauss's rule, apart from lib/expected, at these widths and one less.
struct SaturatingWidth {
  std::uint64_t keys, width;
};
inline constexpr std::array<SaturatingWidth, 5> saturating_widths{
    {{16, 5}, {64, 11}, {512, 19}, {4096, 28}, {65536, 41}}};

/// The positive nodes, and their weights, of Gauss's rule with 20 nodes on (−1, 1).
///
/// Source    Abramowitz and Stegun 1964, table 25.4.
struct GaussNode {
  double at, weight;
};
inline constexpr std::array<GaussNode, 10> gauss{{{0.076526521133497338, 0.15275338713072584},
                                                  {0.22778585114164507, 0.14917298647260374},
                                                  {0.37370608871541955, 0.14209610931838204},
                                                  {0.51086700195082713, 0.13168863844917664},
                                                  {0.63605368072651502, 0.11819453196151841},
                                                  {0.7463319064601508, 0.10193011981724044},
                                                  {0.83911697182221878, 0.083276741576704755},
                                                  {0.91223442825132595, 0.062672048334109068},
                                                  {0.96397192727791381, 0.040601429800386939},
                                                  {0.99312859918509488, 0.017614007139152118}}};

/// |mean over two logits of deviation s − integral| as a share of its bound, for entropy, largest
/// weight and Σa²: the mean by Gauss's rule over the difference s·√2·x of the two, x ~ N(0, 1), at
/// whose nodes the primitive is called.
///
/// Panels of x are w = min(1, 1.2/s) long, up to 9 (beyond lies 2e−19). The integrand has its poles
/// at |Im x| = π/(√2 s) >= 1.85 w, 3.7 half panels off, where 20 nodes err by about 7.5^−40.
/// Rounding: weights as in sharper_share_of_bound, e = (4R + 8)u with R = 9·√2·s; N positive terms
/// of the mean and its density, (N + 90)u, as the exponent x²/2 < 41 rounds twice.
inline double two_keys_share_of_bound(double s, const PrimitivesIn<double>& primitives) {
  const double width = std::min(1.0, 1.2 / s), u = unit_roundoff<double>;
  Concentration mean{0, 0, 0};
  double nodes = 0;
  const auto add = [&](double x, double weight) {
    const double p = 2 * weight * std::exp(-0.5 * x * x) / std::sqrt(2 * std::numbers::pi);
    const auto c = concentration({s * std::numbers::sqrt2 * x, 0.0}, primitives);
    mean.entropy += p * c.entropy, mean.largest += p * c.largest, mean.squares += p * c.squares;
    ++nodes;
  };
  for (double left = 0; left < 9; left += width)
    for (const auto& [at, weight] : gauss)
      for (const double side : {-1.0, 1.0})
        add(left + 0.5 * width * (1 + side * at), 0.5 * width * weight);
  const double e = (4 * 9 * std::numbers::sqrt2 * s + 8) * u, sum = (nodes + 90) * u;
  const auto share = [&](double value, const expected::Expectation& integral, double rounding) {
    const double error = std::abs(value - integral.value);
    return std::isnan(error) ? HUGE_VAL : error / (integral.error + rounding);
  };
  const auto entropy = expected::log_sum_exp_and_entropy(s, 2).entropy;
  const auto largest = expected::largest_weight(s, 2), squares = expected::sum_of_squares(s, 2);
  return std::max({share(mean.entropy, entropy, (e + 5 * u + sum) * entropy.value + e),
                   share(mean.largest, largest, (e + sum) * largest.value),
                   share(mean.squares, squares, (2 * e + 2 * u + sum) * squares.value)});
}

}  // namespace embedscale::properties::attention
