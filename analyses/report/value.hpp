#pragma once
// Measured values. How many cases stand behind one is counted where they are evaluated; what draws
// estimate is no value without its interval and the confidence of that.
#include "properties/evidence/interval.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>

namespace embedscale::report {

/// Counts cases by evaluating them.
class Counted {
 public:
  std::uint64_t cases() const { return cases_; }

 protected:
  /// The case's result; empty for one that is none (it is then not counted).
  template <class Case>
  auto evaluated(Case&& one) {
    const auto result = std::forward<Case>(one)();
    if constexpr (requires { result.has_value(); }) {
      cases_ += result.has_value() ? 1 : 0;
      return result;
    } else {
      ++cases_;
      return std::optional(result);
    }
  }
  void add_cases(const Counted& other) { cases_ += other.cases_; }
  /// For a kind that knows of cases which another run of the project evaluated.
  void add_cases(std::uint64_t cases) { cases_ += cases; }

 private:
  std::uint64_t cases_ = 0;
};

/// How sure the interval of a nearly normal estimate is.
class NormalConfidence {
 public:
  double confidence() const { return confidence_; }
  /// Of how many standard errors it reaches where these are known.
  double deviations() const { return properties::evidence::normal_deviations(1 - confidence_); }
  static const NormalConfidence p999, p9999;  ///< 3.29 standard errors, 99.9 %; 3.89, 99.99 %

 private:
  constexpr explicit NormalConfidence(double confidence) : confidence_(confidence) {}
  double confidence_;
};
inline constexpr NormalConfidence NormalConfidence::p999{0.999};
inline constexpr NormalConfidence NormalConfidence::p9999{0.9999};

/// What a value were with other random numbers.
enum class Standing {
  fixed,      ///< the same: a closed form, all cases that there are, a count of those that fail
  estimated,  ///< another within its interval
  greatest,   ///< another: of the cases looked at, no more than that of all
  example     ///< another's: that of one drawn case, an example of its size
};

/// A number, the cases that it was computed from, and the interval that it is known to lie in.
class Value {
 public:
  /// A closed form, an integral: evaluated once.
  Value(double x) : value_(x) {}
  /// x, computed from all the cases that there are.
  static Value of_all(double x, const Counted& cases) { return {x, cases, Standing::fixed}; }
  /// The greatest of so many drawn cases.
  static Value greatest_of(double x, const Counted& cases) {
    return {x, cases, Standing::greatest};
  }
  /// Of one drawn case, which a reader may take for its size and no more.
  static Value example(double x) {
    Value one = x;
    one.standing_ = Standing::example;
    return one;
  }

  /// Certain to be within `error`, of a quadrature for instance.
  Value enclosed(double error) const { return enclosed(value_ - error, value_ + error); }
  /// Within [lower, upper], for a reason that the method tells.
  Value enclosed(double lower, double upper) const { return bounded(lower, upper, std::nullopt); }
  /// What a monotone function makes of it and of its ends.
  template <class Function>
  Value mapped(Function f) const {
    Value out = *this;
    out.value_ = f(value_);
    if (!lower_ || !upper_) return out;
    const double first = f(*lower_), last = f(*upper_);
    return out.bounded(std::min(first, last), std::max(first, last), confidence_);
  }
  /// |x|, where the sign does not matter.
  Value magnitude() const {
    Value out = *this;
    out.value_ = std::abs(value_);
    if (!lower_ || !upper_) return out;
    const double least = std::max({0.0, *lower_, -*upper_});
    return out.bounded(least, std::max(-*lower_, *upper_), confidence_);
  }
  /// By another method than the rest of its sweep.
  Value by(std::string method) const {
    Value copy = *this;
    copy.method_ = std::move(method);
    return copy;
  }
  /// Known to other digits than its quantity usually is.
  Value to_digits(int digits) const {
    Value copy = *this;
    copy.digits_ = digits;
    return copy;
  }

  double value() const { return value_; }
  std::uint64_t samples() const { return samples_; }
  Standing standing() const { return standing_; }
  const std::optional<double>& lower() const { return lower_; }
  const std::optional<double>& upper() const { return upper_; }
  const std::optional<double>& confidence() const { return confidence_; }
  const std::optional<std::string>& method() const { return method_; }
  const std::optional<int>& digits() const { return digits_; }

  /// Of two independent estimates, both known to be positive: their quotient, as sure as that
  /// neither interval is missed.
  friend Value quotient(const Value& a, const Value& b) {
    Value out = a.bounded(std::nullopt, std::nullopt, std::nullopt);
    out.value_ /= b.value_;
    if (!a.lower_ || !b.lower_ || !a.confidence_ || !b.confidence_) return out;
    return out.bounded(*a.lower_ / *b.upper_, *a.upper_ / *b.lower_,
                       1 - ((1 - *a.confidence_) + (1 - *b.confidence_)));
  }

 private:
  friend class Estimate;
  friend class Tally;
  friend class Greatest;
  Value(double x, const Counted& cases, Standing standing)
      : value_(x), samples_(cases.cases()), standing_(standing) {}
  Value bounded(std::optional<double> lower, std::optional<double> upper,
                std::optional<double> confidence) const {
    Value copy = *this;
    copy.lower_ = lower, copy.upper_ = upper, copy.confidence_ = confidence;
    return copy;
  }
  double value_;
  std::uint64_t samples_ = 1;
  Standing standing_ = Standing::fixed;
  std::optional<double> lower_{}, upper_{}, confidence_{};
  std::optional<std::string> method_{};
  std::optional<int> digits_{};
};

/// What draws tell of a figure: no value before it has its interval.
class Estimate {
 public:
  /// x, computed from what was accumulated over these draws.
  Estimate(double x, const Counted& draws) : value_(x, draws, Standing::estimated) {}

  /// With error bars of a known standard error.
  Value with_error(double standard_error, const NormalConfidence& at) const {
    const double reach = at.deviations() * standard_error, x = value_.value();
    return value_.bounded(x - reach, x + reach, at.confidence());
  }
  /// With an interval of a check in properties/evidence at that level: compute it from
  /// `confidence`.
  template <class IntervalAt>
  Value with_interval(IntervalAt at, double confidence) const {
    const auto interval = at(confidence);
    return value_.bounded(interval.lower, interval.upper, confidence);
  }
  /// Within ends that other intervals lead to, each as sure as that of `other`.
  Value as_sure_as(const Value& other, double lower, double upper) const {
    return value_.bounded(lower, upper, other.confidence());
  }

 private:
  Value value_;
};

}  // namespace embedscale::report
