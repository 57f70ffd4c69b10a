#include "power_law.hpp"

#include <boost/math/tools/minima.hpp>

#include <algorithm>
#include <cmath>
#include <vector>

namespace embedscale::properties::evidence {

static_assert(StatisticalCheck<PowerLawExponent<64, 1024>>);

namespace {
std::vector<double> weights(std::span<const std::uint64_t> widths) {
  std::vector<double> w(widths.size());
  double mean = 0, sum = 0;
  for (const auto d : widths) mean += std::log(real(d)) / static_cast<double>(w.size());
  for (std::size_t i = 0; i < w.size(); ++i) w[i] = std::log(real(widths[i])) - mean;
  for (const double l : w) sum += l * l;
  for (double& l : w) l /= sum;
  return w;
}

/// ln of Chernoff's bound on P(Σ wε >= t), or on P(Σ wε <= −t) at side −1, for t > 0.
double log_tail(std::span<const double> w, std::uint64_t n, double t, double side) {
  double steepest = 0;  // θ·side·w_i > −n
  for (const double l : w) steepest = std::max(steepest, -side * l);
  const auto exponent = [&](double theta) {
    double sum = -theta * t;
    for (const double l : w) {
      const double h = theta * side * l / 2, half = real(n) / 2;
      sum += h * std::log(1 / half) + std::lgamma(half + h) - std::lgamma(half);
    }
    return sum;
  };
  // Any θ gives a bound; the minimum of a convex function, the best.
  const double end = 0.999999 * real(n) / steepest;
  return std::min(0.0, boost::math::tools::brent_find_minima(exponent, 0.0, end, 24).second);
}
}  // namespace

double LogLogSlope::operator()(std::span<const double> squares) const {
  const auto w = weights(widths_);
  double sum = 0;
  for (std::size_t i = 0; i < w.size(); ++i) sum += 0.5 * w[i] * std::log(squares[i]);
  return sum;
}

bool LogLogSlope::accepts(std::uint64_t n, double off, double alpha) const {
  if (n == 0) return true;
  if (!std::isfinite(off)) return false;
  return off == 0 ||
         log_tail(weights(widths_), n, std::abs(off), off > 0 ? 1 : -1) > std::log(alpha / 2);
}

double LogLogSlope::smallest_effect(std::uint64_t n, Rates rates) const {
  const auto w = weights(widths_);
  const auto reach = [&](double rate, double side) {
    return smallest_effect_by([&](double t) { return log_tail(w, n, t, side); }, std::log(rate),
                              64);
  };
  return std::max(reach(rates.alpha / 2, 1) + reach(rates.beta, -1),
                  reach(rates.alpha / 2, -1) + reach(rates.beta, 1));
}

}  // namespace embedscale::properties::evidence
