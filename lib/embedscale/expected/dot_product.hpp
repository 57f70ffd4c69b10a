#pragma once
// The law of z = <q, k> over d channels, all entries of q and k independent N(0, 1).
//
// Given k, z is normal of variance R² = |k|², and R² is chi-squared with d degrees of freedom, so
//
//   P(z > x) = E Q(x/R)        Q(t) = P(N(0, 1) > t)
//   f(x)     = |x|^ν K_ν(|x|) / (√π Γ(d/2) 2^ν),  ν = (d − 1)/2     K: Bessel's, second kind
//   E z² = E R² = d            E z⁴ = 3 E R⁴ = 3 (d² + 2d)
//
// With R = √d e^y the density of y is proportional to exp(d (y − (e^{2y} − 1)/2)): analytic, of
// deviation 1/√(2d), and bounded for |Im y| < π/4, as is Q(x e^{−y}). The trapezoidal rule of step
// h then errs by about 2 exp(−π²/(2h)), and on a bell of that deviation by 2 exp(−π²/(d h²)).
#include <boost/math/special_functions/bessel.hpp>
#include <boost/math/tools/minima.hpp>

#include <cmath>
#include <cstdint>
#include <numbers>
#include <stdexcept>
#include <vector>

namespace embedscale::expected {

/// P(N(0, 1) > t), without cancellation for t > 0.
inline double normal_above(double t) { return 0.5 * std::erfc(t / std::numbers::sqrt2); }

class NormalProduct {
 public:
  /// Errors    std::invalid_argument where d is 0.
  explicit NormalProduct(std::uint64_t d) : d_(static_cast<double>(d)) {
    if (d == 0) throw std::invalid_argument("NormalProduct: d is 0");
    // exp(−π²/(2h)) = 4e−22 at h = 0.1, and exp(−π²/(d h²)) = 1e−27 at h = 0.4/√d; what is left out
    // at either end has weight below exp(−40).
    const double h = std::min(0.1, 0.4 / std::sqrt(d_));
    const auto exponent = [this](double y) { return d_ * (y - 0.5 * std::expm1(2.0 * y)); };
    double sum = 0.0;
    for (const double side : {-1.0, 1.0})
      for (double y = side < 0 ? -h : 0.0; exponent(y) > -40.0; y += side * h)
        nodes_.push_back({std::sqrt(d_) * std::exp(y), std::exp(exponent(y))});
    for (const auto& node : nodes_) sum += node.weight;
    for (auto& node : nodes_) node.weight /= sum;
  }

  /// P(z > x).
  ///
  /// Ensures   an absolute error below 1e−13, for |x| >= 1e−4: below that the weight left out at
  ///           small R matters to the density alone.
  double above(double x) const {
    if (x < 0.0) return 1.0 - above(-x);
    double sum = 0.0;
    for (const auto& [r, weight] : nodes_)
      if (x < 9.0 * r) sum += weight * normal_above(x / r);  // Q(9) = 1e−19
    return sum;
  }
  double cumulative(double x) const { return above(-x); }

  /// The density, by Bessel's function; ∞ at x = 0 for d = 1, where it grows as −ln|x|.
  ///
  /// Requires  d <= 128, where nothing over- or underflows at 1e−2 <= |x| <= 100, nor at x = 0.
  double density(double x) const {
    using boost::math::cyl_bessel_k;
    const double order = 0.5 * (d_ - 1.0), size = std::abs(x);
    const double log_constant = 0.5 * std::log(std::numbers::pi) + std::lgamma(0.5 * d_);
    if (size == 0.0)
      return d_ == 1.0 ? HUGE_VAL : 0.5 * std::exp(std::lgamma(order) - log_constant);
    return std::exp(order * std::log(0.5 * size) - log_constant) * cyl_bessel_k(order, size);
  }

  /// E z² and E z⁴/(E z²)², as integrals over R: what the closed forms d and 3 + 6/d are tested by.
  double variance() const { return radius_moment(2); }
  double kurtosis() const { return 3.0 * radius_moment(4) / (variance() * variance()); }

  /// sup |P(z <= x) − Φ(x/√d)|: how far the law is from the normal one of its variance. Both are
  /// symmetric; on the side of x > 0 the difference has its largest lobe before t = √3, as the
  /// first term of Edgeworth's expansion, (t³ − 3t) φ(t)/(4d), has.
  double distance_to_normal() const {
    const auto negative = [this](double t) {
      return above(t * std::sqrt(d_)) - normal_above(t);  // more weight near 0, so less beyond t
    };
    return -boost::math::tools::brent_find_minima(negative, 1e-2, 1.7, 40).second;
  }

 private:
  struct Node {
    double r, weight;
  };
  double radius_moment(int power) const {
    double sum = 0.0;
    for (const auto& [r, weight] : nodes_) sum += weight * std::pow(r, power);
    return sum;
  }
  double d_;
  std::vector<Node> nodes_;
};

}  // namespace embedscale::expected
