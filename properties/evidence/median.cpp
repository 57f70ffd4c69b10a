#include "median.hpp"

#include <cstddef>
#include <limits>
#include <stdexcept>

#include "proportion.hpp"

namespace embedscale::properties::evidence {

double median(std::span<const double> sorted) {
  if (sorted.empty()) throw std::invalid_argument("evidence: the median of no draws");
  const std::size_t half = sorted.size() / 2;
  return sorted.size() % 2 == 1 ? sorted[half] : (sorted[half - 1] + sorted[half]) / 2;
}

Interval median_interval(std::span<const double> sorted, double alpha) {
  std::size_t accepted = 0, refused = sorted.size() / 2 + 1;  // k
  while (refused - accepted > 1) {
    const std::size_t k = accepted + (refused - accepted) / 2;
    (at_most(sorted.size(), 0.5, k - 1) <= alpha / 2 ? accepted : refused) = k;
  }
  constexpr double infinity = std::numeric_limits<double>::infinity();
  if (accepted == 0) return {-infinity, infinity};
  return {sorted[accepted - 1], sorted[sorted.size() - accepted]};
}

}  // namespace embedscale::properties::evidence
