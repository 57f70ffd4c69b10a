#pragma once
// The softmax over n independent logits z_i = s ξ_i, ξ_i ~ N(0, 1): E ln Σ exp(z_i) and the mean of
// its entropy, by quadrature in the place of draws.
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
// F, p and e are means over ξ for s <= 1 and over G for s > 1, by the same rule, the other variable
// having been integrated out. In |Im| < π/2, exp(−exp(−y)) stays bounded and a normal density of
// deviation >= 1 grows by exp(π²/8) at most: the step 1/5 leaves 2M exp(−10πd), 2e−19 M at d = 1.4.
// 1 − F is a sum of positive terms, and F^{n−1} = exp((n − 1) log1p(−(1 − F))) good at any n.
#include <boost/math/special_functions/erf.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <numbers>
#include <stdexcept>
#include <vector>

namespace embedscale::expected {

struct Expectation {
  double value, error;  ///< |value − exact| <= error
};
struct Softmax {
  Expectation log_sum_exp, entropy;  ///< in nats
};

namespace detail {
constexpr double euler = std::numbers::egamma;
constexpr double cut = 40.0;  // what is left out of a law has probability exp(−40) = 4e−18

inline double normal_density(double t) {
  return std::exp(-0.5 * t * t) / std::sqrt(2.0 * std::numbers::pi);
}

/// The law of X/unit, unit = max(1, s), so that nothing overflows before E ln Z does.
struct PerturbedLogit {
  struct Slice {
    double above = 0.0, density = 0.0, excess = 0.0;  // 1 − F, p, e
  };
  struct Node {
    double at, weight;
  };
  double s;
  std::vector<Node> nodes;

  PerturbedLogit(double deviation, double n) : s(deviation) {
    constexpr double step = 0.2;
    if (s <= 1.0) {  // to √(2 cut) + 1: where X is large, ξ is weighed by exp(sξ)
      for (int k = -50; k <= 50; ++k) nodes.push_back({step * k, step * normal_density(step * k)});
    } else {  // P(G < −ln cut) = exp(−cut); P(G > y) < exp(−y), and n times it matters
      for (double y, k = -19.0; (y = step * k) < std::log(n) + cut; ++k)
        nodes.push_back({y, step * std::exp(-y - std::exp(-y))});
    }
  }

  Slice at(double x) const {
    Slice sum;
    const auto add = [&sum](double above, double density, double excess) {
      sum.above += above;
      sum.density += density;
      sum.excess += excess;
    };
    if (s <= 1.0) {
      for (const auto& [xi, weight] : nodes) {
        const double y = x - s * xi, u = std::exp(-y), density = weight * u * std::exp(-u);
        add(-weight * std::expm1(-u), density, (y - euler) * density);
      }
      return sum;
    }
    // In e = E[(G − γ) φ(t)], t = x − G/s, φ(t) − φ(x) may stand for φ(t), as E G = γ. It is of the
    // order 1/s, like E H, and taken without cancellation.
    const double centre = normal_density(x);
    for (const auto& [y, weight] : nodes) {
      const double shift = y / s, t = x - shift, density = normal_density(t);
      const double log_ratio = shift * (x - 0.5 * shift);  // ln φ(t) − ln φ(x)
      const double difference =
          log_ratio > 0.0 ? -density * std::expm1(-log_ratio) : centre * std::expm1(log_ratio);
      add(0.5 * weight * std::erfc(t / std::numbers::sqrt2), weight * density,
          weight * (y - euler) * difference);
    }
    return sum;
  }
};

/// From where to where max X/unit lies, but for a probability of a few exp(−cut).
///
/// max X > b with P <= n E exp(z − b) = exp(−cut) at b = tail + s²/2; at b = tail + s √(2 tail), G
/// or ξ exceeds its part. max X < a takes the largest ξ or the G beside it, and the largest G or
/// the ξ beside it, to be below its part, P <= exp(−cut) each.
struct Ends {
  double a, b;
};
inline Ends ends(double s, double count) {
  const double unit = std::max(1.0, s), spread = s / unit, tail = std::log(count) + cut;
  const double most = std::numbers::sqrt2 * boost::math::erfc_inv(-2.0 * std::expm1(-cut / count));
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
};
}  // namespace detail

/// E ln Σ exp(z_i) and E H, H the entropy of w_i = exp(z_i)/Z, of n logits z_i ~ N(0, s²).
///
/// Ensures   error covers the change by the last halving, far above what the next one would change,
///           and rounding: ε for each of the additions, times ∫|integrand|. For s <= 1e250 it is
///           below 3e−13 of the value.
/// Errors    std::invalid_argument where s is negative or not finite, or n is 0.
/// Source    the head of this file; for the trick, Maddison, Tarlow and Minka 2014.
inline Softmax softmax(double s, std::uint64_t n) {
  if (!(s >= 0.0 && std::isfinite(s)))
    throw std::invalid_argument("expected::softmax: s needs to be finite and >= 0");
  if (n == 0) throw std::invalid_argument("expected::softmax: n is 0");
  if (n == 1) return {{0.0, 0.0}, {0.0, 0.0}};  // E z, and a single weight 1
  const double count = static_cast<double>(n), unit = std::max(1.0, s);
  const detail::PerturbedLogit logit(s, count);

  const auto [a, b] = detail::ends(s, count);

  detail::Trapezoidal log_sum_exp, entropy;
  std::size_t cells = 1;
  for (double step = b - a; cells <= 4096; cells *= 2) {
    for (std::size_t j = 0; j < cells; ++j) {
      const double x = a + (static_cast<double>(j) + 0.5) * step;
      const auto [above, density, excess] = logit.at(x);
      if (above >= 1.0) continue;  // F = 0, to rounding
      const double others = count * std::exp((count - 1.0) * std::log1p(-above));
      log_sum_exp.add(others * (x - detail::euler / unit) * density);
      entropy.add(others * excess);
    }
    step *= 0.5;
    log_sum_exp.halve_to(step);
    entropy.halve_to(step);
    if (cells >= 32 && log_sum_exp.converged() && entropy.converged()) break;
  }
  const double additions = static_cast<double>(2 * cells + logit.nodes.size());
  const double rounding = additions * std::numeric_limits<double>::epsilon();
  const auto expectation = [=](const detail::Trapezoidal& rule, double factor) -> Expectation {
    return {factor * rule.value, factor * (rule.change + rounding * rule.scale)};
  };
  return {expectation(log_sum_exp, unit), expectation(entropy, 1.0)};
}

}  // namespace embedscale::expected
