#include "nearest_row.hpp"

#include <boost/math/distributions/non_central_chi_squared.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numbers>
#include <stdexcept>

namespace embedscale::expected {

double row_within(std::uint64_t d, double lambda, double b) {
  if (!(b > 0)) return 0.0;
  return cdf(boost::math::non_central_chi_squared(static_cast<double>(d), lambda), b);
}

double any_of_others(std::uint64_t vocabulary, double one) {
  if (vocabulary < 2) return 0.0;
  return one >= 1 ? 1.0 : -std::expm1(static_cast<double>(vocabulary - 1) * std::log1p(-one));
}

// In r = √λ the density is analytic and about as wide as a normal one, so the trapezoidal rule
// converges geometrically, but for d = 2, where it has a corner at 0 and the rule is of second
// order; `error` is the change by the last halving of its step, and what the density's own sum,
// by the same rule, is off 1. As r is a 1-Lipschitz function of d normal variables, it is 38 below
// its mean with probability below e^−700.
std::vector<Misreading> misread(std::uint64_t d, double b,
                                std::span<const std::uint64_t> vocabularies) {
  if (d < 2 || !(b >= 0 && std::isfinite(b)))
    throw std::invalid_argument("expected::misread: needs d >= 2 and a finite length");
  const double step = d == 2 ? 0x1p-6 : 0.125, centre = std::sqrt(b + static_cast<double>(d));
  const double least = std::max(0.0, centre - 39), most = centre + 12;
  const auto cells = 2 * static_cast<std::size_t>(std::ceil((most - least) / (2 * step)));
  const boost::math::non_central_chi_squared law(static_cast<double>(d), b);
  std::vector<double> coarse(vocabularies.size(), 0.0), fine(coarse);
  double mass = 0;
  for (std::size_t k = cells; k > 0; --k) {  // at 0 the integrand is 0
    const double r = least + static_cast<double>(k) * step;
    const double weight = step * 2 * r * pdf(law, r * r);
    mass += weight;
    // What is passed over is below 1e−30 of what is there, as no probability is above 1.
    if (!(weight > 1e-30 * (fine.empty() ? 0.0 : *std::ranges::min_element(fine)))) continue;
    const double one = row_within(d, r * r, b);
    for (std::size_t i = 0; i < fine.size(); ++i) {
      const double part = weight * any_of_others(vocabularies[i], one);
      fine[i] += part;
      if (k % 2 == 0) coarse[i] += 2 * part;
    }
  }
  std::vector<Misreading> out;
  for (std::size_t i = 0; i < fine.size(); ++i)
    out.push_back({std::min(fine[i], 1.0),
                   std::abs(fine[i] - coarse[i]) + std::abs(mass - 1) * fine[i] + 1e-10 * fine[i]});
  return out;
}

// ln P(error) is a smooth function of √b, interpolated from Chebyshev's nodes between the smallest
// and the largest; `error` has the difference from what half as many nodes give.
std::vector<Misreading> mean_misread(std::uint64_t d, std::span<const double> lengths,
                                     std::span<const std::uint64_t> vocabularies) {
  if (lengths.empty()) throw std::invalid_argument("expected::mean_misread: no vector is added");
  const auto [low, high] = std::ranges::minmax_element(lengths);
  const double from = std::sqrt(*low), to = std::sqrt(*high);
  if (to - from <= 1e-9 * to) return misread(d, *low, vocabularies);
  constexpr std::size_t n = 8;  // cells: n + 1 nodes, of which every other one is coarse
  const auto log_of = [](double p) { return std::log(std::max(p, 1e-300)); };
  std::vector<double> nodes;
  std::vector<std::vector<double>> logs;
  std::vector<Misreading> out(vocabularies.size(), {0, 0});
  for (std::size_t k = 0; k <= n; ++k) {
    const double angle = std::numbers::pi * static_cast<double>(k) / n;
    nodes.push_back((from + to) / 2 + (to - from) / 2 * std::cos(angle));
    const auto values = misread(d, nodes.back() * nodes.back(), vocabularies);
    logs.emplace_back();
    for (std::size_t i = 0; i < values.size(); ++i) {
      logs.back().push_back(log_of(values[i].value));
      out[i].error = std::max(out[i].error, values[i].error);
    }
  }
  // Barycentric, weights (−1)^k, halved at the ends (Berrut and Trefethen 2004).
  const auto at = [&](double x, std::size_t i, std::size_t stride) {
    double above = 0, below = 0;
    for (std::size_t k = 0; k <= n; k += stride) {
      if (std::abs(x - nodes[k]) <= 1e-13 * to) return std::exp(logs[k][i]);
      const double end = k == 0 || k == n ? 0.5 : 1.0;
      const double weight = ((k / stride) % 2 == 0 ? end : -end) / (x - nodes[k]);
      above += weight * logs[k][i];
      below += weight;
    }
    return std::exp(above / below);
  };
  for (std::size_t i = 0; i < out.size(); ++i) {
    double coarse = 0;
    for (const double b : lengths) {
      out[i].value += at(std::sqrt(b), i, 1);
      coarse += at(std::sqrt(b), i, 2);
    }
    const auto count = static_cast<double>(lengths.size());
    out[i].value = out[i].value / count < 1e-290 ? 0 : out[i].value / count;
    out[i].error += std::abs(out[i].value - coarse / count);
  }
  return out;
}

}  // namespace embedscale::expected
