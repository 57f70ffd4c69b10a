#include "coverage.hpp"

#include <boost/math/special_functions/gamma.hpp>

#include <cmath>
#include <numbers>

namespace embedscale::properties::evidence {

double log_e_value(std::uint64_t in_class, std::uint64_t cases, double p) {
  using boost::math::lgamma;
  const auto k = static_cast<double>(in_class), l = static_cast<double>(cases - in_class);
  const double log_mixture = lgamma(k + 0.5) + lgamma(l + 0.5) - lgamma(k + l + 1);
  return log_mixture - std::log(std::numbers::pi) - (k == 0 ? 0 : k * std::log(p)) -
         (l == 0 ? 0 : l * std::log1p(-p));
}

Coverage coverage(std::uint64_t in_class, std::uint64_t cases, double required, double alpha) {
  const double seen = static_cast<double>(in_class), n = static_cast<double>(cases);
  const auto rejects = [&](double share) {
    return log_e_value(in_class, cases, share) - e_value_error(cases) >= -std::log(alpha);
  };
  if (seen < n * required && rejects(required)) return Coverage::insufficient;
  // From below: too few cases to have 9/10 would have been too few for the whole before.
  return rejects(enough_of_required * required) ? Coverage::sufficient : Coverage::undecided;
}

}  // namespace embedscale::properties::evidence
