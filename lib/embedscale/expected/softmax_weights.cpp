// perturbed_logit.hpp has the notation.
//
// As 1/Z² = ∫ t exp(−tZ) dt over t > 0, with t = exp(−x), u_i = exp(z_i − x) and F = E exp(−u),
//
//   E Σ w² = n ∫ F^{n−1}(x) E[u² exp(−u)] dx.
//
// The largest logit is z = sξ with density n φ(ξ) Φ^{n−1}(ξ), and 1/Z = ∫ exp(−tZ) dt. With t
// measured in units of exp(−z), t = θ exp(z), all others being smaller than z,
//
//   E max w = n ∫∫ φ(ξ) t exp(−t) [∫_{η < ξ} φ(η) exp(−θ exp(sη)) dη]^{n−1} dξ d ln θ
//
// whose bracket is 1 − Q(ξ) − D(ξ), Q = 1 − Φ and D = ∫_{η < ξ} φ(η)(1 − exp(−θ exp(sη))) dη: sums
// of positive terms, good at any n. Both outer integrals by the trapezoidal rule (exp(−exp(x)) is
// tame in |Im x| < π/2), D by Gauss's rule with five nodes on each of its steps.
#include "softmax_weights.hpp"

#include "perturbed_logit.hpp"

#include <boost/math/quadrature/gauss.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <limits>
#include <numbers>
#include <stdexcept>
#include <string>
#include <vector>

namespace embedscale::expected {
namespace {

using detail::cut, detail::normal_density, detail::PerturbedLogit;

// E[u² exp(−u)] beside 1 − F, at x in units of max(1, s).
struct Pair {
  double above = 0.0, twice = 0.0;
};
Pair pair_at(const PerturbedLogit& logit, double x) {
  Pair sum;
  for (const auto& [at, weight] : logit.nodes) {
    if (logit.s <= 1.0) {  // at = ξ
      const double u = std::exp(logit.s * at - x);
      sum.above -= weight * std::expm1(-u);
      sum.twice += weight * u * u * std::exp(-u);
    } else {  // at = x − z, in the weight with its density; exp(−at) makes u of it
      const double t = x - at / logit.s;
      sum.above += 0.5 * weight * std::erfc(t / std::numbers::sqrt2);
      sum.twice += weight * std::exp(-at) * normal_density(t);
    }
  }
  return sum;
}

// E max w with steps of `step` in ln θ and of step/max(s, √(2 ln n), 1) in ξ: Φ^n rises like
// exp(−exp(−√(2 ln n) x)), and exp(−t) falls like exp(−exp(sx)).
class LargestWeight {
 public:
  LargestWeight(double s, double n, double step) : s_(s), n_(n), step_(step) {
    const double h = step / std::max({s, std::sqrt(2.0 * std::log(n)), 1.0});
    const double most = std::sqrt(2.0 * (std::log(n) + cut));  // P(max ξ > most) < exp(−cut)
    const double least = detail::least_largest(n);
    for (double left = -9.5; left < most; left += h) {  // Φ(−9.5) = 1e−21
      Panel panel{.end = left + h, .outer = left + h >= least};
      for (std::size_t k = 0; k < gauss.size(); ++k) {
        panel.eta[k] = left + 0.5 * h * (1.0 + gauss[k].at);
        panel.weight[k] = 0.5 * h * gauss[k].weight * normal_density(panel.eta[k]);
      }
      panel.density = h * normal_density(panel.end);
      panel.beyond = 0.5 * std::erfc(panel.end / std::numbers::sqrt2);
      panels_.push_back(panel);
    }
    first_ = std::max(least, -9.5), last_ = most + h;
  }

  double value() const {
    // t < exp(lowest) is less than 1e−13 of max w >= 1/n; t > exp(highest) has exp(−t) < exp(−cut).
    const double lowest = -30.0 - std::log(n_), highest = std::log(cut);
    double sum = 0.0;
    for (double x = lowest - s_ * last_; x < highest - s_ * first_; x += step_)
      sum += step_ * over_largest(x, lowest, highest);
    return n_ * sum;
  }

 private:
  struct Panel {
    double end;
    bool outer;
    std::array<double, 5> eta{}, weight{};
    double density = 0.0, beyond = 0.0;
  };
  // ∫ dξ at ln θ = x.
  double over_largest(double x, double lowest, double highest) const {
    double sum = 0.0, below = 0.0;  // below: D
    for (const auto& panel : panels_) {
      const double log_t = x + s_ * panel.end;
      if (log_t > highest + step_) break;  // step_: D of the last t wants its panels
      if (log_t < lowest - cut) continue;  // n D is below exp(−30 − cut)
      for (std::size_t k = 0; k < panel.eta.size(); ++k)
        below -= panel.weight[k] * std::expm1(-std::exp(x + s_ * panel.eta[k]));
      const double gone = panel.beyond + below;
      if (!panel.outer || log_t < lowest || gone >= 1.0) continue;
      sum += panel.density * std::exp(log_t - std::exp(log_t) + (n_ - 1.0) * std::log1p(-gone));
    }
    return sum;
  }
  struct Node {
    double at, weight;
  };
  static std::array<Node, 5> nodes() {
    using Rule = boost::math::quadrature::gauss<double, 5>;
    const auto& x = Rule::abscissa();  // 0 and the positive ones
    const auto& w = Rule::weights();
    return {{{-x[2], w[2]}, {-x[1], w[1]}, {x[0], w[0]}, {x[1], w[1]}, {x[2], w[2]}}};
  }
  inline static const std::array<Node, 5> gauss = nodes();
  double s_, n_, step_, first_ = 0.0, last_ = 0.0;
  std::vector<Panel> panels_;
};

double checked_count(const char* what, double s, std::uint64_t n) {
  if (!(s >= 0.0 && std::isfinite(s) && n > 0))
    throw std::invalid_argument(std::string(what) + ": s needs to be finite and >= 0, n >= 1");
  return static_cast<double>(n);
}
}  // namespace

Expectation sum_of_squares(double s, std::uint64_t n) {
  const double count = checked_count("expected::sum_of_squares", s, n);
  if (n == 1) return {1.0, 0.0};
  const detail::PerturbedLogit logit(s, count);
  const auto [a, b] = detail::ends(s, count);
  detail::Trapezoidal rule;
  std::size_t cells = 1;
  for (double step = b - a; cells <= 4096; cells *= 2) {
    for (std::size_t j = 0; j < cells; ++j) {
      const auto [above, twice] = pair_at(logit, a + (static_cast<double>(j) + 0.5) * step);
      if (above < 1.0) rule.add(count * twice * std::exp((count - 1.0) * std::log1p(-above)));
    }
    step *= 0.5;
    rule.halve_to(step);
    if (cells >= 32 && rule.converged()) break;
  }
  const double additions = static_cast<double>(2 * cells + logit.nodes.size());
  const double rounding = additions * std::numeric_limits<double>::epsilon();
  return {rule.value, rule.change + rounding * rule.scale};
}

Expectation largest_weight(double s, std::uint64_t n) {
  const double count = checked_count("expected::largest_weight", s, n);
  if (n == 1) return {1.0, 0.0};
  if (s == 0.0) return {1.0 / count, std::numeric_limits<double>::epsilon() / count};
  const double coarse = LargestWeight(s, count, 0.35).value();
  const double fine = LargestWeight(s, count, 0.25).value();
  return {fine, std::abs(fine - coarse) + 1e-12 * fine};
}

}  // namespace embedscale::expected
