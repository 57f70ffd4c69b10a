#include "power.hpp"

#include <algorithm>
#include <limits>

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

}  // namespace embedscale::properties::evidence
