#include "perturbed_logit.hpp"

#include <boost/math/special_functions/erf.hpp>

#include <algorithm>
#include <numbers>

namespace embedscale::expected::detail {

double normal_density(double t) {
  return std::exp(-0.5 * t * t) / std::sqrt(2.0 * std::numbers::pi);
}

PerturbedLogit::PerturbedLogit(double deviation, double n) : s(deviation) {
  constexpr double step = 0.2;
  if (s <= 1.0) {  // to √(2 cut) + 1: where X is large, ξ is weighed by exp(sξ)
    for (int k = -50; k <= 50; ++k) nodes.push_back({step * k, step * normal_density(step * k)});
  } else {  // P(G < −ln cut) = exp(−cut); P(G > y) < exp(−y), and n times it matters
    for (double y, k = -19.0; (y = step * k) < std::log(n) + cut; ++k)
      nodes.push_back({y, step * std::exp(-y - std::exp(-y))});
  }
}

PerturbedLogit::Slice PerturbedLogit::at(double x) const {
  Slice sum;
  const auto add = [&sum](double above, double density, double excess) {
    sum.above += above;
    sum.density += density;
    sum.excess += excess;
  };
  if (s <= 1.0) {
    for (const auto& [xi, weight] : nodes) {
      const double y = x - s * xi, u = std::exp(-y), density = weight * u * std::exp(-u);
      add(-weight * std::expm1(-u), density, (y - std::numbers::egamma) * density);
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
        weight * (y - std::numbers::egamma) * difference);
  }
  return sum;
}

double least_largest(double n) {
  return std::numbers::sqrt2 * boost::math::erfc_inv(-2.0 * std::expm1(-cut / n));
}

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

}  // namespace embedscale::expected::detail
