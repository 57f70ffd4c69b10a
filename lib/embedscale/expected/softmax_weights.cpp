// How concentrated a softmax is expected to be: E max w, by quadrature, and the trace of its
// Jacobian. E Σw² is in softmax.cpp, with the integral that it is one of.
//
// The largest logit is z = sξ with density n φ(ξ) Φ^{n−1}(ξ), and 1/Z = ∫ exp(−tZ) dt. With t
// measured in units of exp(−z), t = θ exp(z), all others being smaller than z,
//
//   E max w = n ∫∫ φ(ξ) t exp(−t) [∫_{η < ξ} φ(η) exp(−θ exp(sη)) dη]^{n−1} dξ d ln θ
//
// whose bracket is 1 − Q(ξ) − D(ξ), Q = 1 − Φ and D = ∫_{η < ξ} φ(η)(1 − exp(−θ exp(sη))) dη: sums
// of positive terms, good at any n. Both outer integrals by the trapezoidal rule (exp(−exp(x)) is
// tame in |Im x| < π/2), D by Gauss's rule with five nodes on each of its steps.
//
// Φ^n rises like exp(−exp(−cξ)), c = √(2 ln n), and exp(−t) falls like exp(−exp(sξ)): steps of ξ go
// with the larger of c and s. θ moves the fall by Δξ = −Δ ln θ/s, and what is integrated over ξ is
// as smooth in that as the smoother of the two: steps of ln θ are 1 up to s = c and s/c from there
// on, so that no s takes longer than another. Up to there the panels of ξ are the same for all θ,
// from there on those of ln t = ln θ + sξ.
#include "softmax_weights.hpp"

#include <boost/math/quadrature/gauss.hpp>
#include <boost/math/special_functions/erf.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <limits>
#include <numbers>
#include <stdexcept>
#include <vector>

#include "normal_density.hpp"

namespace embedscale::expected {
namespace {

struct Node {
  double at, weight;
};
std::array<Node, 5> nodes() {
  using Rule = boost::math::quadrature::gauss<double, 5>;
  const auto& x = Rule::abscissa();  // 0 and the positive ones
  const auto& w = Rule::weights();
  return {{{-x[2], w[2]}, {-x[1], w[1]}, {x[0], w[0]}, {x[1], w[1]}, {x[2], w[2]}}};
}
const std::array<Node, 5> gauss = nodes();

/// One panel of ξ: φ at Gauss's nodes, times their weights; φ times its length and Q at its end.
struct Bell {
  double end, density, beyond;
  std::array<double, 5> inside{};
  Bell(double left, double length)
      : end(left + length),
        density(length * normal_density(end)),
        beyond(0.5 * std::erfc(end / std::numbers::sqrt2)) {
    for (std::size_t k = 0; k < gauss.size(); ++k)
      inside[k] = 0.5 * length * gauss[k].weight *
                  normal_density(left + 0.5 * length * (1.0 + gauss[k].at));
  }
};

/// The same panel, of ln t: 1 − exp(−t) at the nodes, t exp(−t) at the end.
struct Fall {
  double density;
  std::array<double, 5> inside{};
  Fall(double left, double length) : density(std::exp(left + length - std::exp(left + length))) {
    for (std::size_t k = 0; k < gauss.size(); ++k)
      inside[k] = -std::expm1(-std::exp(left + 0.5 * length * (1.0 + gauss[k].at)));
  }
};

/// E max w with steps of `step` over the steepness.
class LargestWeight {
 public:
  LargestWeight(double s, double n, double step) : s_(s), n_(n), step_(step) {
    // The x that all of n are below with probability exp(−cut), or where Φ = 1e−21; the x that one
    // is above with less.
    const double least = std::numbers::sqrt2 * boost::math::erfc_inv(-2.0 * std::expm1(-cut / n));
    least_ = std::max(least, lowest_xi), most_ = std::sqrt(2.0 * (std::log(n) + cut));
    // t < exp(lowest) is less than 1e−13 of max w >= 1/n; t > exp(highest) has exp(−t) < exp(−cut).
    lowest_ = -30.0 - std::log(n), highest_ = std::log(cut);
    steepness_ = std::max(std::sqrt(2.0 * std::log(n)), 1.0);
  }
  double value() const { return n_ * (s_ > steepness_ ? over_falls() : over_bells()); }

 private:
  static constexpr double lowest_xi = -9.5;

  double over_bells() const {
    const double h = step_ / steepness_;
    std::vector<Bell> bells;
    for (double xi = lowest_xi; xi < most_; xi += h) bells.emplace_back(xi, h);
    double sum = 0.0;
    for (double x = lowest_ - s_ * (most_ + h); x < highest_ - s_ * least_; x += step_) {
      Inner inner(*this);
      for (const auto& bell : bells) {
        const double log_t = x + s_ * bell.end;
        if (log_t > highest_ + step_) break;  // step: D of the last t wants its panels
        if (log_t < lowest_ - cut) continue;  // n D is below exp(−30 − cut)
        inner.add(bell, Fall(log_t - s_ * h, s_ * h));
      }
      sum += step_ * inner.sum;
    }
    return sum;
  }

  double over_falls() const {
    std::vector<Fall> falls;
    for (double log_t = lowest_; log_t < highest_; log_t += step_) falls.emplace_back(log_t, step_);
    double sum = 0.0;
    for (double u = least_ - highest_ / s_; u < most_ - lowest_ / s_; u += step_ / steepness_) {
      Inner inner(*this);  // u = −ln θ/s
      double log_t = lowest_;
      for (const auto& fall : falls) {
        const Bell bell(u + log_t / s_, step_ / s_);
        log_t += step_;
        if (bell.end > most_) break;
        if (bell.end > lowest_xi) inner.add(bell, fall);
      }
      sum += s_ * (step_ / steepness_) * inner.sum;
    }
    return sum;
  }

  /// ∫ dξ at one θ.
  struct Inner {
    const LargestWeight& of;
    double sum = 0.0, below = 0.0;  // below: D
    explicit Inner(const LargestWeight& largest) : of(largest) {}
    void add(const Bell& bell, const Fall& fall) {
      for (std::size_t k = 0; k < bell.inside.size(); ++k) below += bell.inside[k] * fall.inside[k];
      const double gone = bell.beyond + below;
      if (bell.end < of.least_ || gone >= 1.0) return;
      sum += bell.density * fall.density * std::exp((of.n_ - 1.0) * std::log1p(-gone));
    }
  };

  double s_, n_, step_, steepness_ = 1.0;
  double least_ = 0.0, most_ = 0.0, lowest_ = 0.0, highest_ = 0.0;
};

}  // namespace

Expectation largest_weight(double s, std::uint64_t n) {
  if (!(s >= 0.0 && std::isfinite(s) && n > 0))
    throw std::invalid_argument("expected::largest_weight: s needs to be finite and >= 0, n >= 1");
  const auto count = static_cast<double>(n);
  if (n == 1) return {1.0, 0.0};
  if (s == 0.0) return {1.0 / count, std::numeric_limits<double>::epsilon() / count};
  const double coarse = LargestWeight(s, count, 0.35).value();
  const double fine = LargestWeight(s, count, 0.25).value();
  return {fine, std::abs(fine - coarse) + 1e-12 * fine};
}

// 1 − E Σw² cancels where E Σw² is near 1, and (g − E H)/s² where g is near E H: below s = √(2 ln
// n), where E Σw² is less than ¾.
Expectation jacobian_trace(double s, std::uint64_t n) {
  constexpr double rounding = 4.0 * std::numeric_limits<double>::epsilon();
  const auto squares = sum_of_squares(s, n);
  if (n == 1) return {0.0, 0.0};
  if (squares.value < 0.75) return {1.0 - squares.value, squares.error + rounding};
  const auto [g, entropy] = log_sum_exp_and_entropy(s, n);
  return {(g.value - entropy.value) / s / s,
          (g.error + entropy.error + rounding * g.value) / s / s};
}

namespace {
const double half_gap = boost::math::erf_inv(0.5);  // of z_1 and z_2 at s = 1, its median
}

double median_jacobian_of_two(double s) { return 0.5 / std::pow(std::cosh(half_gap * s), 2); }

double vanishing_deviation_of_two(double level) {
  return std::acosh(std::cosh(half_gap) / std::sqrt(level)) / half_gap;
}

}  // namespace embedscale::expected
