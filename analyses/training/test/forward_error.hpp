#pragma once
// A number that carries a bound on how far any evaluation in a format may be from it, whatever the
// order of its sums: put in the place of double, it makes any primitive report how far libtorch's
// result may be from that over the reals.
//
// libtorch, OpenBLAS and their vectors take sums in orders of their own, fuse a·b + c, divide by a
// reciprocal, and take a factor into a sum or out of it: the bound allows for all of that, where
// RunningError speaks of the order as written. And what goes in by many ways is known to be one
// error by all of them (affine arithmetic: de Figueiredo and Stolfi 2004), or the bound of a block
// would grow by the sums of |w| of each layer, a thousandfold and more.
#include <embedscale/scalar.hpp>

#include <algorithm>
#include <cmath>
#include <compare>
#include <cstddef>
#include <limits>
#include <type_traits>
#include <vector>

#include "properties/evidence/rounding.hpp"

namespace embedscale::training {

/// Σ_k c_k ε_k of unknowns in [−1, 1]: errors that several numbers have in common. They are counted
/// in the order in which they are met; those of one evaluation follow each other.
class ErrorShares {
 public:
  bool empty() const { return shares_.empty(); }
  /// Σ|c_k|: no value is larger.
  double size() const {
    double sum = 0.0;
    for (const double share : shares_) sum += std::abs(share);
    return sum;
  }
  /// `share` times an unknown that no other combination has.
  void add_unknown(double share) {
    if (shares_.empty()) first_ = met_;
    shares_.resize(met_ - first_ + 1);
    shares_.back() = share;
    ++met_;
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

/// |x̂ − x| <= error() for what is computed in Real, x̂, and what the same operations give over the
/// reals, x. The value is an x̂ in 64 digits, which is within 2^-11 of the error: errors grow with
/// u at least proportionally, and that of 64 digits is 2^-11 of binary64's.
///
/// Sums of sums are one sum until it is used other than in a sum. With n terms t̂_i it
/// errs by γ_{n−1} Σ|t̂_i| in any order and grouping (Higham 2002, section 4.2); with two, by u of
/// the result. What a sum is multiplied or divided by is charged for Σ|t̂_i| in the place of its
/// value, as if it were taken into it.
///
/// x̂ = x + Σ shares + own: the shares are linear in the errors of what came before, and what is of
/// second order is in own. Exponential and logarithm err by 1 ulp, 2u at most (SLEEF's functions of
/// that class, _u10; glibc's are better). What underflows errs by less than the smallest normal
/// number. Comparisons see the value alone; relu, which is 1-Lipschitz, needs none.
///
/// What is used is rounded first, const or not: numbers are not for two threads at once.
template <class Real>
class ForwardError {
  static_assert(std::numeric_limits<long double>::digits >= 64);

 public:
  ForwardError() = default;
  /// A constant, which libtorch rounds to Real.
  template <class Number>
  requires std::is_arithmetic_v<Number> ForwardError(Number x)  // NOLINT: a number is one
      : value_(static_cast<long double>(x)),
        own_(size_of(value_ - static_cast<double>(static_cast<Real>(x)))),
        most_(own_) {}

  long double value() const { return value_; }
  double error() const { return is_stored() ? most_ : (shares_.size() + own_ + adding()) * above; }

  friend ForwardError operator+(const ForwardError& a, const ForwardError& b) {
    if (b.is_0()) return a;
    if (a.is_0()) return b;
    ForwardError sum = linear(a.value_ + b.value_, 1.0, a, 1.0, b);
    sum.own_ = (sum.own_ + a.own_ + b.own_) * above;
    sum.terms_ = a.terms_ + b.terms_;
    sum.sizes_ = (a.sum_of_sizes() + b.sum_of_sizes()) * above;
    return sum;
  }
  friend ForwardError operator-(const ForwardError& a, const ForwardError& b) {
    return a + -b.rounded();
  }
  friend ForwardError operator-(ForwardError a) {
    a.value_ = -a.value_;
    a.shares_ = a.shares_.times(-1.0);
    return a;
  }
  friend ForwardError operator*(const ForwardError& a, const ForwardError& b) {
    // (a + α)(b + β) = ab + aβ + bα + αβ
    if (a.is_0() || b.is_0()) return {};
    if (a.is_1()) return b;
    if (b.is_1()) return a;
    const double magnitude = a.magnitude() * b.magnitude();
    a.rounded(), b.rounded();
    return linear(a.value_ * b.value_, b.near(), a, a.near(), b)
        .plus(a.most_ * b.most_, u * magnitude);
  }
  friend ForwardError operator/(const ForwardError& a, const ForwardError& b) {
    // With q = a/b, (a + α)/(b + β) − q = (α − qβ)/(b + β) = (α − qβ)/b − (α − qβ)β/(b(b + β)).
    // By a reciprocal it is rounded twice.
    if (a.is_0()) return {};
    if (b.is_1()) return a;
    const double magnitude = a.magnitude();
    a.rounded(), b.rounded();
    const long double quotient = a.value_ / b.value_;
    const double q = static_cast<double>(quotient), away = b.away_from_0();
    return linear(quotient, 1.0 / b.near(), a, -q / b.near(), b)
        .plus((a.most_ + std::abs(q) * b.most_) * b.most_ / (away * away),
              gamma(2) * magnitude / away);
  }

  friend ForwardError sqrt(const ForwardError& a) {
    // √(a + α) − √a = α/2√a − α²/(2√a (√(a + α) + √a)²)
    const double low = a.rounded().away_from_0(), e = a.most_;
    const long double root = std::sqrt(a.value_);
    if (low == 0.0) return ForwardError(root, 0.0).plus(std::sqrt(e), u * std::sqrt(a.size()));
    return linear(root, 0.5 / static_cast<double>(root), a)
        .plus(e * e / (8.0 * low * std::sqrt(low)), u * std::sqrt(a.size()));
  }
  friend ForwardError exp(const ForwardError& a) {
    // e^(a + α) = e^a (1 + α + …), of which the rest is at most α²/2 e^|α|
    const double e = a.rounded().most_, power = static_cast<double>(std::exp(a.value_));
    const double most = power * std::exp(e * more);
    return linear(std::exp(a.value_), power, a).plus(0.5 * e * e * most, 2.0 * u * most);
  }
  friend ForwardError log(const ForwardError& a) {
    // ln(a + α) = ln a + α/a − …, of which the rest is at most α²/2(a − |α|)²
    const double away = a.rounded().away_from_0(), part = a.most_ / away;
    const long double value = std::log(a.value_);
    return linear(value, 1.0 / a.near(), a)
        .plus(0.5 * part * part, 2.0 * u * (size_of(value) + part * more));
  }
  friend ForwardError sin(const ForwardError& a) {
    return ForwardError(std::sin(a.value_), a.error()).plus(0.0, 2.0 * u);
  }
  friend ForwardError cos(const ForwardError& a) {
    return ForwardError(std::cos(a.value_), a.error()).plus(0.0, 2.0 * u);
  }
  friend ForwardError pow(const ForwardError& a, const ForwardError& b) { return exp(b * log(a)); }
  friend ForwardError relu(const ForwardError& a) {
    if (a.rounded().away_from_0() > 0.0) return a.value_ > 0 ? a : ForwardError();
    return {a.value_ > 0 ? a.value_ : 0.0L, a.most_};
  }

  friend bool operator==(const ForwardError& a, const ForwardError& b) {
    return a.value_ == b.value_;
  }
  friend auto operator<=>(const ForwardError& a, const ForwardError& b) {
    return a.value_ <=> b.value_;
  }
  ForwardError& operator+=(const ForwardError& b) { return *this = *this + b; }

 private:
  ForwardError(long double value, double own) : value_(value), own_(own), most_(own) {}

  /// `above` is for the bounds' own roundings, at most ten of double for each operation; `more` for
  /// that they are computed from values which are off by 2^-11 of an error.
  static constexpr double above = 1.0 + 0x1p-40, more = 1.0 + 0x1p-8;
  static constexpr double u = unit_roundoff<Real>, least = std::numeric_limits<Real>::min();
  static double gamma(std::size_t n) { return properties::gamma<Real>(n); }
  static double size_of(long double x) { return std::abs(static_cast<double>(x)); }

  bool is_stored() const { return terms_ == 1 && own_ == 0.0; }
  bool is_0() const { return value_ == 0 && error() == 0.0; }
  bool is_1() const { return value_ == 1 && error() == 0.0; }
  double near() const { return static_cast<double>(value_); }
  /// x and x̂ are no larger, and no smaller: 0 where they may be that.
  double size() const { return size_of(value_) + most_ * more; }
  double away_from_0() const { return std::max(0.0, size_of(value_) - most_ * more); }
  double sum_of_sizes() const { return terms_ == 1 ? size() : sizes_; }
  /// Of a sum, that of its terms with what adding them may make of them.
  double magnitude() const {
    return sizes_ == 0.0 ? size() : sizes_ * (1.0 + gamma(terms_)) + error();
  }
  /// What adding the terms errs by.
  double adding() const {
    if (terms_ == 2) return u * size();
    return terms_ == 1 ? 0.0 : gamma(terms_ - 1) * sizes_;
  }

  /// Its own error becomes one that others may share.
  const ForwardError& rounded() const {
    if (is_stored()) return *this;
    shares_.add_unknown(own_ + adding());
    sizes_ *= 1.0 + gamma(terms_);
    own_ = 0.0, terms_ = 1;
    most_ = shares_.size() * above;
    return *this;
  }

  /// The value with c times the errors of a, and d times those of b.
  static ForwardError linear(long double value, double c, const ForwardError& a, double d = 0.0,
                             const ForwardError& b = {}) {
    ForwardError out;
    out.value_ = value;
    out.shares_ = ErrorShares::combined(c, a.shares_, d, b.shares_);
    out.most_ = (std::abs(c) * a.most_ + std::abs(d) * b.most_) * above;
    out.own_ = out.most_ * (above - 1.0);  // for the roundings of the shares
    return out;
  }
  ForwardError plus(double second_order, double rounded) {
    const double more_own = (second_order * more + rounded + least) * above;
    own_ = (own_ + more_own) * above, most_ = (most_ + more_own) * above;
    return *this;
  }

  long double value_ = 0;
  mutable ErrorShares shares_;
  mutable double own_ = 0.0;
  mutable double most_ = 0.0;   ///< of the terms; of a number that is stored, its error
  mutable double sizes_ = 0.0;  ///< Σ|t̂_i|, also after they were added; 0 where it is stored
  mutable std::size_t terms_ = 1;
};

}  // namespace embedscale::training

/// The limits are those of the values.
template <class Real>
struct std::numeric_limits<embedscale::training::ForwardError<Real>>
    : std::numeric_limits<long double> {};
