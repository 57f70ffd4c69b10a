#include "softmax.hpp"

#include "perturbed_logit.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <numbers>
#include <stdexcept>

namespace embedscale::expected {

LogSumExpAndEntropy log_sum_exp_and_entropy(double s, std::uint64_t n) {
  if (!(s >= 0.0 && std::isfinite(s)))
    throw std::invalid_argument("expected::log_sum_exp_and_entropy: s needs to be finite and >= 0");
  if (n == 0) throw std::invalid_argument("expected::log_sum_exp_and_entropy: n is 0");
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
      log_sum_exp.add(others * (x - std::numbers::egamma / unit) * density);
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
