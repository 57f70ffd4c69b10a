#include "interval.hpp"

#include <boost/math/distributions/normal.hpp>
#include <boost/math/distributions/students_t.hpp>

#include <algorithm>
#include <cmath>
#include <limits>

namespace embedscale::properties::evidence {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

}  // namespace

double normal_deviations(double alpha) {
  return quantile(complement(boost::math::normal(), alpha / 2));
}

double student_deviations(std::uint64_t n, double alpha) {
  if (n < 2) return infinity;
  return quantile(complement(boost::math::students_t(real(n) - 1), alpha / 2));
}

Interval mean_interval(const Sample& sample, double alpha) {
  if (sample.n < 2) return {-infinity, infinity};
  const double reach =
      student_deviations(sample.n, alpha) * std::sqrt(sample.variance() / real(sample.n));
  return {sample.mean - reach, sample.mean + reach};
}

// R = x̄/ȳ, so that x − Ry has mean 0; with ρ = R + δ, (δȳ)² <= t²·s²(x − Ry − δy)/n.
Interval quotient_interval(const PairedSample& s, double alpha) {
  if (s.n < 2) return {-infinity, infinity};
  const double n = real(s.n), t = student_deviations(s.n, alpha), r = s.x / s.y;
  const double square = t * t / (n * (n - 1));
  const double apart = square * std::max(0.0, s.xx - 2 * r * s.xy + r * r * s.yy);
  const double together = square * (s.xy - r * s.yy);
  const double a = (s.y / n) * (s.y / n) - square * std::max(0.0, s.yy - s.y * s.y / n);
  if (!(a > 0)) return {-infinity, infinity};
  const double root = std::sqrt(together * together + a * apart);
  return {r - (root + together) / a, r + (root - together) / a};
}

}  // namespace embedscale::properties::evidence
