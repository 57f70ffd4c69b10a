#pragma once
// What measured values are accumulated by, case by case.
#include "properties/evidence/proportion.hpp"

#include <cmath>
#include <cstdint>
#include <functional>
#include <ranges>
#include <utility>

#include "report/loops.hpp"
#include "report/value.hpp"

namespace embedscale::report {

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
  operator Value() const { return {static_cast<double>(hits_), *this, Standing::fixed}; }
  /// In how many it is not.
  Value misses() const { return {static_cast<double>(cases() - hits_), *this, Standing::fixed}; }
  /// Of all the cases that there are.  Requires  a case.
  Value share_of_all() const { return Value::of_all(quotient(), *this); }
  /// Of drawn cases, with the interval of Clopper and Pearson.  Requires  a case.
  Value share(double confidence) const {
    const auto interval = [this](double at) {
      return properties::evidence::clopper_pearson(cases(), hits_, 1 - at);
    };
    return Estimate(quotient(), *this).with_interval(interval, confidence);
  }

 private:
  double quotient() const { return static_cast<double>(hits_) / static_cast<double>(cases()); }
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
  operator Value() const { return times(1); }
  /// In another unit.
  Value times(double factor) const { return {factor * value_, *this, Standing::greatest}; }

 private:
  double value_ = 0;
  std::uint64_t at_ = 0;
};

/// The sum of the cases' values, in their order, and their spread.
class Sum : public Counted {
 public:
  template <class Case>
  double evaluate(Case&& one) {
    const auto x = this->evaluated(std::forward<Case>(one));
    if (x) total_ += *x, sample_.add(*x);
    return x.value_or(NAN);
  }
  Sum& operator+=(const Sum& other) {
    add_cases(other);
    return total_ += other.total_, sample_ += other.sample_, *this;
  }
  double total() const { return total_; }
  double mean() const { return total_ / static_cast<double>(cases()); }
  /// Of the mean, by the draws' own variance.
  double standard_error() const {
    return std::sqrt(sample_.variance() / static_cast<double>(cases()));
  }
  /// The mean of all the cases that there are.
  Value of_all() const { return Value::of_all(mean(), *this); }
  /// The mean of draws with its interval, by Student's t.
  Value with_error(const NormalConfidence& at) const {
    const auto interval = [this](double confidence) {
      return properties::evidence::mean_interval(sample_, 1 - confidence);
    };
    return Estimate(mean(), *this).with_interval(interval, at.confidence());
  }

 private:
  double total_ = 0;
  properties::evidence::Sample sample_{};
};

/// The quotient of two means over the same draws, of which each gives a pair.
class Quotient : public Counted {
 public:
  template <class Case>
  void evaluate(Case&& one) {
    const auto pair = this->evaluated(std::forward<Case>(one));
    if (pair) sample_.add(pair->first, pair->second);
  }
  Quotient& operator+=(const Quotient& other) {
    add_cases(other);
    return sample_ += other.sample_, *this;
  }
  double value() const { return sample_.x / sample_.y; }
  /// With its interval, by Student's t and Fieller.
  Value with_error(const NormalConfidence& at) const {
    const auto interval = [this](double confidence) {
      return properties::evidence::quotient_interval(sample_, 1 - confidence);
    };
    return Estimate(value(), *this).with_interval(interval, at.confidence());
  }

 private:
  properties::evidence::PairedSample sample_{};
};

/// Cases 0 … n−1, one after the other: over<Tally>(n, test).
template <class Accumulator, class Case>
Accumulator over(std::uint64_t n, Case one) {
  Accumulator all;
  Loop loop(n);
  for (std::uint64_t i = 0; i < n; ++i, loop.step()) all.evaluate([&] { return one(i); });
  return all;
}
/// Of each of these, in their order: over<Tally>(systems, is_balanced).
template <class Accumulator, std::ranges::sized_range Range, class Case>
Accumulator over(const Range& these, Case one) {
  auto at = std::ranges::begin(these);
  return over<Accumulator>(std::ranges::size(these),
                           [&](std::uint64_t) { return std::invoke(one, *at++); });
}

}  // namespace embedscale::report
