// Expectations over a softmax, by quadrature.
//
// Gumbel's trick makes one dimension of n. With Z = Σ exp(z_i) and independent standard Gumbel G_i,
// max (z_i + G_i) is ln Z + G in law, and its argmax A is i with probability w_i = exp(z_i)/Z. As
// H = −Σ w_i ln w_i = ln Z − Σ w_i z_i and E G = γ, Euler's constant, X_i = z_i + G_i have
//
//   E ln Z = E X_A − γ          E H = E ln Z − E z_A = E G_A − γ.
//
// Let F be the distribution of X and p its density: max X has n F^{n−1} p, so that
//
//   E ln Z = ∫ n F^{n−1}(x) (x − γ) p(x) dx         e(x) dx = E[(G − γ); X in dx]
//   E H    = ∫ n F^{n−1}(x) e(x) dx
//
// and E H is no difference of large numbers, as E ln Z − s d/ds E ln Z would be. Both integrands
// are analytic and vanish at ±∞: halving the trapezoidal rule's step h squares its error, about
// 2M exp(−2πd/h) where they stay integrable to M along |Im x| = d (Trefethen and Weideman 2014).
//
// F, p and e are means over ξ for s <= 2 and over G for s > 2, by the same rule, the other variable
// having been integrated out. In |Im| < π/2, exp(−exp(−y)) stays bounded and a normal density of
// deviation >= 1 grows by exp(π²/8) at most: the step 1/5 leaves 2M exp(−10πd), 2e−19 M at d = 1.4.
// Over ξ with s > 1, y = x − sξ goes s times as far, and the step 1/10 does that for s <= 2.
// 1 − F is a sum of positive terms, and F^{n−1} = exp((n − 1) log1p(−(1 − F))) good at any n.
//
// As 1/Z² = ∫ t exp(−tZ) dt over t > 0, with t = exp(−x), u_i = exp(z_i − x) and F = E exp(−u),
//
//   E Σ w² = n ∫ F^{n−1}(x) E[u² exp(−u)] dx.
#include "softmax.hpp"

#include <boost/math/special_functions/erf.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <limits>
#include <numbers>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "normal_density.hpp"
#include "remembered.hpp"
#include "softmax_weights.hpp"

namespace embedscale::expected {
namespace {

/// The law of X/unit, unit = max(1, s), so that nothing overflows before E ln Z does.
class PerturbedLogit {
 public:
  PerturbedLogit(double deviation, double n) : s_(deviation), unit_(std::max(1.0, deviation)) {
    if (is_narrow()) {  // to √(2 cut) + 2s: where X is large, ξ is weighed by exp(sξ), squares by
                        // exp(2sξ)
      const double step = s_ <= 1.0 ? 0.2 : 0.1;
      const int reach = s_ <= 1.0 ? 55 : 130;
      for (int k = -reach; k <= reach; ++k)
        nodes_.push_back(
            {step * k, step * normal_density(step * k), std::exp(deviation * (step * k))});
    } else {
      constexpr double step =
          0.2;  // P(G < −ln cut) = exp(−cut); P(G > y) < exp(−y), and n times it matters
      for (double y, k = -19.0; (y = step * k) < std::log(n) + cut; ++k)
        nodes_.push_back({y, step * std::exp(-y - std::exp(-y)), std::exp(-y)});
    }
  }
  std::size_t size() const { return nodes_.size(); }

  struct Slice {
    double above = 0.0, density = 0.0, excess = 0.0, square = 0.0;  // 1 − F, p, e, E[u² exp(−u)]
  };
  Slice at(double x) const {
    Slice sum;
    const auto add = [&sum](double above, double density, double excess, double square) {
      sum.above += above;
      sum.density += density;
      sum.excess += excess;
      sum.square += square;
    };
    if (is_narrow()) {
      const double factor = std::exp(-unit_ * x);
      for (const auto& [xi, node_weight, lift] : nodes_) {
        const double y = unit_ * x - s_ * xi, u = factor * lift, less_one = std::expm1(-u);
        const double weight = unit_ * node_weight, density = weight * u * (1.0 + less_one);
        add(-node_weight * less_one, density, (y - std::numbers::egamma) * density,
            weight * u * u * (1.0 + less_one));
      }
      return sum;
    }
    // In e = E[(G − γ) φ(t)], t = x − G/s, φ(t) − φ(x) may stand for φ(t), as E G = γ. It is of the
    // order 1/s, like E H, and taken without cancellation. The weight of y, which is sx − z here,
    // has u·exp(−u) in it, u = exp(−y).
    const double centre = normal_density(x);
    for (const auto& [y, weight, u] : nodes_) {
      const double shift = y / s_, t = x - shift, density = normal_density(t);
      const double log_ratio = shift * (x - 0.5 * shift);  // ln φ(t) − ln φ(x)
      const double difference =
          log_ratio > 0.0 ? -density * std::expm1(-log_ratio) : centre * std::expm1(log_ratio);
      add(0.5 * weight * std::erfc(t / std::numbers::sqrt2), weight * density,
          weight * (y - std::numbers::egamma) * difference, weight * u * density);
    }
    return sum;
  }

 private:
  // lift: exp(sξ), or exp(−G). With the first a node takes one function of the C library, expm1:
  // the u·2^−53 that 1 + expm1(−u) may be off by beside exp(−u) counts where u is large, and there
  // F^{n−1} is nearly 0.
  struct Node {
    double at, weight, lift;
  };
  bool is_narrow() const { return s_ <= 2.0; }

  double s_, unit_;
  std::vector<Node> nodes_;
};

/// The x that all of n standard normals are below with probability exp(−cut).
double least_largest(double n) {
  return std::numbers::sqrt2 * boost::math::erfc_inv(-2.0 * std::expm1(-cut / n));
}

/// From where to where max X/unit lies, but for a probability of a few exp(−cut).
struct Ends {
  double a, b;
};
// max X > b with P <= n E exp(z − b) = exp(−cut) at b = tail + s²/2; at b = tail + s √(2 tail), G
// or ξ exceeds its part. max X < a takes the largest ξ or the G beside it, and the largest G or
// the ξ beside it, to be below its part, P <= exp(−cut) each.
Ends ends(double s, double count) {
  const double unit = std::max(1.0, s), spread = s / unit, tail = std::log(count) + cut;
  const double most = least_largest(count);
  return {std::max(spread * most - std::log(cut) / unit,
                   std::log(count / cut) / unit - spread * std::sqrt(2.0 * cut)),
          tail / unit + spread * std::min(0.5 * s, std::sqrt(2.0 * tail))};
}

/// A trapezoidal rule, and the same for |y|, before and after the last halving of the step.
struct Trapezoidal {
  double sum = 0.0, magnitude = 0.0, value = 0.0, scale = 0.0, change = 0.0;
  void add(double y) { sum += y, magnitude += std::abs(y); }
  void halve_to(double step) {
    change = std::abs(step * sum - value);
    value = step * sum, scale = step * magnitude;
  }
  bool converged() const { return change <= 0x1p-46 * scale; }
  /// `factor` times the integral; `rounding`: of its magnitude.
  Expectation expectation(double rounding, double factor) const {
    return {factor * value, factor * (change + rounding * scale)};
  }
};

/// Halves the step of the rules until they have converged: at each x add(x, F^{n−1}(x), law) adds
/// to them. Returns what rounding may take of their magnitudes.
template <std::size_t count, class Add>
double integrate(std::array<Trapezoidal, count>& rules, double s, double n, Add add) {
  const PerturbedLogit logit(s, n);
  const auto [a, b] = ends(s, n);
  std::size_t cells = 1;
  for (double step = b - a; cells <= 4096; cells *= 2) {
    for (std::size_t j = 0; j < cells; ++j) {
      const double x = a + (static_cast<double>(j) + 0.5) * step;
      const auto law = logit.at(x);
      if (law.above >= 1.0) continue;  // F = 0, to rounding
      add(x, std::exp((n - 1.0) * std::log1p(-law.above)), law);
    }
    step *= 0.5;
    for (auto& rule : rules) rule.halve_to(step);
    if (cells >= 32 && std::ranges::all_of(rules, &Trapezoidal::converged)) break;
  }
  return static_cast<double>(2 * cells + logit.size()) * std::numeric_limits<double>::epsilon();
}

double checked_count(const char* what, double s, std::uint64_t n) {
  if (!(s >= 0.0 && std::isfinite(s) && n > 0))
    throw std::invalid_argument(std::string(what) + ": s needs to be finite and >= 0, n >= 1");
  return static_cast<double>(n);
}

}  // namespace

LogSumExpAndEntropy log_sum_exp_and_entropy(double s, std::uint64_t n) {
  const double count = checked_count("expected::log_sum_exp_and_entropy", s, n);
  if (n == 1) return {{0.0, 0.0}, {0.0, 0.0}};  // E z, and a single weight 1
  thread_local Remembered<std::pair<double, std::uint64_t>, LogSumExpAndEntropy> remembered;
  return remembered.of({s, n}, [&]() -> LogSumExpAndEntropy {
    const double unit = std::max(1.0, s);
    std::array<Trapezoidal, 2> rules;
    auto &log_sum_exp = rules[0], &entropy = rules[1];
    const double rounding =
        integrate(rules, s, count, [&](double x, double power, const auto& law) {
          const double others = count * power;
          log_sum_exp.add(others * (x - std::numbers::egamma / unit) * law.density);
          entropy.add(others * law.excess);
        });
    return {log_sum_exp.expectation(rounding, unit), entropy.expectation(rounding, 1.0)};
  });
}

Expectation sum_of_squares(double s, std::uint64_t n) {
  const double count = checked_count("expected::sum_of_squares", s, n);
  if (n == 1) return {1.0, 0.0};
  std::array<Trapezoidal, 1> rules;
  const double rounding = integrate(rules, s, count, [&](double, double power, const auto& law) {
    rules[0].add(count * law.square * power);
  });
  return rules[0].expectation(rounding, 1.0);
}

}  // namespace embedscale::expected
