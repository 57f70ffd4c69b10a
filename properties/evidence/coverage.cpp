#include "coverage.hpp"

#include <cmath>

#include "beta_mixture.hpp"
#include "power.hpp"

namespace embedscale::properties::evidence {

Interval share_of_class(std::uint64_t in_class, std::uint64_t cases, double alpha) {
  return proportion_at_any_time(in_class, cases, alpha);
}

// Both answers are asked of the e-process itself: an end of the interval is past p exactly if p is
// rejected, and p is not beyond the estimate.
Coverage coverage(std::uint64_t in_class, std::uint64_t cases, double required, double alpha) {
  const double seen = static_cast<double>(in_class), n = static_cast<double>(cases);
  const auto mixture = any_proportion();
  const auto rejects = [&](double share) {
    return mixture.log_e_value(in_class, cases, share) >= -std::log(alpha);
  };
  if (seen < n * required && rejects(required)) return Coverage::insufficient;
  // From below: too few cases to have 9/10 would have been too few for the whole before.
  return rejects(enough_of_required * required) ? Coverage::sufficient : Coverage::undecided;
}

std::uint64_t cases_to_decide(double share, double required, double alpha) {
  const auto decided = [&](std::uint64_t n) {
    const auto in_class = static_cast<std::uint64_t>(std::round(share * static_cast<double>(n)));
    return coverage(in_class, n, required, alpha) != Coverage::undecided;
  };
  return fewest(decided, 50).value_or(0);
}

}  // namespace embedscale::properties::evidence
