#pragma once
// Measured values. How many cases stand behind one is counted where they are evaluated, and told by
// nobody; an interval is made together with the confidence that it is labelled with.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <optional>
#include <string>
#include <type_traits>
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
    if constexpr (std::is_arithmetic_v<std::remove_const_t<decltype(result)>>) {
      ++cases_;
      return std::optional(result);
    } else {
      cases_ += result.has_value() ? 1 : 0;
      return result;
    }
  }
  void add_cases(const Counted& other) { cases_ += other.cases_; }

 private:
  std::uint64_t cases_ = 0;
};

/// Of how many standard errors an interval of a nearly normal estimate reaches, and how sure it is.
class NormalConfidence {
 public:
  double confidence() const { return confidence_; }
  double deviations() const { return deviations_; }
  static const NormalConfidence p999, p9999;  ///< 3.29 standard errors, 99.9 %; 3.89, 99.99 %

 private:
  constexpr NormalConfidence(double confidence, double deviations)
      : confidence_(confidence), deviations_(deviations) {}
  double confidence_, deviations_;
};
inline constexpr NormalConfidence NormalConfidence::p999{0.999, 3.29};
inline constexpr NormalConfidence NormalConfidence::p9999{0.9999, 3.89};

/// A number, the cases that it was computed from, and the interval that it is known to lie in.
class Value {
 public:
  /// A closed form, an integral: evaluated once.
  Value(double x) : value_(x) {}
  /// x, computed from what was accumulated over these cases.
  Value(double x, const Counted& cases) : value_(x), samples_(cases.cases()) {}

  /// With error bars of an estimate that is nearly normal.
  Value with_error(double standard_error, const NormalConfidence& at) const {
    return bounded(value_ - at.deviations() * standard_error,
                   value_ + at.deviations() * standard_error, at.confidence());
  }
  /// Certain to be within `error`, of a quadrature for instance.
  Value enclosed(double error) const {
    return bounded(value_ - error, value_ + error, std::nullopt);
  }
  /// Within [lower, upper], for a reason that the method tells.
  Value enclosed(double lower, double upper) const { return bounded(lower, upper, std::nullopt); }
  /// With an interval of a check in properties/evidence at that level: compute it from
  /// `confidence`.
  template <class IntervalAt>
  Value with_interval(IntervalAt at, double confidence) const {
    const auto interval = at(confidence);
    return bounded(interval.lower, interval.upper, confidence);
  }
  /// Within ends that other intervals lead to, each as sure as that of `other`.
  Value as_sure_as(const Value& other, double lower, double upper) const {
    return bounded(lower, upper, other.confidence_);
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
  Value bounded(std::optional<double> lower, std::optional<double> upper,
                std::optional<double> confidence) const {
    Value copy = *this;
    copy.lower_ = lower, copy.upper_ = upper, copy.confidence_ = confidence;
    return copy;
  }
  double value_;
  std::uint64_t samples_ = 1;
  std::optional<double> lower_{}, upper_{}, confidence_{};
  std::optional<std::string> method_{};
  std::optional<int> digits_{};
};

/// In how many cases something is true.
class Tally : public Counted {
 public:
  template <class Case>
  bool evaluate(Case&& one) {
    const bool hit = this->evaluated(std::forward<Case>(one)).value_or(false);
    hits_ += hit ? 1 : 0;
    return hit;
  }
  Tally& operator+=(const Tally& other) {
    add_cases(other);
    return hits_ += other.hits_, *this;
  }
  std::uint64_t hits() const { return hits_; }
  operator Value() const { return {static_cast<double>(hits_), *this}; }
  /// Requires  a case.
  Value share() const { return {static_cast<double>(hits_) / static_cast<double>(cases()), *this}; }

 private:
  std::uint64_t hits_ = 0;
};

/// The greatest of the cases' values, 0 if none is above it; a NaN stays.
class Greatest : public Counted {
 public:
  template <class Case>
  double evaluate(Case&& one) {
    const auto x = this->evaluated(std::forward<Case>(one));
    if (x && !(*x <= value_)) value_ = *x, at_ = cases() - 1;
    return x.value_or(NAN);
  }
  Greatest& operator+=(const Greatest& other) {
    if (!(other.value_ <= value_)) value_ = other.value_, at_ = cases() + other.at_;
    add_cases(other);
    return *this;
  }
  double value() const { return value_; }
  /// Which case it was, from 0.
  std::uint64_t at() const { return at_; }
  operator Value() const { return {value_, *this}; }

 private:
  double value_ = 0;
  std::uint64_t at_ = 0;
};

/// The sum of the cases' values and of their squares, in their order.
class Sum : public Counted {
 public:
  template <class Case>
  double evaluate(Case&& one) {
    const auto x = this->evaluated(std::forward<Case>(one));
    if (x) total_ += *x, squares_ += *x * *x;
    return x.value_or(NAN);
  }
  Sum& operator+=(const Sum& other) {
    add_cases(other);
    return total_ += other.total_, squares_ += other.squares_, *this;
  }
  double total() const { return total_; }
  double mean() const { return total_ / static_cast<double>(cases()); }
  /// Of the mean, by the sample's own variance.
  double standard_error() const {
    const auto n = static_cast<double>(cases());
    return std::sqrt(std::max(0.0, squares_ / n - mean() * mean()) / n);
  }
  operator Value() const { return {mean(), *this}; }
  /// The mean with its interval.
  Value with_error(const NormalConfidence& at) const {
    return Value(mean(), *this).with_error(standard_error(), at);
  }

 private:
  double total_ = 0, squares_ = 0;
};

/// Cases 0 … n−1, one after the other: over<Tally>(n, test).
template <class Accumulator, class Case>
Accumulator over(std::uint64_t n, Case one) {
  Accumulator all;
  for (std::uint64_t i = 0; i < n; ++i) all.evaluate([&] { return one(i); });
  return all;
}

}  // namespace embedscale::report
