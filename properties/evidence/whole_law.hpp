#pragma once
// Checks of a whole law: the largest distance between the draws' distribution and the stated one,
// and that words drawn from a large set differ.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <span>
#include <stdexcept>
#include <string_view>
#include <vector>

#include "check.hpp"
#include "power.hpp"

namespace embedscale::properties::evidence {

/// P(sup (F_n − F) >= d) for n draws of a continuous law F, exactly (Birnbaum and Tingey 1951):
///   d Σ_{j <= n(1 − d)} C(n, j) (d + j/n)^{j−1} (1 − d − j/n)^{n−j}.
/// All terms are positive, so that a tail of 1e-12 keeps its digits, which it does not in the
/// matrix powers of Marsaglia, Tsang and Wang 2003 (they give its complement).
inline double one_sided_distance_tail(std::uint64_t n, double d) {
  if (d <= 0) return 1.0;
  const double m = real(n);
  double sum = 0;
  for (double j = 0; j <= m * (1 - d); ++j) {
    const double left = d + j / m, right = 1 - left;
    const double last = j == m ? 0.0 : (m - j) * std::log(std::max(right, 0.0));
    sum += std::exp(std::lgamma(m + 1) - std::lgamma(j + 1) - std::lgamma(m - j + 1) +
                    (j - 1) * std::log(left) + last);
  }
  return std::min(1.0, d * sum);
}

/// A continuous law F: sup |F_n − F| is at most the distance that each side exceeds with
/// probability at most α/2.
///
/// Up to 1000 draws that is the exact one-sided law; beyond, the bound exp(−2nd²) of Dvoretzky,
/// Kiefer and Wolfowitz with Massart's constant (1990), which holds at every n and whose distance
/// is within 0.5 % of it there. Kolmogorov's asymptotic law is its limit, and promises nothing at
/// a finite n; it could gain a share of exp(−6nd²) only. A law with atoms would need F(x−) in
/// `distance_from`.
struct WholeLaw {
  static constexpr std::string_view name = "whole law";
  static constexpr std::string_view effect = "largest distance of the distributions";
  static constexpr std::uint64_t most_exact = 1000;
  struct Data {
    std::uint64_t n = 0;
    double distance = 0;  ///< sup |F_n − F|
  };
  static std::uint64_t draws(const Data& data) { return data.n; }
  static double statistic(const Data& data) { return data.distance; }
  static double tail(std::uint64_t n, double distance) {
    return n <= most_exact ? one_sided_distance_tail(n, distance)
                           : std::exp(-2 * real(n) * distance * distance);
  }
  static bool accepts(const Data& data, double alpha) {
    return data.n == 0 || (data.distance <= 1 && tail(data.n, data.distance) > alpha / 2);
  }
  /// Where the laws are δ apart at one point, the draws' share below it is Hoeffding's: it falls
  /// short of δ by more than √(ln(1/β)/(2n)) with probability at most β.
  static double smallest_effect(std::uint64_t n, Rates rates) {
    const auto accepted = [&](double d) { return d < 1 ? tail(n, d) : 0.0; };
    const double accepts_up_to = smallest_effect_by(accepted, rates.alpha / 2, 1.0);
    const double seen = accepts_up_to + std::sqrt(std::log(1 / rates.beta) / (2 * real(n)));
    return seen <= 1 ? seen : std::numeric_limits<double>::infinity();
  }
  static std::uint64_t draws_for(double e, Rates rates) {
    return fewest_draws([&](std::uint64_t n) { return smallest_effect(n, rates) <= e; });
  }
};

/// sup |F_n − F| of draws, which are sorted. A draw that is no number is at distance 1.
template <class Distribution>
WholeLaw::Data distance_from(std::span<double> x, Distribution cumulative) {
  WholeLaw::Data data{x.size(), 0.0};
  if (std::ranges::any_of(x, [](double value) { return std::isnan(value); })) return {x.size(), 1};
  std::ranges::sort(x);
  const double n = real(data.n);
  for (std::size_t i = 0; i < x.size(); ++i) {
    const double f = cumulative(x[i]), below = static_cast<double>(i) / n;
    data.distance = std::max({data.distance, f - below, below + 1 / n - f});
  }
  return data;
}

/// |F − G| at the worst of 1001 equidistant points: how far, at least, two laws are apart.
template <class First, class Second>
double least_distance(First f, Second g, double left, double right) {
  double distance = 0;
  for (int i = 0; i <= 1000; ++i) {
    const double x = left + i * (right - left) / 1000;
    distance = std::max(distance, std::abs(f(x) - g(x)));
  }
  return distance;
}

/// Words of 64 independent bits are all different: n(n − 1)/2 pairs, each equal with probability
/// 2^−64. Words of 64 − e bits are, with probability at most exp(−n(n − 1)/2^(65−e)).
struct DistinctWords {
  static constexpr std::string_view name = "distinct words";
  static constexpr std::string_view effect = "bits that a word of 64 lacks";
  struct Data {
    std::uint64_t n = 0, distinct = 0;
  };
  static std::uint64_t draws(const Data& data) { return data.n; }
  static double statistic(const Data& data) { return real(data.n - data.distinct); }
  static double pairs(std::uint64_t n) { return real(n) * (real(n) - 1) / 2; }
  /// So many draws that equal ones are no surprise cannot be rejected, and show in the effect.
  static bool accepts(const Data& data, double alpha) {
    return data.distinct == data.n || pairs(data.n) * 0x1p-64 > alpha;
  }
  static double smallest_effect(std::uint64_t n, Rates rates) {
    if (n < 2 || pairs(n) * 0x1p-64 > rates.alpha) return std::numeric_limits<double>::infinity();
    const double bits = 64 + std::log2(-std::log(rates.beta) / pairs(n));
    return bits <= 64 ? bits : std::numeric_limits<double>::infinity();
  }
  static std::uint64_t draws_for(double e, Rates rates) {
    const std::uint64_t n = fewest_draws(
        [&](std::uint64_t m) { return pairs(m) >= -std::log(rates.beta) * std::exp2(64 - e); });
    if (pairs(n) * 0x1p-64 > rates.alpha)
      throw std::domain_error("evidence: so many words that equal ones are no surprise");
    return n;
  }
};

static_assert(StatisticalCheck<WholeLaw> && StatisticalCheck<DistinctWords>);

}  // namespace embedscale::properties::evidence
