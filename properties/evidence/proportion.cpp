// Binomial tails: of trials, and of the draws on either side of a median.
#include "proportion.hpp"

#include <boost/math/distributions/binomial.hpp>

#include <algorithm>
#include <cstddef>
#include <limits>
#include <stdexcept>

#include "median.hpp"

namespace embedscale::properties::evidence {

static_assert(StatisticalCheck<Proportion> && StatisticalCheck<ProportionAtMost>);

namespace {
boost::math::binomial binomial_law(std::uint64_t n, double p, std::uint64_t k) {
  if (k > n || !(p >= 0 && p <= 1))
    throw std::invalid_argument("evidence: no binomial distribution");
  return {real(n), p};
}
/// The k >= 1 below `refused` that is refused, while k − 1 is not; `refused` where none is.
template <class Refuses>
std::uint64_t first_refused(std::uint64_t refused, Refuses refuses) {
  std::uint64_t accepted = 0;
  while (refused - accepted > 1) {
    const std::uint64_t k = accepted + (refused - accepted) / 2;
    (refuses(k) ? refused : accepted) = k;
  }
  return refused;
}
/// The probability at q that what is accepted at p as not too large is seen: all of k below the
/// first with P(K >= k; p) <= level.
double accepted_at(double q, std::uint64_t n, double p, double level) {
  const std::uint64_t too_large =
      first_refused(n + 1, [&](std::uint64_t k) { return at_least(n, p, k) <= level; });
  return at_most(n, q, too_large - 1);
}
}  // namespace

double at_most(std::uint64_t n, double p, std::uint64_t k) {
  return cdf(binomial_law(n, p, k), real(k));
}
double at_least(std::uint64_t n, double p, std::uint64_t k) {
  const auto law = binomial_law(n, p, k);
  return k == 0 ? 1.0 : cdf(complement(law, real(k - 1)));
}

Interval clopper_pearson(std::uint64_t n, std::uint64_t k, double alpha) {
  using boost::math::binomial;
  const double trials = real(n), successes = real(k);
  return {k == 0 ? 0.0 : binomial::find_lower_bound_on_p(trials, successes, alpha / 2),
          k == n ? 1.0 : binomial::find_upper_bound_on_p(trials, successes, alpha / 2)};
}

bool Proportion::accepts(const Data& data, double alpha) {
  return at_most(data.n, data.p, data.successes) > alpha / 2 &&
         at_least(data.n, data.p, data.successes) > alpha / 2;
}
double Proportion::miss(std::uint64_t n, double delta, double alpha, double p) {
  const auto above = [&](double q) {
    return q + delta <= 1 ? accepted_at(q + delta, n, q, alpha / 2) : 0.0;
  };
  return delta > largest_effect(p) ? 1.0 : std::max(above(p), above(1 - p));
}

bool ProportionAtMost::accepts(const Data& data, double alpha) {
  return at_least(data.n, data.p, data.successes) > alpha;
}
double ProportionAtMost::miss(std::uint64_t n, double delta, double alpha, double p) {
  return p + delta > 1 ? 1.0 : accepted_at(p + delta, n, p, alpha);
}

double median(std::span<const double> sorted) {
  if (sorted.empty()) throw std::invalid_argument("evidence: the median of no draws");
  const std::size_t half = sorted.size() / 2;
  return sorted.size() % 2 == 1 ? sorted[half] : (sorted[half - 1] + sorted[half]) / 2;
}

Interval median_interval(std::span<const double> sorted, double alpha) {
  const std::size_t n = sorted.size();
  const auto too_many = [&](std::uint64_t k) { return at_most(n, 0.5, k - 1) > alpha / 2; };
  const std::size_t k = first_refused(n / 2 + 1, too_many) - 1;
  constexpr double infinity = std::numeric_limits<double>::infinity();
  if (k == 0) return {-infinity, infinity};
  return {sorted[k - 1], sorted[n - k]};
}

}  // namespace embedscale::properties::evidence
