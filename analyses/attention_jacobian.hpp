#pragma once
// Draws of what comes back through the softmax of one query's n logits, on common random numbers:
// at every deviation the same ones, so that ratios vary less than either part.
#include <fmt/format.h>
#include <tbb/parallel_for.h>
#include <embedscale/properties/attention_gradient.hpp>
#include <embedscale/properties/evidence/median.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "attention.hpp"

namespace embedscale::attention_analysis {

inline constexpr double confidence = 0.999;

/// An estimate and its interval.
struct Summary {
  double at, lower, upper;
};

/// The mean; by the standard error, as means of thousands are nearly normal.
inline Summary mean_of(const std::vector<double>& x) {
  const double n = static_cast<double>(x.size());
  double sum = 0, squares = 0;
  for (const double value : x) sum += value;
  const double mean = sum / n;
  for (const double value : x) squares += (value - mean) * (value - mean);
  const double half = 3.29 * std::sqrt(squares) / n;
  return {mean, mean - half, mean + half};
}

/// The median; its interval is exact, by order statistics.
inline Summary median_of(std::vector<double> x) {
  std::ranges::sort(x);
  const auto interval = properties::evidence::median_interval(x, 1 - confidence);
  return {properties::evidence::median(x), interval.lower, interval.upper};
}

/// What is drawn at one deviation, a number for each draw.
struct Sample {
  std::vector<double> norm, trace, query;
};

/// n keys, and draws of the logits over their deviation.
class Keys {
 public:
  std::uint64_t count, draws;

  /// Of a million logits at most, but 100 draws at least.
  Keys(std::uint64_t n, const cli::Options& options, std::string_view name)
      : count(n),
        draws(
            std::min(options.samples, std::max<std::uint64_t>(100, (std::uint64_t{1} << 20) / n))),
        stream_(options.seed, fmt::format("{}/{}", name, n)),
        xi_(n * draws) {
    tbb::parallel_for(std::size_t{0}, xi_.size(),
                      [&](std::size_t i) { xi_[i] = stream_.normal(i); });
  }

  /// ‖J‖ at deviation s.
  std::vector<double> norms(double s) const {
    std::vector<double> out(draws);
    tbb::parallel_for(std::size_t{0}, out.size(), [&](std::size_t i) {
      auto a = properties::attention::scaled(logits(i), s);
      properties::attention::library<double>.softmax(a);
      out[i] = std::sqrt(properties::attention::jacobian_size(std::span<const double>(a)).square);
    });
    return out;
  }

  /// All of it, with the query's gradient in a head of d_k channels.
  Sample sample(double s, std::uint64_t d_k) const {
    Sample all{std::vector<double>(draws), std::vector<double>(draws), std::vector<double>(draws)};
    tbb::parallel_for(std::size_t{0}, static_cast<std::size_t>(draws), [&](std::size_t i) {
      std::vector<double> g(count);
      double length = 0, across = 0;
      for (std::size_t j = 0; j < count; ++j) {
        g[j] = stream_.normal(i * count + j, 1);
        length += g[j] * g[j];
      }
      for (double& x : g) x /= std::sqrt(length);
      for (std::uint64_t c = 1; c < d_k; ++c) {
        const double x = stream_.normal(i * d_k + c, 2);
        across += x * x;
      }
      const auto draw = properties::attention::gradient_draw(logits(i), g, std::sqrt(across), s,
                                                             d_k, properties::attention::Library{});
      all.norm[i] = draw.norm, all.trace[i] = draw.trace, all.query[i] = draw.query;
    });
    return all;
  }

  /// The d_k = s² from which on the median of ‖J‖ is below so much of that at s = 1, with the s² at
  /// which the ends of the intervals are: by bisection, from where it has begun to fall.
  Summary vanishing_width(double level) const {
    const Summary reference = median_of(norms(1));
    const auto deviation = [&](double Summary::*end, double below, double low, double high) {
      const auto above = [&](double s) { return median_of(norms(s)).*end > below; };
      while (above(high)) low = high, high *= 2;
      while (high - low > 4e-3 * high) {
        const double middle = (low + high) / 2;
        (above(middle) ? low : high) = middle;
      }
      return high;
    };
    const double s = deviation(&Summary::at, level * reference.at, 1, 2);
    const double first = deviation(&Summary::lower, level * reference.upper, s / 1.5, s);
    const double last = deviation(&Summary::upper, level * reference.lower, s, 1.25 * s);
    return {s * s, first * first, last * last};
  }

 private:
  std::span<const double> logits(std::size_t i) const {
    return std::span<const double>(xi_).subspan(i * count, count);
  }
  Stream stream_;
  std::vector<double> xi_;
};

}  // namespace embedscale::attention_analysis
