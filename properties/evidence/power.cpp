#include "power.hpp"

#include <algorithm>
#include <limits>
#include <stdexcept>

namespace embedscale::properties::evidence {

double smallest_effect_by(const std::function<double(double)>& miss, double beta, double most) {
  if (!(miss(most) <= beta)) return std::numeric_limits<double>::infinity();
  double upper = std::min(most, 1.0), lower = 0.0;
  while (!(miss(upper) <= beta)) lower = upper, upper = std::min(2.0 * upper, most);
  while (lower == 0.0 && upper > 1e-12 && miss(upper / 16) <= beta) upper /= 16;
  while (upper - lower > 1e-9 * upper) {
    const double middle = lower + (upper - lower) / 2;
    (miss(middle) <= beta ? upper : lower) = middle;
  }
  return upper;
}

std::optional<std::uint64_t> fewest(const std::function<bool(std::uint64_t)>& enough,
                                    int most_log2) {
  std::uint64_t upper = 1, lower = 0;
  while (!enough(upper)) {
    if (upper >= std::uint64_t{1} << most_log2) return std::nullopt;
    lower = upper, upper *= 2;
  }
  while (upper - lower > 1) {
    const std::uint64_t middle = lower + (upper - lower) / 2;
    (enough(middle) ? upper : lower) = middle;
  }
  return upper;
}

std::uint64_t fewest_draws(const std::function<bool(std::uint64_t)>& detects) {
  if (const auto draws = fewest(detects, 48)) return *draws;
  throw std::domain_error("evidence: 2^48 draws do not detect this effect at these rates");
}

}  // namespace embedscale::properties::evidence
