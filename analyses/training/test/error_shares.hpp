#pragma once
// A linear combination of unknowns, each in [−1, 1]: errors that several numbers have in common.
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <vector>

namespace embedscale::training {

/// Σ_k c_k ε_k. Unknowns have numbers, given in the order in which they are met; those of one
/// evaluation follow each other.
class ErrorShares {
 public:
  bool empty() const { return shares_.empty(); }
  /// Σ|c_k|: no value is larger.
  double size() const {
    double sum = 0.0;
    for (const double share : shares_) sum += std::abs(share);
    return sum;
  }
  /// How many unknowns were met so far.
  static std::size_t met() { return met_; }
  /// `share` times an unknown that no other combination has.
  void add_unknown(double share) {
    if (shares_.empty()) first_ = met_;
    shares_.resize(met_ - first_ + 1);
    shares_.back() = share;
    ++met_;
  }
  /// Without the unknowns from this one on, whose Σ|c_k| it returns.
  double forget_from(std::size_t unknown) {
    const std::size_t kept = std::min(shares_.size(), std::max(unknown, first_) - first_);
    double sum = 0.0;
    for (std::size_t k = kept; k < shares_.size(); ++k) sum += std::abs(shares_[k]);
    shares_.resize(kept);
    return sum;
  }
  /// a·x + b·y.
  static ErrorShares combined(double a, const ErrorShares& x, double b, const ErrorShares& y) {
    if (x.empty()) return y.times(b);
    if (y.empty()) return x.times(a);
    if (x.first_ > y.first_) return combined(b, y, a, x);
    ErrorShares out = x.times(a);
    out.shares_.resize(std::max(x.end(), y.end()) - x.first_);
    double* to = out.shares_.data() + (y.first_ - x.first_);
    for (std::size_t k = 0; k < y.shares_.size(); ++k) to[k] += b * y.shares_[k];
    return out;
  }
  ErrorShares times(double a) const {
    ErrorShares out = *this;
    if (a != 1.0)
      for (double& share : out.shares_) share *= a;
    return out;
  }

 private:
  std::size_t end() const { return first_ + shares_.size(); }
  static inline thread_local std::size_t met_ = 0;
  std::size_t first_ = 0;
  std::vector<double> shares_;
};

}  // namespace embedscale::training
