#pragma once
// A check of an exponent: σ ∝ d^a, from normal draws at several widths d.
#include <boost/math/tools/minima.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <string_view>

#include "normal.hpp"

namespace embedscale::properties::evidence {

/// The exponent a of σ = c·d^a, c unknown, from n draws of mean 0 at each of these widths.
///
/// The slope of ln √(Σx²/n) against ln d, by least squares, is a + Σ w_i ε_i: the weights are
/// w_i = (l_i − l̄)/Σ(l − l̄)² with l = ln d, c drops out as Σ w_i = 0, and ε = ½ ln(χ²_n/n) are
/// independent. Their moment generating function is known,
///   E exp(θε) = (2/n)^{θ/2} Γ((n + θ)/2)/Γ(n/2)   for θ > −n,
/// so that by Chernoff P(Σ wε >= t) <= exp(−θt) Π E exp(θ w_i ε_i) for every θ > 0: a bound at
/// every n, at the best θ within a factor of about 1/(z√(2π)) of the tail at z deviations.
template <std::uint64_t... Widths>
struct PowerLawExponent {
  static_assert(sizeof...(Widths) >= 2);
  static constexpr std::string_view name = "exponent of a power law";
  static constexpr std::string_view effect = "deviation of the exponent";
  static constexpr std::size_t k = sizeof...(Widths);
  static constexpr std::array<std::uint64_t, k> widths{Widths...};

  struct Data {
    double exponent;                  ///< under the null
    std::uint64_t n = 0;              ///< draws at each width
    std::array<double, k> squares{};  ///< Σx² at each
    void add(const std::array<double, k>& x) {
      ++n;
      for (std::size_t i = 0; i < k; ++i) squares[i] += x[i] * x[i];
    }
  };
  static std::uint64_t draws(const Data& data) { return data.n; }
  static std::array<double, k> weights() {
    std::array<double, k> w{};
    double mean = 0, sum = 0;
    for (const auto d : widths) mean += std::log(real(d)) / static_cast<double>(k);
    for (std::size_t i = 0; i < k; ++i) w[i] = std::log(real(widths[i])) - mean;
    for (const double l : w) sum += l * l;
    for (double& l : w) l /= sum;
    return w;
  }
  static double slope(const Data& data) {
    double sum = 0;
    const auto w = weights();
    for (std::size_t i = 0; i < k; ++i) sum += 0.5 * w[i] * std::log(data.squares[i]);
    return sum;
  }
  static double statistic(const Data& data) { return slope(data) - data.exponent; }

  /// ln of Chernoff's bound on P(Σ wε >= t), or on P(Σ wε <= −t) at side −1, for t > 0.
  static double log_tail(std::uint64_t n, double t, double side) {
    const auto w = weights();
    double steepest = 0;  // θ·side·w_i > −n
    for (const double l : w) steepest = std::max(steepest, -side * l);
    const auto exponent = [&](double theta) {
      double sum = -theta * t;
      for (const double l : w) {
        const double h = theta * side * l / 2, half = real(n) / 2;
        sum += h * std::log(1 / half) + std::lgamma(half + h) - std::lgamma(half);
      }
      return sum;
    };
    // Any θ gives a bound; the minimum of a convex function, the best.
    const double end = 0.999999 * real(n) / steepest;
    return std::min(0.0, boost::math::tools::brent_find_minima(exponent, 0.0, end, 24).second);
  }
  static bool accepts(const Data& data, double alpha) {
    if (data.n == 0) return true;
    const double off = statistic(data);
    if (!std::isfinite(off)) return false;
    return off == 0 || log_tail(data.n, std::abs(off), off > 0 ? 1 : -1) > std::log(alpha / 2);
  }
  /// What is accepted on one side, and what chance takes away on the other.
  static double smallest_effect(std::uint64_t n, Rates rates) {
    const auto reach = [&](double rate, double side) {
      return smallest_effect_by([&](double t) { return log_tail(n, t, side); }, std::log(rate), 64);
    };
    return std::max(reach(rates.alpha / 2, 1) + reach(rates.beta, -1),
                    reach(rates.alpha / 2, -1) + reach(rates.beta, 1));
  }
  static std::uint64_t draws_for(double e, Rates rates) {
    return fewest_draws([&](std::uint64_t n) { return smallest_effect(n, rates) <= e; });
  }
};

static_assert(StatisticalCheck<PowerLawExponent<64, 1024>>);

}  // namespace embedscale::properties::evidence
