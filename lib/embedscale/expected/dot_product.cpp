#include "dot_product.hpp"

#include <boost/math/special_functions/bessel.hpp>
#include <boost/math/tools/minima.hpp>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <stdexcept>

namespace embedscale::expected {

double normal_above(double t) { return 0.5 * std::erfc(t / std::numbers::sqrt2); }

// With R = √d e^y the density of y is proportional to exp(d (y − (e^{2y} − 1)/2)): analytic, of
// deviation 1/√(2d), and bounded for |Im y| < π/4, as is Q(x e^{−y}). The trapezoidal rule of step
// h then errs by about 2 exp(−π²/(2h)), and on a bell of that deviation by 2 exp(−π²/(d h²)).
NormalProduct::NormalProduct(std::uint64_t d) : d_(static_cast<double>(d)) {
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

double NormalProduct::above(double x) const {
  if (x < 0.0) return 1.0 - above(-x);
  double sum = 0.0;
  for (const auto& [r, weight] : nodes_)
    if (x < 9.0 * r) sum += weight * normal_above(x / r);  // Q(9) = 1e−19
  return sum;
}

double NormalProduct::density(double x) const {
  const double order = 0.5 * (d_ - 1.0), size = std::abs(x);
  const double log_constant = 0.5 * std::log(std::numbers::pi) + std::lgamma(0.5 * d_);
  if (size == 0.0) return d_ == 1.0 ? HUGE_VAL : 0.5 * std::exp(std::lgamma(order) - log_constant);
  return std::exp(order * std::log(0.5 * size) - log_constant) *
         boost::math::cyl_bessel_k(order, size);
}

double NormalProduct::variance() const { return radius_moment(2); }
double NormalProduct::kurtosis() const {
  return 3.0 * radius_moment(4) / (variance() * variance());
}

// Both laws are symmetric; on the side of x > 0 the difference has its largest lobe before t = √3,
// as the first term of Edgeworth's expansion, (t³ − 3t) φ(t)/(4d), has.
double NormalProduct::distance_to_normal() const {
  const auto negative = [this](double t) {
    return above(t * std::sqrt(d_)) - normal_above(t);  // more weight near 0, so less beyond t
  };
  return -boost::math::tools::brent_find_minima(negative, 1e-2, 1.7, 40).second;
}

double NormalProduct::radius_moment(int power) const {
  double sum = 0.0;
  for (const auto& [r, weight] : nodes_) sum += weight * std::pow(r, power);
  return sum;
}

}  // namespace embedscale::expected
