#include "whole_law.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace embedscale::properties::evidence {

static_assert(StatisticalCheck<WholeLaw> && StatisticalCheck<DistinctWords>);

double one_sided_distance_tail(std::uint64_t n, double d) {
  if (d <= 0) return 1.0;
  const double m = real(n);
  double sum = 0;
  for (double j = 0; j <= m * (1 - d); ++j) {
    const double left = d + j / m, right = 1 - left;
    const double last = j == m ? 0.0 : (m - j) * std::log(std::max(right, 0.0));
    sum += std::exp(std::lgamma(m + 1) - std::lgamma(j + 1) - std::lgamma(m - j + 1) +
                    (j - 1) * std::log(left) + last);
  }
  return std::min(1.0, d * sum);
}

double WholeLaw::tail(std::uint64_t n, double distance) {
  return n <= most_exact ? one_sided_distance_tail(n, distance)
                         : std::exp(-2 * real(n) * distance * distance);
}
bool WholeLaw::accepts(const Data& data, double alpha) {
  return data.n == 0 || (data.distance <= 1 && tail(data.n, data.distance) > alpha / 2);
}
double WholeLaw::smallest_effect(std::uint64_t n, Rates rates) {
  const auto accepted = [&](double d) { return d < 1 ? tail(n, d) : 0.0; };
  const double accepts_up_to = smallest_effect_by(accepted, rates.alpha / 2, 1.0);
  const double seen = accepts_up_to + std::sqrt(std::log(1 / rates.beta) / (2 * real(n)));
  return seen <= 1 ? seen : std::numeric_limits<double>::infinity();
}

WholeLaw::Data distance_from(std::span<double> x, const Law& cumulative) {
  WholeLaw::Data data{x.size(), 0.0};
  if (std::ranges::any_of(x, [](double value) { return std::isnan(value); })) return {x.size(), 1};
  std::ranges::sort(x);
  const double n = real(data.n);
  for (std::size_t i = 0; i < x.size(); ++i) {
    const double f = cumulative(x[i]), below = static_cast<double>(i) / n;
    data.distance = std::max({data.distance, f - below, below + 1 / n - f});
  }
  return data;
}

double least_distance(const Law& f, const Law& g, double left, double right) {
  double distance = 0;
  for (int i = 0; i <= 1000; ++i) {
    const double x = left + i * (right - left) / 1000;
    distance = std::max(distance, std::abs(f(x) - g(x)));
  }
  return distance;
}

namespace {
double pairs(std::uint64_t n) { return real(n) * (real(n) - 1) / 2; }
}  // namespace

bool DistinctWords::accepts(const Data& data, double alpha) {
  return data.distinct == data.n || pairs(data.n) * 0x1p-64 > alpha;
}
double DistinctWords::smallest_effect(std::uint64_t n, Rates rates) {
  if (n < 2 || pairs(n) * 0x1p-64 > rates.alpha) return std::numeric_limits<double>::infinity();
  const double bits = 64 + std::log2(-std::log(rates.beta) / pairs(n));
  return bits <= 64 ? bits : std::numeric_limits<double>::infinity();
}

}  // namespace embedscale::properties::evidence
