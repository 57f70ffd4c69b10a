#include "bounded.hpp"

#include <cmath>
#include <limits>
#include <stdexcept>

namespace embedscale::properties::evidence {

static_assert(StatisticalCheck<SubGaussianMean> && StatisticalCheck<BoundedMean> &&
              StatisticalCheck<BernsteinMean> && StatisticalCheck<EqualBoundedMeans>);

namespace {
/// An effect in units of the range; infinity for one that is longer.
double within_range(double e) { return e <= 1 ? e : std::numeric_limits<double>::infinity(); }
}  // namespace

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
  return within_range(SubGaussianMean::smallest_effect(n, rates) / 2);
}

double bernstein_radius(std::uint64_t n, double deviation, double alpha) {
  const double l = std::log(4 / alpha);
  return deviation * std::sqrt(2 * l / real(n)) + 7 * l / (3 * (real(n) - 1));
}

bool BernsteinMean::accepts(const Data& data, double alpha) {
  return data.sample.n < 2 ||
         statistic(data) <=
             bernstein_radius(data.sample.n, std::sqrt(data.sample.variance()), alpha);
}
double BernsteinMean::smallest_effect(std::uint64_t n, Rates rates, double deviation) {
  if (n < 2) return std::numeric_limits<double>::infinity();
  const double l = std::log(2 / rates.beta), m = real(n);
  const double s = std::min(deviation + std::sqrt(2 * l / (m - 1)), 0.5 * std::sqrt(m / (m - 1)));
  return within_range(bernstein_radius(n, s, rates.alpha) + deviation * std::sqrt(2 * l / m) +
                      l / (3 * m));
}

double EqualBoundedMeans::statistic(const Data& data) {
  return std::abs(data.first.mean - data.second.mean);
}
bool EqualBoundedMeans::accepts(const Data& data, double alpha) {
  const auto radius = [&](const Sample& sample) {
    return bernstein_radius(sample.n, std::sqrt(sample.variance()), alpha / 2);
  };
  return draws(data) < 2 || statistic(data) <= radius(data.first) + radius(data.second);
}
double EqualBoundedMeans::smallest_effect(std::uint64_t n, Rates rates, double deviation) {
  return within_range(
      2 * BernsteinMean::smallest_effect(n, {rates.alpha / 2, rates.beta / 2}, deviation));
}

}  // namespace embedscale::properties::evidence
