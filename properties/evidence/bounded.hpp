#pragma once
// Checks of means without a law: bounds that hold at every n for bounded, or sub-Gaussian, draws.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <stdexcept>
#include <string_view>

#include "normal.hpp"

namespace embedscale::properties::evidence {

/// Mean of independent sub-Gaussian draws, E exp(θz) <= exp(θ²/2) for z = (x − μ)/σ: then
/// P(|mean z| >= t) <= 2 exp(−nt²/2). So for a normal law, for what is in an interval of length 2σ
/// (Hoeffding 1963), and for a σ-Lipschitz function of standard normals (Tsirelson et al. 1976).
struct SubGaussianMean {
  static constexpr std::string_view name = "mean of sub-Gaussian draws";
  static constexpr std::string_view effect = "deviation of the mean, in the proxy σ";
  using Data = NormalMean::Data;
  static std::uint64_t draws(const Data& data) { return data.n; }
  static double statistic(const Data& data) { return NormalMean::statistic(data); }
  static bool accepts(const Data& data, double alpha) {
    return data.n == 0 || statistic(data) <= std::sqrt(2 * std::log(2 / alpha));
  }
  /// Both bounds on the mean of n: what is accepted, and what a deviation falls short by.
  static double smallest_effect(std::uint64_t n, Rates rates) {
    return (std::sqrt(2 * std::log(2 / rates.alpha)) + std::sqrt(2 * std::log(1 / rates.beta))) /
           std::sqrt(real(n));
  }
  static std::uint64_t draws_for(double e, Rates rates) {
    return fewest_draws([&](std::uint64_t n) { return smallest_effect(n, rates) <= e; });
  }
};

/// An effect in units of the range; infinity for one that is longer.
inline double within_range(double e) {
  return e <= 1 ? e : std::numeric_limits<double>::infinity();
}

/// y where it is in [0, 1].  Errors  std::invalid_argument: the bound on the mean does not hold.
inline double in_unit_range(double y) {
  if (!(y >= 0 && y <= 1)) throw std::invalid_argument("evidence: a draw outside its range");
  return y;
}

/// Mean of independent draws in [0, 1], by Hoeffding: sub-Gaussian with σ = 1/2.
struct BoundedMean {
  static constexpr std::string_view name = "mean of bounded draws";
  static constexpr std::string_view effect = "deviation of the mean, in the range";
  struct Data {
    Interval null{};  ///< where the mean should be, in the unit of the range
    std::uint64_t n = 0;
    double sum = 0;
    void add(double y) { ++n, sum += in_unit_range(y); }
    Data& operator+=(const Data& other) { return n += other.n, sum += other.sum, *this; }
  };
  static std::uint64_t draws(const Data& data) { return data.n; }
  static double statistic(const Data& data) { return distance(data.null, data.sum / real(data.n)); }
  static bool accepts(const Data& data, double alpha) {
    return data.n == 0 || statistic(data) <= std::sqrt(std::log(2 / alpha) / (2 * real(data.n)));
  }
  static double smallest_effect(std::uint64_t n, Rates rates) {
    return within_range(SubGaussianMean::smallest_effect(n, rates) / 2);
  }
  static std::uint64_t draws_for(double e, Rates rates) {
    return SubGaussianMean::draws_for(2 * e, rates);
  }
};

/// Half the interval of Maurer and Pontil 2009, theorem 4, for each side at α/2: with s² the
/// sample's variance, |mean − μ| < s√(2 ln(4/α)/n) + 7 ln(4/α)/(3(n − 1)) but for a share of α.
inline double bernstein_radius(std::uint64_t n, double deviation, double alpha) {
  const double l = std::log(4 / alpha);
  return deviation * std::sqrt(2 * l / real(n)) + 7 * l / (3 * (real(n) - 1));
}

/// What makes up for s, mean or both being off in the sample by chance, β in all: s is below
/// σ + √(2 ln(2/β)/(n − 1)) (their theorem 10), and the mean is off by less than
/// σ√(2 ln(2/β)/n) + ln(2/β)/(3n) to the unfavourable side (Bernstein), each but for a share
/// of β/2.
inline double bernstein_effect(std::uint64_t n, Rates rates, double deviation) {
  if (n < 2) return std::numeric_limits<double>::infinity();
  const double l = std::log(2 / rates.beta), m = real(n);
  const double s = std::min(deviation + std::sqrt(2 * l / (m - 1)), 0.5 * std::sqrt(m / (m - 1)));
  return within_range(bernstein_radius(n, s, rates.alpha) + deviation * std::sqrt(2 * l / m) +
                      l / (3 * m));
}

/// Mean of independent draws in [0, 1], by empirical Bernstein: the bound of choice where σ is far
/// below 1/2. What it detects depends on σ, 1/2 unless told.
struct BernsteinMean {
  static constexpr std::string_view name = "mean of bounded draws of small variance";
  static constexpr std::string_view effect = "deviation of the mean, in the range";
  struct Data {
    Interval null{};
    double deviation = 0.5;  ///< σ is not larger: no matter for `accepts`, only for what is seen
    Sample sample{};
    void add(double y) { sample.add(in_unit_range(y)); }
  };
  static std::uint64_t draws(const Data& data) { return data.sample.n; }
  static double statistic(const Data& data) { return distance(data.null, data.sample.mean); }
  static bool accepts(const Data& data, double alpha) {
    return data.sample.n < 2 ||
           statistic(data) <=
               bernstein_radius(data.sample.n, std::sqrt(data.sample.variance()), alpha);
  }
  static double smallest_effect(std::uint64_t n, Rates rates, double deviation = 0.5) {
    return bernstein_effect(n, rates, deviation);
  }
  static double smallest_effect(const Data& data, Rates rates) {
    return bernstein_effect(data.sample.n, rates, data.deviation);
  }
  static std::uint64_t draws_for(double e, Rates rates, double deviation = 0.5) {
    return fewest_draws([&](std::uint64_t n) { return smallest_effect(n, rates, deviation) <= e; });
  }
};

/// Equality of the means of two samples in [0, 1] of n draws each: the empirical Bernstein
/// intervals at α/2 meet. Two samples may both be off, by β/2 each.
struct EqualBoundedMeans {
  static constexpr std::string_view name = "equality of two means of bounded draws";
  static constexpr std::string_view effect = "difference of the means, in the range";
  struct Data {
    double deviation = 0.5;  ///< neither σ is larger
    Sample first{}, second{};
    void add(double x, double y) { first.add(in_unit_range(x)), second.add(in_unit_range(y)); }
  };
  static std::uint64_t draws(const Data& data) { return std::min(data.first.n, data.second.n); }
  static double statistic(const Data& data) { return std::abs(data.first.mean - data.second.mean); }
  static bool accepts(const Data& data, double alpha) {
    const auto radius = [&](const Sample& sample) {
      return bernstein_radius(sample.n, std::sqrt(sample.variance()), alpha / 2);
    };
    return draws(data) < 2 || statistic(data) <= radius(data.first) + radius(data.second);
  }
  static double smallest_effect(std::uint64_t n, Rates rates, double deviation = 0.5) {
    return within_range(2 * bernstein_effect(n, {rates.alpha / 2, rates.beta / 2}, deviation));
  }
  static double smallest_effect(const Data& data, Rates rates) {
    return smallest_effect(draws(data), rates, data.deviation);
  }
  static std::uint64_t draws_for(double e, Rates rates, double deviation = 0.5) {
    return fewest_draws([&](std::uint64_t n) { return smallest_effect(n, rates, deviation) <= e; });
  }
};

static_assert(StatisticalCheck<SubGaussianMean> && StatisticalCheck<BoundedMean> &&
              StatisticalCheck<BernsteinMean> && StatisticalCheck<EqualBoundedMeans>);

}  // namespace embedscale::properties::evidence
