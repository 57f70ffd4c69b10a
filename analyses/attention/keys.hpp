#pragma once
// Draws of one query's logits over n keys, and what is measured of each.
#include <embedscale/random.hpp>

#include <functional>
#include <span>
#include <string_view>

#include "attention/sections.hpp"
#include "properties/attention/gradient.hpp"
#include "properties/evidence/median.hpp"
#include "report/loops.hpp"

namespace embedscale::attention_analysis {

inline constexpr double confidence = 0.999;

/// A number for each draw.
using Draws = std::vector<double>;

inline Sum summed(const Draws& x) { return over<Sum>(x, std::identity()); }

/// With the exact interval of order statistics.
inline Value median_of(Draws x, double sure = confidence) {
  std::ranges::sort(x);
  return Estimate(properties::evidence::median(x), summed(x))
      .with_interval([&](double c) { return properties::evidence::median_interval(x, 1 - c); },
                     sure)
      .by("draws, order statistics");
}

/// Both on the same draws: as sure as that neither interval is missed.
inline Value median_ratio(const Draws& x, const Draws& reference) {
  constexpr double each = (1 + confidence) / 2;
  return quotient(median_of(x, each), median_of(reference, each));
}

/// n keys, and draws of the logits over their deviation.
class Keys {
 public:
  std::uint64_t count, draws;

  /// Of `most` logits at most, but 400 draws at least.
  Keys(std::uint64_t n, const Options& options, std::string_view name,
       std::uint64_t most = std::uint64_t{1} << 20)
      : count(n),
        draws(std::min(options.samples, std::max<std::uint64_t>(400, most / n))),
        stream_(options.seed, std::string(name) + "/" + std::to_string(n)),
        xi_(n * draws) {
    in_parallel(xi_.size(), [&](std::uint64_t i) { xi_[i] = stream_.normal(i); });
  }
  void sort_falling() {
    in_parallel(draws, [&](std::uint64_t i) {
      std::sort(&xi_[i * count], &xi_[i * count] + count, std::greater());
    });
  }

  std::span<const double> logits(std::size_t i) const {
    return std::span<const double>(xi_).subspan(i * count, count);
  }
  /// f(i) of each draw.
  template <class F>
  auto of_each(F f) const {
    std::vector<decltype(f(std::uint64_t{}))> out(draws);
    in_parallel(draws, [&](std::uint64_t i) { out[i] = f(i); });
    return out;
  }
  /// ‖J‖ at deviation s.
  Draws norms(double s) const {
    return of_each([&](auto i) { return jacobian(logits(i), s, library<double>).norm; });
  }

  /// Lengths of the part of a key's d_k channels that is across the query.
  Draws across(std::uint64_t d_k) const {
    return of_each([&](std::uint64_t i) {
      double square = 0;
      for (std::uint64_t c = 1; c < d_k; ++c) {
        const double x = stream_.normal(i * d_k + c, 2);
        square += x * x;
      }
      return std::sqrt(square);
    });
  }
  /// Upstream gradients of length 1, one behind the other.
  Draws upstream() const {
    Draws all(xi_.size());
    in_parallel(draws, [&](std::uint64_t i) {
      const auto g = std::span(all).subspan(i * count, count);
      double square = 0;
      for (std::size_t j = 0; j < count; ++j) {
        g[j] = stream_.normal(i * count + j, 1);
        square += g[j] * g[j];
      }
      for (double& x : g) x /= std::sqrt(square);
    });
    return all;
  }
  /// The length of the query's gradient in a head of d_k channels.
  Draws query_gradients(double s, std::uint64_t d_k, const Draws& across,
                        const Draws& upstream) const {
    return of_each([&](std::uint64_t i) {
      const auto g = std::span(upstream).subspan(i * count, count);
      return query_gradient(logits(i), g, across[i], s, d_k, library<double>);
    });
  }

 private:
  Stream stream_;
  std::vector<double> xi_;
};

}  // namespace embedscale::attention_analysis
