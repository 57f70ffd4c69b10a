#include "two_samples.hpp"

#include <boost/math/distributions/fisher_f.hpp>
#include <boost/math/distributions/students_t.hpp>

#include <cmath>
#include <stdexcept>

namespace embedscale::properties::evidence {

static_assert(StatisticalCheck<DeviationRatio> && StatisticalCheck<EqualMeans>);

bool DeviationRatio::accepts(const Data& data, double alpha) {
  if (data.n == 0) return true;
  if (!(data.first > 0 && data.second > 0 && std::isfinite(data.first + data.second))) return false;
  const boost::math::fisher_f law(real(data.n), real(data.n));
  const double f = statistic(data);
  return cdf(law, f) > alpha / 2 && cdf(complement(law, f)) > alpha / 2;
}
double DeviationRatio::miss(std::uint64_t n, double delta, double alpha) {
  const boost::math::fisher_f law(real(n), real(n));
  const double most = quantile(complement(law, alpha / 2)), square = (1 + delta) * (1 + delta);
  return cdf(law, most / square) - cdf(law, 1 / (most * square));
}
double DeviationRatio::smallest_effect(std::uint64_t n, Rates rates) {
  return smallest_effect_by([&](double e) { return miss(n, e, rates.alpha); }, rates.beta, 1e12);
}
std::uint64_t DeviationRatio::draws_for(double e, Rates rates) {
  return fewest_draws([&](std::uint64_t n) { return miss(n, e, rates.alpha) <= rates.beta; });
}

double EqualMeans::statistic(const Data& data) {
  const double off = std::abs(data.first.mean - data.second.mean), n = real(data.first.n);
  return off == 0 ? 0 : off / std::sqrt((data.first.squares + data.second.squares) / (n * (n - 1)));
}
bool EqualMeans::accepts(const Data& data, double alpha) {
  if (data.first.n != data.second.n)
    throw std::invalid_argument("evidence: two samples of different sizes");
  if (data.first.n < 2) return true;
  const double t = statistic(data);
  return std::isfinite(t) &&
         cdf(boost::math::students_t(2 * real(data.first.n) - 2), -t) > alpha / 2;
}
double EqualMeans::miss(std::uint64_t n, double delta, double alpha) {
  return n < 2 ? 1.0 : StudentMean::miss_of(2 * real(n) - 2, delta * std::sqrt(real(n) / 2), alpha);
}
double EqualMeans::smallest_effect(std::uint64_t n, Rates rates) {
  return smallest_effect_by([&](double e) { return miss(n, e, rates.alpha); }, rates.beta, 64);
}
std::uint64_t EqualMeans::draws_for(double e, Rates rates) {
  return fewest_draws([&](std::uint64_t n) { return miss(n, e, rates.alpha) <= rates.beta; });
}

}  // namespace embedscale::properties::evidence
