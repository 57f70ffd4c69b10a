#pragma once
// Checks of one normal law. The laws of their statistics are exact at every n (Boost.Math), and so
// are the power functions, by which smallest effects are found.
#include <cstdint>
#include <string_view>

#include "power.hpp"

namespace embedscale::properties::evidence {

/// Mean of a normal law of known σ: Σz/√n ~ N(0, 1), where z = (x − μ)/σ. A null of more than one
/// point (a formula that is right to within an error) is an interval around 0, in σ.
struct NormalMean : ByMiss<NormalMean> {
  static constexpr std::string_view name = "mean of a normal distribution, σ known";
  static constexpr std::string_view effect = "deviation of the mean, in σ";
  struct Data {
    std::uint64_t n = 0;
    double sum = 0;
    Interval null{0, 0};
    void add(double z) { ++n, sum += z; }
  };
  static double statistic(const Data& data);
  /// The tail beyond |t| is α/2 on each side. Sums that are no numbers are rejected here and below.
  static bool accepts(const Data& data, double alpha);
  /// P(|Z + δ√n| <= c) at a deviation of ±δ.
  static double miss(std::uint64_t n, double delta, double alpha);
  static constexpr double largest_effect() { return 1e6; }
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
  /// Chan, Golub and LeVeque 1983.
  Sample& operator+=(const Sample& other) {
    if (other.n == 0) return *this;
    const double from = other.mean - mean, share = real(other.n) / real(n + other.n);
    squares += other.squares + from * from * real(n) * share;
    mean += from * share;
    n += other.n;
    return *this;
  }
};

/// Mean of a normal law of unknown σ: (mean − μ)/(s/√n) is Student's t with n − 1 degrees of
/// freedom, and of noncentrality δ√n at a deviation of δσ.
struct StudentMean : ByMiss<StudentMean> {
  static constexpr std::string_view name = "mean of a normal distribution, σ unknown";
  static constexpr std::string_view effect = "deviation of the mean, in σ";
  struct Data {
    Sample sample{};
    Interval null{0, 0};  ///< where the mean may be, in the unit of x
    void add(double x) { sample.add(x); }
  };
  static double statistic(const Data& data);
  static bool accepts(const Data& data, double alpha);
  /// P(T <= c) at +δ: the other tail, which is rejected, too, is left out, below α/2.
  static double miss(std::uint64_t n, double delta, double alpha);
  static constexpr double largest_effect() { return 64; }
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
  static bool accepts(const Data& data, double alpha) {
    return StudentMean::accepts(data, alpha / alpha_guard);
  }
  static double smallest_effect(std::uint64_t n, Rates rates) {
    return StudentMean::smallest_effect(n, {rates.alpha / alpha_guard, rates.beta / beta_guard});
  }
};

/// Variance of a normal law of mean 0: Σ(x/σ)² ~ χ²_n. Cases of any σ pool into one Data.
struct NormalVariance : ByMiss<NormalVariance> {
  static constexpr std::string_view name = "variance of a normal distribution";
  static constexpr std::string_view effect = "relative deviation of σ";
  struct Data {
    std::uint64_t n = 0;
    double squares = 0;
    void add(double z) { ++n, squares += z * z; }  ///< z = x/σ
    Data& operator+=(const Data& other) { return n += other.n, squares += other.squares, *this; }
  };
  static double statistic(const Data& data) { return data.squares; }
  static bool accepts(const Data& data, double alpha);
  /// The larger of P(accept) at σ(1 + δ) and at σ(1 − δ), as there is no σ below 0. The other
  /// tail, which is rejected, too, is left out, below α/2.
  static double miss(std::uint64_t n, double delta, double alpha);
  static constexpr double largest_effect() { return 1e9; }
};

}  // namespace embedscale::properties::evidence
