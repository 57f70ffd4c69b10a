#pragma once
// Checks of two normal samples of n draws each: the ratio of their deviations, equality of means.
#include <cstdint>
#include <string_view>

#include "normal.hpp"

namespace embedscale::properties::evidence {

/// The ratio of two standard deviations: with x and y of mean 0 in units of the deviations that
/// they should have, Σx²/Σy² ~ F(n, n).
struct DeviationRatio : ByMiss<DeviationRatio> {
  static constexpr std::string_view name = "ratio of two standard deviations";
  static constexpr std::string_view effect = "relative deviation of the ratio";
  struct Data {
    std::uint64_t n = 0;  ///< of each
    double first = 0, second = 0;
    void add(double x, double y) { ++n, first += x * x, second += y * y; }
  };
  static double statistic(const Data& data) { return data.first / data.second; }
  static bool accepts(const Data& data, double alpha);
  /// P(accept) at a ratio of 1 + δ. That of 1 − δ is further from 1 as a ratio, and missed less:
  /// F(n, n) is the law of its own reciprocal, and 1/(1 − δ) > 1 + δ.
  static double miss(std::uint64_t n, double delta, double alpha);
  static constexpr double largest_effect() { return 1e12; }
};

/// Equality of the means of two normal laws of one unknown σ: Student's t with 2n − 2 degrees of
/// freedom, of noncentrality δ√(n/2) at a difference of δσ.
struct EqualMeans : ByMiss<EqualMeans> {
  static constexpr std::string_view name = "equality of two means of normal laws";
  static constexpr std::string_view effect = "difference of the means, in σ";
  struct Data {
    Sample first{}, second{};
    void add(double x, double y) { first.add(x), second.add(y); }
  };
  static double statistic(const Data& data);
  /// Errors   std::invalid_argument where the samples differ in size.
  static bool accepts(const Data& data, double alpha);
  static double miss(std::uint64_t n, double delta, double alpha);
  static constexpr double largest_effect() { return 64; }
};

}  // namespace embedscale::properties::evidence
