#pragma once
// Checks of two normal samples of n draws each: the ratio of their deviations, equality of means.
#include <boost/math/distributions/fisher_f.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <stdexcept>
#include <string_view>

#include "normal.hpp"

namespace embedscale::properties::evidence {

/// The ratio of two standard deviations: with x and y of mean 0 in units of the deviations that
/// they should have, Σx²/Σy² ~ F(n, n).
struct DeviationRatio {
  static constexpr std::string_view name = "ratio of two standard deviations";
  static constexpr std::string_view effect = "relative deviation of the ratio";
  struct Data {
    std::uint64_t n = 0;  ///< of each
    double first = 0, second = 0;
    void add(double x, double y) { ++n, first += x * x, second += y * y; }
    Data& operator+=(const Data& other) {
      return n += other.n, first += other.first, second += other.second, *this;
    }
  };
  static std::uint64_t draws(const Data& data) { return data.n; }
  static double statistic(const Data& data) { return data.first / data.second; }
  static bool accepts(const Data& data, double alpha) {
    if (data.n == 0) return true;
    if (!(data.first > 0 && data.second > 0 && std::isfinite(data.first + data.second)))
      return false;
    const boost::math::fisher_f law(real(data.n), real(data.n));
    const double f = statistic(data);
    return cdf(law, f) > alpha / 2 && cdf(complement(law, f)) > alpha / 2;
  }
  /// P(accept) at a ratio of 1 + δ. That of 1 − δ is further from 1 as a ratio, and missed less:
  /// F(n, n) is the law of its own reciprocal, and 1/(1 − δ) > 1 + δ.
  static double miss(std::uint64_t n, double delta, double alpha) {
    const boost::math::fisher_f law(real(n), real(n));
    const double most = quantile(complement(law, alpha / 2)), square = (1 + delta) * (1 + delta);
    return cdf(law, most / square) - cdf(law, 1 / (most * square));
  }
  static double smallest_effect(std::uint64_t n, Rates rates) {
    return smallest_effect_by([&](double e) { return miss(n, e, rates.alpha); }, rates.beta, 1e12);
  }
  static std::uint64_t draws_for(double e, Rates rates) {
    return fewest_draws([&](std::uint64_t n) { return miss(n, e, rates.alpha) <= rates.beta; });
  }
};

/// Equality of the means of two normal laws of one unknown σ: Student's t with 2n − 2 degrees of
/// freedom, of noncentrality δ√(n/2) at a difference of δσ.
struct EqualMeans {
  static constexpr std::string_view name = "equality of two means of normal laws";
  static constexpr std::string_view effect = "difference of the means, in σ";
  struct Data {
    Sample first{}, second{};
    void add(double x, double y) { first.add(x), second.add(y); }
  };
  static std::uint64_t draws(const Data& data) { return data.first.n; }
  static double statistic(const Data& data) {
    const double off = std::abs(data.first.mean - data.second.mean), n = real(data.first.n);
    return off == 0 ? 0
                    : off / std::sqrt((data.first.squares + data.second.squares) / (n * (n - 1)));
  }
  /// Errors   std::invalid_argument where the samples differ in size.
  static bool accepts(const Data& data, double alpha) {
    if (data.first.n != data.second.n)
      throw std::invalid_argument("evidence: two samples of different sizes");
    if (data.first.n < 2) return true;
    const double t = statistic(data);
    return std::isfinite(t) &&
           cdf(boost::math::students_t(2 * real(data.first.n) - 2), -t) > alpha / 2;
  }
  static double miss(std::uint64_t n, double delta, double alpha) {
    return n < 2 ? 1.0
                 : StudentMean::miss_of(2 * real(n) - 2, delta * std::sqrt(real(n) / 2), alpha);
  }
  /// Infinity where it is above 64 σ.
  static double smallest_effect(std::uint64_t n, Rates rates) {
    return smallest_effect_by([&](double e) { return miss(n, e, rates.alpha); }, rates.beta, 64);
  }
  static std::uint64_t draws_for(double e, Rates rates) {
    return fewest_draws([&](std::uint64_t n) { return miss(n, e, rates.alpha) <= rates.beta; });
  }
};

static_assert(StatisticalCheck<DeviationRatio> && StatisticalCheck<EqualMeans>);

}  // namespace embedscale::properties::evidence
