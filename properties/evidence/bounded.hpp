#pragma once
// Checks of means without a law: bounds that hold at every n for bounded, or sub-Gaussian, draws.
#include <cstdint>
#include <string_view>

#include "normal.hpp"

namespace embedscale::properties::evidence {

/// Mean of independent sub-Gaussian draws, E exp(θz) <= exp(θ²/2) for z = (x − μ)/σ: then
/// P(|mean z| >= t) <= 2 exp(−nt²/2). So for a normal law, for what is in an interval of length 2σ
/// (Hoeffding 1963), and for a σ-Lipschitz function of standard normals (Tsirelson et al. 1976).
struct SubGaussianMean : Counted {
  static constexpr std::string_view name = "mean of sub-Gaussian draws";
  static constexpr std::string_view effect = "deviation of the mean, in the proxy σ";
  using Data = NormalMean::Data;
  static double statistic(const Data& data) { return NormalMean::statistic(data); }
  static bool accepts(const Data& data, double alpha);
  /// Both bounds on the mean of n: what is accepted, and what a deviation falls short by.
  static double smallest_effect(std::uint64_t n, Rates rates);
};

/// y where it is in [0, 1].  Errors  std::invalid_argument: the bound on the mean does not hold.
double in_unit_range(double y);

/// Mean of independent draws in [0, 1], by Hoeffding: sub-Gaussian with σ = 1/2. What n draws
/// detect is infinite where it is longer than the range.
struct BoundedMean : Counted {
  static constexpr std::string_view name = "mean of bounded draws";
  static constexpr std::string_view effect = "deviation of the mean, in the range";
  struct Data {
    Interval null{};  ///< where the mean should be, in the unit of the range
    std::uint64_t n = 0;
    double sum = 0;
    void add(double y) { ++n, sum += in_unit_range(y); }
  };
  static double statistic(const Data& data) { return distance(data.null, data.sum / real(data.n)); }
  static bool accepts(const Data& data, double alpha);
  static double smallest_effect(std::uint64_t n, Rates rates);
};

/// Half the interval of Maurer and Pontil 2009, theorem 4, for each side at α/2: with s² the
/// sample's variance, |mean − μ| < s√(2 ln(4/α)/n) + 7 ln(4/α)/(3(n − 1)) but for a share of α.
double bernstein_radius(std::uint64_t n, double deviation, double alpha);

}  // namespace embedscale::properties::evidence
