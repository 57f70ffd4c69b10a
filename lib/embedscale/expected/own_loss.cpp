#include "own_loss.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <stdexcept>

#include "normal_density.hpp"

namespace embedscale::expected {
namespace {

// Of ℓ's integral, of E over ξ and over G: exp(−exp(−x)) is tame to |Im x| = π/2, and so is F^n, as
// |F| <= 1 there. The trapezoidal rule leaves 2e−19, as softmax.cpp has it.
constexpr double step = 0.2;

constexpr double lost = -745;  // exp(lost) is the least number above 0

struct Node {
  double at, weight;
};

/// 1 − F of X = sξ + G: means over ξ for s <= 1, over G for s > 1, of positive terms.
class Beyond {
 public:
  /// For x <= last.
  Beyond(double s, double last) : s_(s) {
    const double density = step / std::sqrt(2 * std::numbers::pi);
    if (s <= 1)
      for (int k = -50; k <= 50; ++k) {
        const double xi = step * k;
        nodes_.push_back({xi, density * std::exp(-0.5 * xi * xi)});
      }
    // P(G > y) < exp(−y), beside what 1 − F may be: −ln (1 − F) <= x²/(2s²) + a logarithm, and
    // x − s²/2 where x > s².
    const double depth = last < s * s ? 0.5 * last * last / (s * s) : last - 0.5 * s * s;
    for (double k = -19, y; s > 1 && (y = step * k) < depth + 1.25 * cut; ++k)
      nodes_.push_back({y, step * std::exp(-y - std::exp(-y))});
  }
  double operator()(double x) const {
    double sum = 0;
    if (s_ <= 1)
      for (const auto& [xi, weight] : nodes_) sum -= weight * std::expm1(-std::exp(s_ * xi - x));
    else {
      // exp(−y)·P(sξ > x − y) is largest at y = x − s², or at 0, and falls as a normal density of
      // deviation s beside that, then as exp(−y): by exp(−50) at least to either end.
      const double peak = std::max(0.0, x - s_ * s_), reach = std::sqrt(2.5 * cut) * s_;
      const auto first = std::ranges::lower_bound(nodes_, peak - reach, {}, &Node::at);
      for (auto node = first; node != nodes_.end() && node->at < peak + reach + 1.25 * cut; ++node)
        sum += 0.5 * node->weight * std::erfc((x - node->at) / (s_ * std::numbers::sqrt2));
    }
    return sum;
  }

 private:
  double s_;
  std::vector<Node> nodes_;
};

/// The law of U in `degrees` + 1 dimensions: products of a trapezoidal rule in a and one in ln b,
/// in units of h deviations each. As z = tilt·U falls, ℓ rises by its negative exponential at most
/// (and linearly below 0), so that its mean lies up to `tilt` deviations below `center`, U's mean:
/// what is left out has a weight below exp(−cut) even beside exp(tilt·(center − U)).
std::vector<Node> aligned_law(double degrees, double mu, double h, double center, double tilt) {
  std::vector<Node> lengths, law;
  const double mean = std::sqrt(degrees), depth = cut + tilt * std::max(0.0, center);
  // b = mean·exp(v) has a density of exp(degrees·(v − (exp(2v) − 1)/2)) in v, at most 1.
  const auto log_density = [&](double v) { return degrees * (v - 0.5 * std::expm1(2 * v)); };
  for (const double sign : {1.0, -1.0})
    for (double k = sign < 0 ? 1 : 0, v, log;; ++k) {
      v = sign * k * h / std::sqrt(2 * degrees), log = log_density(v);
      if (log < -depth) break;
      lengths.push_back({mean * std::exp(v), log});
    }
  double sum = 0;
  const int ends = static_cast<int>(std::sqrt(2 * depth) / h);
  for (int k = -ends; k <= ends; ++k)
    for (const auto& [b, log] : lengths) {
      const double a = k * h, along = a + mu, u = (a * along + b * b) / std::hypot(along, b);
      const double weight = log - 0.5 * a * a;
      if (weight + tilt * std::max(0.0, center - std::max(0.0, u)) < -cut || weight < lost)
        continue;
      law.push_back({u, std::exp(weight)});
      sum += law.back().weight;
    }
  for (auto& node : law) node.weight /= sum;
  return law;
}

}  // namespace

LossBeside::LossBeside(double s, std::uint64_t n, double least, double greatest)
    : first_(least - std::log(cut)) {
  if (!(s > 0 && std::isfinite(s) && n > 0 && least <= greatest && std::isfinite(greatest - least)))
    throw std::invalid_argument("expected::LossBeside: needs a finite s > 0, n >= 1, an interval");
  // Σ P(X_i > x) <= n E exp(z_i − x), and where x is s·√(2t) + t, ξ or G exceeds its part.
  const double count = static_cast<double>(n), tail = std::log(count) + cut;
  const double last = std::max(greatest + cut, tail + s * std::min(0.5 * s, std::sqrt(2 * tail)));
  const Beyond beyond(s, last);
  for (double k = 0, x; (x = first_ + k * step) < last; ++k)
    any_above_.push_back(-std::expm1(count * std::log1p(-std::min(1.0, beyond(x)))));
  rest_.resize(any_above_.size() + 1, 0.0);
  for (std::size_t k = any_above_.size(); k > 0; --k) rest_[k - 1] = rest_[k] + any_above_[k - 1];
}

double LossBeside::operator()(double z) const {
  static const double ratio = std::exp(-step);
  const double from = std::max(0.0, std::floor((z - std::log(cut) - first_) / step));
  double sum = 0, t = std::exp(z - first_ - from * step);  // exp(z − x)
  auto k = static_cast<std::size_t>(from);
  for (; k < any_above_.size() && t > 1e-17; ++k, t *= ratio) sum += any_above_[k] * std::exp(-t);
  return step * (sum + rest_[k]);
}

Expectation loss_on_itself(const TiedToken& token, double position_square,
                           std::uint64_t vocabulary) {
  const double n =
      static_cast<double>(token.width) - (token.final_norm == Norm::Kind::layer_norm ? 1 : 0);
  if (vocabulary < 2 || n < 2)
    throw std::invalid_argument("expected::loss_on_itself: needs two words and two dimensions");
  const double mean = own_logit(token, position_square).value, s = other_logit_deviation(token);
  const double mu = std::sqrt(position_square) / (std::abs(token.multiplier) * token.deviation);
  const double factor = std::copysign(s, mean);
  double value = 0, change = 0, off = 0;
  for (double h = 1; h >= 0.25; h /= 2) {
    const auto law = aligned_law(n - 1, mu, h, mean / factor, std::max(0.0, factor));
    const auto [low, high] = std::ranges::minmax(law, {}, &Node::at);
    const LossBeside loss(s, vocabulary - 1, std::min(factor * low.at, factor * high.at),
                          std::max(factor * low.at, factor * high.at));
    double sum = 0, own = 0;
    for (const auto& [u, weight] : law)
      sum += weight * loss(factor * u), own += weight * factor * u;
    change = std::abs(sum - value), value = sum, off = std::abs(own / mean - 1);
    if (change <= 1e-6 * value) break;
  }
  return {value, change + (off + 1e-12) * value};
}

}  // namespace embedscale::expected
