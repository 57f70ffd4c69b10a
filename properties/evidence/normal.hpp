#pragma once
// Checks of one normal law. The laws of their statistics are exact at every n (Boost.Math), and so
// are the power functions, by which smallest effects and numbers of draws are found.
#include <boost/math/distributions/chi_squared.hpp>
#include <boost/math/distributions/non_central_t.hpp>
#include <boost/math/distributions/normal.hpp>
#include <boost/math/distributions/students_t.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <string_view>

#include "check.hpp"
#include "power.hpp"

namespace embedscale::properties::evidence {

/// How far x is from the nearest point of an interval; NaN for a NaN.
inline double distance(const Interval& interval, double x) {
  return contains(interval, x) ? 0.0 : std::max(interval.lower - x, x - interval.upper);
}

/// Mean of a normal law of known σ: Σz/√n ~ N(0, 1), where z = (x − μ)/σ. A null of more than one
/// point (a formula that is right to within an error) is an interval around 0, in σ.
struct NormalMean {
  static constexpr std::string_view name = "mean of a normal law, σ known";
  static constexpr std::string_view effect = "deviation of the mean, in σ";
  struct Data {
    std::uint64_t n = 0;
    double sum = 0;
    Interval null{0, 0};
    void add(double z) { ++n, sum += z; }
    Data& operator+=(const Data& other) { return n += other.n, sum += other.sum, *this; }
  };
  static std::uint64_t draws(const Data& data) { return data.n; }
  static double statistic(const Data& data) {
    return distance(data.null, data.sum / real(data.n)) * std::sqrt(real(data.n));
  }
  /// The tail beyond |t| is α/2 on each side. Sums that are no numbers are rejected here and below.
  static bool accepts(const Data& data, double alpha) {
    if (data.n == 0) return true;
    const double t = statistic(data);
    return std::isfinite(t) && cdf(boost::math::normal(), -t) > alpha / 2;
  }
  /// P(|Z + δ√n| <= c) at a deviation of ±δ.
  static double miss(std::uint64_t n, double delta, double alpha) {
    const boost::math::normal law;
    const double c = quantile(complement(law, alpha / 2)), shift = delta * std::sqrt(real(n));
    return cdf(law, c - shift) - cdf(law, -c - shift);
  }
  static double smallest_effect(std::uint64_t n, Rates rates) {
    return smallest_effect_by([&](double e) { return miss(n, e, rates.alpha); }, rates.beta, 1e6);
  }
  static std::uint64_t draws_for(double e, Rates rates) {
    return fewest_draws([&](std::uint64_t n) { return miss(n, e, rates.alpha) <= rates.beta; });
  }
};

/// n draws, their mean, and the sum of squares about it (Welford 1962: no cancellation).
struct Sample {
  std::uint64_t n = 0;
  double mean = 0, squares = 0;
  void add(double x) {
    const double from = x - mean;
    mean += from / real(++n);
    squares += from * (x - mean);
  }
  double variance() const { return squares / (real(n) - 1); }
};

/// Mean of a normal law of unknown σ: (mean − μ)/(s/√n) is Student's t with n − 1 degrees of
/// freedom, and of noncentrality δ√n at a deviation of δσ.
struct StudentMean {
  static constexpr std::string_view name = "mean of a normal law, σ unknown";
  static constexpr std::string_view effect = "deviation of the mean, in σ";
  struct Data {
    Sample sample{};
    Interval null{0, 0};  ///< where the mean may be, in the unit of x
    void add(double x) { sample.add(x); }
  };
  static std::uint64_t draws(const Data& data) { return data.sample.n; }
  static double statistic(const Data& data) {
    const double off = distance(data.null, data.sample.mean);
    return off == 0 ? 0 : off / std::sqrt(data.sample.variance() / real(data.sample.n));
  }
  static bool accepts(const Data& data, double alpha) {
    if (data.sample.n < 2) return true;  // nothing is known of σ, and smallest_effect says so
    const double t = statistic(data);
    return std::isfinite(t) &&
           cdf(boost::math::students_t(real(data.sample.n) - 1), -t) > alpha / 2;
  }
  /// P(T <= c) at +δ: the other tail, which is rejected, too, is left out, below α/2. Where the
  /// noncentrality λ is above 10 c + 100, that is less than P(Z + λ <= 3c) + P(s > 3σ), whose
  /// terms are below Φ(−100) and, by Chernoff, exp(−2.9 ν): 0 from 1000 degrees on.
  static double miss_of(double degrees, double noncentrality, double alpha) {
    const double c = quantile(complement(boost::math::students_t(degrees), alpha / 2));
    if (degrees >= 1000 && noncentrality > 10 * c + 100) return 0;
    return cdf(boost::math::non_central_t(degrees, noncentrality), c);
  }
  static double miss(std::uint64_t n, double delta, double alpha) {
    return n < 2 ? 1.0 : miss_of(real(n) - 1, delta * std::sqrt(real(n)), alpha);
  }
  /// Infinity where it is above 64 σ.
  static double smallest_effect(std::uint64_t n, Rates rates) {
    return smallest_effect_by([&](double e) { return miss(n, e, rates.alpha); }, rates.beta, 64);
  }
  static std::uint64_t draws_for(double e, Rates rates) {
    return fewest_draws([&](std::uint64_t n) { return miss(n, e, rates.alpha) <= rates.beta; });
  }
};

/// Means of batches, nearly normal: Student's t at much smaller rates.
///
/// Not proved: the rates of what is nearly normal are not those of what is. By importance sampling
/// at n = 64, rates 1e-10/72 and 1e-7/72, batches of a gamma law of skewness 0.37 exceed the normal
/// law's tails 50 times in false alarms and 3000 times in misses; the guards are ten times that and
/// more. They are for smooth laws: batches of two values only would need others.
struct BatchMean : StudentMean {
  static constexpr std::string_view name = "mean of nearly normal batch means";
  static constexpr double alpha_guard = 1000, beta_guard = 1e5;
  static constexpr Rates guarded(Rates rates) {
    return {rates.alpha / alpha_guard, rates.beta / beta_guard};
  }
  static bool accepts(const Data& data, double alpha) {
    return StudentMean::accepts(data, alpha / alpha_guard);
  }
  static double smallest_effect(std::uint64_t n, Rates rates) {
    return StudentMean::smallest_effect(n, guarded(rates));
  }
  static std::uint64_t draws_for(double e, Rates rates) {
    return StudentMean::draws_for(e, guarded(rates));
  }
};

/// P(χ²_n <= x) for x < n, and P(χ²_n >= x) for x > n: exact, but for tails below exp(−60), for
/// which Chernoff's exp(−½(x − n − n ln(x/n))) is enough (Boost 1.74 overflows there at large n).
inline double chi_squared_below(std::uint64_t n, double x) {
  const double far = 0.5 * (x - real(n) - real(n) * std::log(x / real(n)));
  return x < real(n) && far > 60 ? std::exp(-far) : cdf(boost::math::chi_squared(real(n)), x);
}
inline double chi_squared_above(std::uint64_t n, double x) {
  const double far = 0.5 * (x - real(n) - real(n) * std::log(x / real(n)));
  return x > real(n) && far > 60 ? std::exp(-far)
                                 : cdf(complement(boost::math::chi_squared(real(n)), x));
}

/// Variance of a normal law of mean 0: Σ(x/σ)² ~ χ²_n. Cases of any σ pool into one Data.
struct NormalVariance {
  static constexpr std::string_view name = "variance of a normal law";
  static constexpr std::string_view effect = "relative deviation of σ";
  struct Data {
    std::uint64_t n = 0;
    double squares = 0;
    void add(double z) { ++n, squares += z * z; }  ///< z = x/σ
    Data& operator+=(const Data& other) { return n += other.n, squares += other.squares, *this; }
  };
  static std::uint64_t draws(const Data& data) { return data.n; }
  static double statistic(const Data& data) { return data.squares; }
  static bool accepts(const Data& data, double alpha) {
    if (data.n == 0) return true;
    return data.squares > 0 && std::isfinite(data.squares) &&
           chi_squared_below(data.n, data.squares) > alpha / 2 &&
           chi_squared_above(data.n, data.squares) > alpha / 2;
  }
  /// The larger of P(accept) at σ(1 + δ) and at σ(1 − δ), as there is no σ below 0. The other
  /// tail, which is rejected, too, is left out, below α/2.
  static double miss(std::uint64_t n, double delta, double alpha) {
    const boost::math::chi_squared law(real(n));
    const double least = quantile(law, alpha / 2), most = quantile(complement(law, alpha / 2));
    const double up = 1 + delta, down = 1 - delta;
    return std::max(chi_squared_below(n, most / (up * up)),
                    delta < 1 ? chi_squared_above(n, least / (down * down)) : 0.0);
  }
  static double smallest_effect(std::uint64_t n, Rates rates) {
    return smallest_effect_by([&](double e) { return miss(n, e, rates.alpha); }, rates.beta, 1e9);
  }
  static std::uint64_t draws_for(double e, Rates rates) {
    return fewest_draws([&](std::uint64_t n) { return miss(n, e, rates.alpha) <= rates.beta; });
  }
};

static_assert(StatisticalCheck<NormalMean> && StatisticalCheck<StudentMean> &&
              StatisticalCheck<BatchMean> && StatisticalCheck<NormalVariance>);

}  // namespace embedscale::properties::evidence
