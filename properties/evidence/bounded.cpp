#include "bounded.hpp"

#include <cmath>
#include <limits>
#include <stdexcept>

namespace embedscale::properties::evidence {

static_assert(StatisticalCheck<SubGaussianMean> && StatisticalCheck<BoundedMean>);

bool SubGaussianMean::accepts(const Data& data, double alpha) {
  return data.n == 0 || statistic(data) <= std::sqrt(2 * std::log(2 / alpha));
}
double SubGaussianMean::smallest_effect(std::uint64_t n, Rates rates) {
  return (std::sqrt(2 * std::log(2 / rates.alpha)) + std::sqrt(2 * std::log(1 / rates.beta))) /
         std::sqrt(real(n));
}

double in_unit_range(double y) {
  if (!(y >= 0 && y <= 1)) throw std::invalid_argument("evidence: a draw outside its range");
  return y;
}

bool BoundedMean::accepts(const Data& data, double alpha) {
  return data.n == 0 || statistic(data) <= std::sqrt(std::log(2 / alpha) / (2 * real(data.n)));
}
double BoundedMean::smallest_effect(std::uint64_t n, Rates rates) {
  const double e = SubGaussianMean::smallest_effect(n, rates) / 2;
  return e <= 1 ? e : std::numeric_limits<double>::infinity();
}

double bernstein_radius(std::uint64_t n, double deviation, double alpha) {
  const double l = std::log(4 / alpha);
  return deviation * std::sqrt(2 * l / real(n)) + 7 * l / (3 * (real(n) - 1));
}

}  // namespace embedscale::properties::evidence
