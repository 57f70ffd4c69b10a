#pragma once
// The quadrature behind softmax.hpp and softmax_weights.hpp.
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
#include <cmath>
#include <vector>

namespace embedscale::expected::detail {

constexpr double cut = 40.0;  // what is left out of a law has probability exp(−40) = 4e−18

double normal_density(double t);

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

  PerturbedLogit(double deviation, double n);
  Slice at(double x) const;
};

/// From where to where max X/unit lies, but for a probability of a few exp(−cut).
struct Ends {
  double a, b;
};
Ends ends(double s, double count);

/// The x that all of n standard normals are below with probability exp(−cut).
double least_largest(double n);

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

}  // namespace embedscale::expected::detail
