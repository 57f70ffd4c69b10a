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

double StudentMean::statistic(const Data& data) {
  const double off = distance(data.null, data.sample.mean);
  return off == 0 ? 0 : off / std::sqrt(data.sample.variance() / real(data.sample.n));
}
bool StudentMean::accepts(const Data& data, double alpha) {
  // Below two draws nothing is known of σ, and smallest_effect says so.
  if (data.sample.n < 2) return true;
  const double t = statistic(data);
  return std::isfinite(t) && cdf(boost::math::students_t(real(data.sample.n) - 1), -t) > alpha / 2;
}
// Where the noncentrality λ is above 10 c + 100, the miss is less than P(Z + λ <= 3c) + P(s > 3σ),
// whose terms are below Φ(−100) and, by Chernoff, exp(−2.9 ν): 0 from 1000 degrees on.
double StudentMean::miss(std::uint64_t n, double delta, double alpha) {
  if (n < 2) return 1.0;
  const double degrees = real(n) - 1, noncentrality = delta * std::sqrt(real(n));
  const double c = quantile(complement(boost::math::students_t(degrees), alpha / 2));
  if (degrees >= 1000 && noncentrality > 10 * c + 100) return 0;
  return cdf(boost::math::non_central_t(degrees, noncentrality), c);
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

}  // namespace embedscale::properties::evidence
