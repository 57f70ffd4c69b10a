#include "proportion.hpp"

#include <boost/math/distributions/binomial.hpp>

#include <algorithm>
#include <stdexcept>

namespace embedscale::properties::evidence {

static_assert(StatisticalCheck<Proportion> && StatisticalCheck<ProportionAtMost>);

double at_most(std::uint64_t n, double p, std::uint64_t k) {
  if (k > n || !(p >= 0 && p <= 1)) throw std::invalid_argument("evidence: no binomial law");
  return cdf(boost::math::binomial(real(n), p), real(k));
}
double at_least(std::uint64_t n, double p, std::uint64_t k) {
  if (k > n || !(p >= 0 && p <= 1)) throw std::invalid_argument("evidence: no binomial law");
  return k == 0 ? 1.0 : cdf(complement(boost::math::binomial(real(n), p), real(k - 1)));
}

Interval clopper_pearson(std::uint64_t n, std::uint64_t k, double alpha) {
  using boost::math::binomial;
  const double trials = real(n), successes = real(k);
  return {k == 0 ? 0.0 : binomial::find_lower_bound_on_p(trials, successes, alpha / 2),
          k == n ? 1.0 : binomial::find_upper_bound_on_p(trials, successes, alpha / 2)};
}

std::uint64_t first_too_large(std::uint64_t n, double p, double level) {
  std::uint64_t rejected = n + 1, accepted = 0;
  while (rejected - accepted > 1) {
    const std::uint64_t k = accepted + (rejected - accepted) / 2;
    (at_least(n, p, k) <= level ? rejected : accepted) = k;
  }
  return rejected;
}

double below(std::uint64_t n, double p, std::uint64_t too_large) {
  return too_large == 0 ? 0.0 : at_most(n, p, too_large - 1);
}

bool Proportion::accepts(const Data& data, double alpha) {
  return at_most(data.n, data.p, data.successes) > alpha / 2 &&
         at_least(data.n, data.p, data.successes) > alpha / 2;
}
double Proportion::miss(std::uint64_t n, double p, double delta, double alpha) {
  const auto above = [&](double q) {
    return q + delta <= 1 ? below(n, q + delta, first_too_large(n, q, alpha / 2)) : 0.0;
  };
  return delta > std::max(p, 1 - p) ? 1.0 : std::max(above(p), above(1 - p));
}
double Proportion::smallest_effect(std::uint64_t n, Rates rates, double p) {
  return smallest_effect_by([&](double e) { return miss(n, p, e, rates.alpha); }, rates.beta,
                            std::max(p, 1 - p));
}
double Proportion::smallest_effect(const Data& data, Rates rates) {
  return smallest_effect(data.n, rates, data.p);
}
std::uint64_t Proportion::draws_for(double e, Rates rates, double p) {
  return fewest_draws([&](std::uint64_t n) { return miss(n, p, e, rates.alpha) <= rates.beta; });
}

bool ProportionAtMost::accepts(const Data& data, double alpha) {
  return at_least(data.n, data.p, data.successes) > alpha;
}
double ProportionAtMost::miss(std::uint64_t n, double p, double delta, double alpha) {
  return p + delta > 1 ? 1.0 : below(n, p + delta, first_too_large(n, p, alpha));
}
double ProportionAtMost::smallest_effect(std::uint64_t n, Rates rates, double p) {
  return smallest_effect_by([&](double e) { return miss(n, p, e, rates.alpha); }, rates.beta,
                            1 - p);
}
double ProportionAtMost::smallest_effect(const Data& data, Rates rates) {
  return smallest_effect(data.n, rates, data.p);
}
std::uint64_t ProportionAtMost::draws_for(double e, Rates rates, double p) {
  return fewest_draws([&](std::uint64_t n) { return miss(n, p, e, rates.alpha) <= rates.beta; });
}

}  // namespace embedscale::properties::evidence
