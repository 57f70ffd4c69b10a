#pragma once
// The law of z = <q, k> over d channels, all entries of q and k independent N(0, 1).
//
// Given k, z is normal of variance R² = |k|², and R² is chi-squared with d degrees of freedom, so
//
//   P(z > x) = E Q(x/R)        Q(t) = P(N(0, 1) > t)
//   f(x)     = |x|^ν K_ν(|x|) / (√π Γ(d/2) 2^ν),  ν = (d − 1)/2     K: Bessel's, second kind
//   E z² = E R² = d            E z⁴ = 3 E R⁴ = 3 (d² + 2d)
#include <cstdint>
#include <vector>

namespace embedscale::expected {

/// P(N(0, 1) > t), without cancellation for t > 0.
double normal_above(double t);

class NormalProduct {
 public:
  /// Errors    std::invalid_argument where d is 0.
  explicit NormalProduct(std::uint64_t d);

  /// P(z > x).
  ///
  /// Ensures   an absolute error below 1e−13, for |x| >= 1e−4: below that the weight left out at
  ///           small R matters to the density alone.
  double above(double x) const;

  /// The density, by Bessel's function; ∞ at x = 0 for d = 1, where it grows as −ln|x|.
  ///
  /// Requires  d <= 128, where nothing over- or underflows at 1e−2 <= |x| <= 100, nor at x = 0.
  double density(double x) const;

  /// E z² and E z⁴/(E z²)², as integrals over R: what the closed forms d and 3 + 6/d are tested by.
  double variance() const;
  double kurtosis() const;

  /// sup |P(z <= x) − Φ(x/√d)|: how far the law is from the normal one of its variance.
  double distance_to_normal() const;

 private:
  struct Node {
    double r, weight;
  };
  double radius_moment(int power) const;

  double d_;
  std::vector<Node> nodes_;  ///< of the integral over R
};

}  // namespace embedscale::expected
