#pragma once
// A check of an exponent: σ ∝ d^a, from normal draws at several widths d.
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "power.hpp"

namespace embedscale::properties::evidence {

/// The slope of ln σ against ln d at these widths, of which the checks below are one for each set.
///
/// By least squares from n draws at each it is a + Σ w_i ε_i: the weights are
/// w_i = (l_i − l̄)/Σ(l − l̄)² with l = ln d, c drops out as Σ w_i = 0, and ε = ½ ln(χ²_n/n) are
/// independent. Their moment generating function is known,
///   E exp(θε) = (2/n)^{θ/2} Γ((n + θ)/2)/Γ(n/2)   for θ > −n,
/// so that by Chernoff P(Σ wε >= t) <= exp(−θt) Π E exp(θ w_i ε_i) for every θ > 0: a bound at
/// every n, at the best θ within a factor of about 1/(z√(2π)) of the tail at z deviations.
class LogLogSlope {
 public:
  explicit constexpr LogLogSlope(std::span<const std::uint64_t> widths) : widths_(widths) {}
  /// Of Σx² at each width.
  double operator()(std::span<const double> squares) const;
  /// Whether a slope that is off by so much is accepted.
  bool accepts(std::uint64_t n, double off, double alpha) const;
  /// What is accepted on one side, and what chance takes away on the other.
  double smallest_effect(std::uint64_t n, Rates rates) const;

 private:
  std::span<const std::uint64_t> widths_;
};

/// The exponent a of σ = c·d^a, c unknown, from n draws of mean 0 at each of these widths.
template <std::uint64_t... Widths>
struct PowerLawExponent : Counted {
  static_assert(sizeof...(Widths) >= 2);
  static constexpr std::string_view name = "exponent of a power law";
  static constexpr std::string_view effect = "deviation of the exponent";
  static constexpr std::size_t k = sizeof...(Widths);
  static constexpr std::array<std::uint64_t, k> widths{Widths...};
  static constexpr LogLogSlope slope{widths};

  struct Data {
    double exponent;                  ///< under the null
    std::uint64_t n = 0;              ///< draws at each width
    std::array<double, k> squares{};  ///< Σx² at each
    void add(const std::array<double, k>& x) {
      ++n;
      for (std::size_t i = 0; i < k; ++i) squares[i] += x[i] * x[i];
    }
  };
  static double statistic(const Data& data) { return slope(data.squares) - data.exponent; }
  static bool accepts(const Data& data, double alpha) {
    return slope.accepts(data.n, statistic(data), alpha);
  }
  static double smallest_effect(std::uint64_t n, Rates rates) {
    return slope.smallest_effect(n, rates);
  }
  static std::uint64_t draws_for(double e, Rates rates) {
    return fewest_draws([&](std::uint64_t n) { return smallest_effect(n, rates) <= e; });
  }
};

}  // namespace embedscale::properties::evidence
