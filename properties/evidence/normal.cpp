// One normal law, and two.
#include "normal.hpp"

#include <boost/math/distributions/chi_squared.hpp>
#include <boost/math/distributions/fisher_f.hpp>
#include <boost/math/distributions/non_central_t.hpp>
#include <boost/math/distributions/normal.hpp>
#include <boost/math/distributions/students_t.hpp>

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "two_samples.hpp"

namespace embedscale::properties::evidence {

static_assert(StatisticalCheck<NormalMean> && StatisticalCheck<StudentMean> &&
              StatisticalCheck<BatchMean> && StatisticalCheck<NormalVariance> &&
              StatisticalCheck<DeviationRatio> && StatisticalCheck<EqualMeans>);

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

namespace {
/// Whether |t| has a tail above α/2 on each side in Student's law.
bool student_accepts(double degrees, double t, double alpha) {
  return std::isfinite(t) && cdf(boost::math::students_t(degrees), -t) > alpha / 2;
}
}  // namespace

double StudentMean::statistic(const Data& data) {
  const double off = distance(data.null, data.sample.mean);
  return off == 0 ? 0 : off / std::sqrt(data.sample.variance() / real(data.sample.n));
}
bool StudentMean::accepts(const Data& data, double alpha) {
  // Below two draws nothing is known of σ, and smallest_effect says so.
  return data.sample.n < 2 || student_accepts(real(data.sample.n) - 1, statistic(data), alpha);
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

namespace {
// P(χ²_n <= x) for x < n, and P(χ²_n >= x) for x > n: exact, but for tails below exp(−60), for
// which Chernoff's exp(−½(x − n − n ln(x/n))) is enough (Boost 1.74 overflows there at large n).
double chernoff_exponent(std::uint64_t n, double x) {
  return 0.5 * (x - real(n) - real(n) * std::log(x / real(n)));
}
double chi_squared_below(std::uint64_t n, double x) {
  const double far = chernoff_exponent(n, x);
  return x < real(n) && far > 60 ? std::exp(-far) : cdf(boost::math::chi_squared(real(n)), x);
}
double chi_squared_above(std::uint64_t n, double x) {
  const double far = chernoff_exponent(n, x);
  return x > real(n) && far > 60 ? std::exp(-far)
                                 : cdf(complement(boost::math::chi_squared(real(n)), x));
}
}  // namespace

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

double EqualMeans::statistic(const Data& data) {
  const double off = std::abs(data.first.mean - data.second.mean), n = real(data.first.n);
  return off == 0 ? 0 : off / std::sqrt((data.first.squares + data.second.squares) / (n * (n - 1)));
}
bool EqualMeans::accepts(const Data& data, double alpha) {
  if (data.first.n != data.second.n)
    throw std::invalid_argument("evidence: two samples of different sizes");
  return data.first.n < 2 || student_accepts(2 * real(data.first.n) - 2, statistic(data), alpha);
}
double EqualMeans::miss(std::uint64_t n, double delta, double alpha) {
  return n < 2 ? 1.0 : StudentMean::miss_of(2 * real(n) - 2, delta * std::sqrt(real(n) / 2), alpha);
}

}  // namespace embedscale::properties::evidence
