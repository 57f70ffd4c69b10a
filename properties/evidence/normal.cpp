#include "normal.hpp"

#include <boost/math/distributions/chi_squared.hpp>
#include <boost/math/distributions/non_central_t.hpp>
#include <boost/math/distributions/normal.hpp>
#include <boost/math/distributions/students_t.hpp>

#include <algorithm>
#include <cmath>

namespace embedscale::properties::evidence {

static_assert(StatisticalCheck<NormalMean> && StatisticalCheck<StudentMean> &&
              StatisticalCheck<BatchMean> && StatisticalCheck<NormalVariance>);

double NormalMean::statistic(const Data& data) {
  return distance(data.null, data.sum / real(data.n)) * std::sqrt(real(data.n));
}
bool NormalMean::accepts(const Data& data, double alpha) {
  if (data.n == 0) return true;
  const double t = statistic(data);
  return std::isfinite(t) && cdf(boost::math::normal(), -t) > alpha / 2;
}
double NormalMean::miss(std::uint64_t n, double delta, double alpha) {
  const boost::math::normal law;
  const double c = quantile(complement(law, alpha / 2)), shift = delta * std::sqrt(real(n));
  return cdf(law, c - shift) - cdf(law, -c - shift);
}
double NormalMean::smallest_effect(std::uint64_t n, Rates rates) {
  return smallest_effect_by([&](double e) { return miss(n, e, rates.alpha); }, rates.beta, 1e6);
}
std::uint64_t NormalMean::draws_for(double e, Rates rates) {
  return fewest_draws([&](std::uint64_t n) { return miss(n, e, rates.alpha) <= rates.beta; });
}

double StudentMean::statistic(const Data& data) {
  const double off = distance(data.null, data.sample.mean);
  return off == 0 ? 0 : off / std::sqrt(data.sample.variance() / real(data.sample.n));
}
bool StudentMean::accepts(const Data& data, double alpha) {
  if (data.sample.n < 2) return true;  // nothing is known of σ, and smallest_effect says so
  const double t = statistic(data);
  return std::isfinite(t) && cdf(boost::math::students_t(real(data.sample.n) - 1), -t) > alpha / 2;
}
// Where the noncentrality λ is above 10 c + 100, the miss is less than P(Z + λ <= 3c) + P(s > 3σ),
// whose terms are below Φ(−100) and, by Chernoff, exp(−2.9 ν): 0 from 1000 degrees on.
double StudentMean::miss_of(double degrees, double noncentrality, double alpha) {
  const double c = quantile(complement(boost::math::students_t(degrees), alpha / 2));
  if (degrees >= 1000 && noncentrality > 10 * c + 100) return 0;
  return cdf(boost::math::non_central_t(degrees, noncentrality), c);
}
double StudentMean::miss(std::uint64_t n, double delta, double alpha) {
  return n < 2 ? 1.0 : miss_of(real(n) - 1, delta * std::sqrt(real(n)), alpha);
}
double StudentMean::smallest_effect(std::uint64_t n, Rates rates) {
  return smallest_effect_by([&](double e) { return miss(n, e, rates.alpha); }, rates.beta, 64);
}
std::uint64_t StudentMean::draws_for(double e, Rates rates) {
  return fewest_draws([&](std::uint64_t n) { return miss(n, e, rates.alpha) <= rates.beta; });
}

bool BatchMean::accepts(const Data& data, double alpha) {
  return StudentMean::accepts(data, alpha / alpha_guard);
}
double BatchMean::smallest_effect(std::uint64_t n, Rates rates) {
  return StudentMean::smallest_effect(n, guarded(rates));
}
std::uint64_t BatchMean::draws_for(double e, Rates rates) {
  return StudentMean::draws_for(e, guarded(rates));
}

double chi_squared_below(std::uint64_t n, double x) {
  const double far = 0.5 * (x - real(n) - real(n) * std::log(x / real(n)));
  return x < real(n) && far > 60 ? std::exp(-far) : cdf(boost::math::chi_squared(real(n)), x);
}
double chi_squared_above(std::uint64_t n, double x) {
  const double far = 0.5 * (x - real(n) - real(n) * std::log(x / real(n)));
  return x > real(n) && far > 60 ? std::exp(-far)
                                 : cdf(complement(boost::math::chi_squared(real(n)), x));
}

bool NormalVariance::accepts(const Data& data, double alpha) {
  if (data.n == 0) return true;
  return data.squares > 0 && std::isfinite(data.squares) &&
         chi_squared_below(data.n, data.squares) > alpha / 2 &&
         chi_squared_above(data.n, data.squares) > alpha / 2;
}
double NormalVariance::miss(std::uint64_t n, double delta, double alpha) {
  const boost::math::chi_squared law(real(n));
  const double least = quantile(law, alpha / 2), most = quantile(complement(law, alpha / 2));
  const double up = 1 + delta, down = 1 - delta;
  return std::max(chi_squared_below(n, most / (up * up)),
                  delta < 1 ? chi_squared_above(n, least / (down * down)) : 0.0);
}
double NormalVariance::smallest_effect(std::uint64_t n, Rates rates) {
  return smallest_effect_by([&](double e) { return miss(n, e, rates.alpha); }, rates.beta, 1e9);
}
std::uint64_t NormalVariance::draws_for(double e, Rates rates) {
  return fewest_draws([&](std::uint64_t n) { return miss(n, e, rates.alpha) <= rates.beta; });
}

}  // namespace embedscale::properties::evidence
