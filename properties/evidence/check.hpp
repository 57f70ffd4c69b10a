#pragma once
// A statistical check, as in TensorFlow Probability's statistical_testing: an assertion whose false
// alarms are rare, and the smallest effect that it detects.
#include <concepts>
#include <cstdint>
#include <string_view>

namespace embedscale::properties::evidence {

/// How often a check may be wrong.
struct Rates {
  double alpha;  ///< false alarm: it rejects although the null holds
  double beta;   ///< miss: it accepts although the effect is there
};

/// From lower to upper, both ends included.
struct Interval {
  double lower, upper;
};

constexpr bool contains(const Interval& interval, double x) {
  return interval.lower <= x && x <= interval.upper;
}

/// How far x is from the nearest point of an interval; NaN for a NaN.
constexpr double distance(const Interval& interval, double x) {
  if (contains(interval, x)) return 0.0;
  const double below = interval.lower - x, above = x - interval.upper;
  return below < above ? above : below;
}

/// A kind of statistical check. `Data` are the sufficient statistics of n draws.
template <class Kind>
concept StatisticalCheck = requires(const typename Kind::Data& data, std::uint64_t n, double alpha,
                                    Rates rates) {
  { Kind::name } -> std::convertible_to<std::string_view>;    // "variance of a normal distribution"
  { Kind::effect } -> std::convertible_to<std::string_view>;  // "relative deviation of σ"
  { Kind::draws(data) } -> std::convertible_to<std::uint64_t>;
  // False alarm <= alpha under the null.
  { Kind::accepts(data, alpha) } -> std::same_as<bool>;
  // Detected with probability >= 1 − beta; infinity where n draws detect nothing at these rates.
  { Kind::smallest_effect(n, rates) } -> std::convertible_to<double>;
};

}  // namespace embedscale::properties::evidence
