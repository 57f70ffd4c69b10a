#pragma once
// A number that carries a bound of its own rounding error: put in the place of double, it makes any
// primitive report how far its result may be from that over the reals.
//
// Each operation adds what its rounding may do to what the errors of its operands become by it
// (running error analysis: Higham 2002, section 3.3). The values are those of Real, bit for bit.
#include <algorithm>
#include <cmath>
#include <compare>
#include <concepts>
#include <limits>
#include <type_traits>

namespace embedscale::properties {

/// |value − exact| <= error, where `exact` is what the same operations give over the reals.
///
/// Comparisons see the value alone: where a branch depends on them, the exact number has to be on
/// the same side, or the bound speaks of the other branch. Constants are exact: so is a factor such
/// as attention_scale, if it is given as a number of Real.
///
/// Rounding is to nearest for a built-in Real; any faithful one, u = ε, for others. Elementary
/// functions may err by two units in the last place, or by 2^4 for others.
template <class Real>
class RunningError {
 public:
  /// Of what it is rounded to.
  static constexpr const char* name = std::same_as<Real, double> ? "binary64" : "50 digits";

  RunningError() = default;
  RunningError(const Real& exact) : value_(exact) {}  // NOLINT: as exact as the number
  template <class Number>
  requires std::is_arithmetic_v<Number> &&
      (!std::same_as<Number, Real>)RunningError(Number exact)  // NOLINT
      : value_(static_cast<Real>(exact)) {}
  RunningError(const Real& value, double error) : value_(value), error_(error) {}

  const Real& value() const { return value_; }
  double error() const { return error_; }

  friend RunningError operator+(const RunningError& a, const RunningError& b) {
    return made(a.value_ + b.value_, a.error_ + b.error_, a.is_0() || b.is_0() ? 0.0 : u);
  }
  friend RunningError operator-(const RunningError& a, const RunningError& b) { return a + -b; }
  friend RunningError operator*(const RunningError& a, const RunningError& b) {
    // (â + α)(b̂ + β) − âb̂ = âβ + b̂α + αβ
    return made(a.value_ * b.value_,
                a.size() * b.error_ + b.size() * a.error_ + a.error_ * b.error_,
                a.is_0() || b.is_0() ? 0.0 : u);
  }
  friend RunningError operator/(const RunningError& a, const RunningError& b) {
    // (â + α)/(b̂ + β) − â/b̂ = (α − β â/b̂)/(b̂ + β), and |â/b̂| <= |fl(â/b̂)|(1 + u)
    const Real quotient = a.value_ / b.value_;
    const double away = b.size() - b.error_;
    const double carried =
        away > 0.0 ? (a.error_ + b.error_ * absolute(quotient) * (1.0 + u)) / away : unbounded;
    return made(quotient, carried, a.is_0() ? 0.0 : u);
  }
  friend RunningError operator-(const RunningError& a) { return {-a.value_, a.error_}; }

  friend RunningError sqrt(const RunningError& a) {
    // |√(â + α) − √â| = |α|/(√(â + α) + √â) <= |α|/√â, and <= √|α|
    using std::sqrt;
    const Real root = sqrt(a.value_);
    const double size = absolute(root);
    const double steep = size > 0.0 ? a.error_ / size * (1.0 + u) : unbounded;
    return made(root, std::min(steep, std::sqrt(a.error_)), u);
  }
  friend RunningError exp(const RunningError& a) {
    using std::exp;
    const Real power = exp(a.value_);
    return made(power, absolute(power) * (1.0 + function) * std::expm1(a.error_), function);
  }
  friend RunningError log(const RunningError& a) {
    using std::log;
    const double away = a.size() - a.error_;
    return made(log(a.value_), away > 0.0 ? a.error_ / away : unbounded, function);
  }
  friend RunningError sin(const RunningError& a) {
    using std::sin;
    return made(sin(a.value_), a.error_, function);
  }
  friend RunningError cos(const RunningError& a) {
    using std::cos;
    return made(cos(a.value_), a.error_, function);
  }
  friend RunningError pow(const RunningError& a, const RunningError& b) { return exp(b * log(a)); }

  friend bool operator==(const RunningError& a, const RunningError& b) {
    return a.value_ == b.value_;
  }
  friend auto operator<=>(const RunningError& a, const RunningError& b) {
    return a.value_ <=> b.value_;
  }

  RunningError& operator+=(const RunningError& b) { return *this = *this + b; }
  RunningError& operator-=(const RunningError& b) { return *this = *this - b; }
  RunningError& operator*=(const RunningError& b) { return *this = *this * b; }
  RunningError& operator/=(const RunningError& b) { return *this = *this / b; }

 private:
  static constexpr bool built_in = std::is_floating_point_v<Real>;
  static constexpr double unbounded = std::numeric_limits<double>::infinity();
  static inline const double epsilon = static_cast<double>(std::numeric_limits<Real>::epsilon());
  static inline const double u = built_in ? epsilon / 2 : epsilon;
  static inline const double function = built_in ? 2 * epsilon : 16 * epsilon;

  // Up to half a unit of double more than the size, where Real is wider: `above` covers it.
  static double absolute(const Real& x) { return std::abs(static_cast<double>(x)); }
  double size() const { return absolute(value_); }
  bool is_0() const { return value_ == Real(0); }

  // The bounds are computed in double, at most ten roundings for each operation: 2^-40 more is more
  // than they take away. What underflows errs by less than the smallest normal number.
  static RunningError made(const Real& value, double carried, double relative) {
    constexpr double above = 1.0 + 0x1p-40, least = std::numeric_limits<double>::min();
    const double size = absolute(value);
    const double rounded = size * relative + (relative > 0.0 && size < least ? least : 0.0);
    return {value, (carried + rounded) * above};
  }

  Real value_ = Real(0);
  double error_ = 0.0;
};

/// |a − b| as a share of what rounding may have made of two numbers that are equal over the reals:
/// the sum of both errors, and `more` where they differ by as much. 0 if nothing is measured and
/// nothing allowed; infinite where nothing is known.
template <class Real>
double share_of_errors(const RunningError<Real>& a, const RunningError<Real>& b,
                       double more = 0.0) {
  const double apart = std::abs(static_cast<double>(Real(a.value() - b.value())));
  const double allowed = a.error() + b.error() + more;
  if (apart == 0.0 && allowed == 0.0) return 0.0;
  const double share = std::isfinite(allowed) ? apart / allowed : HUGE_VAL;
  return std::isnan(share) ? HUGE_VAL : share;
}

}  // namespace embedscale::properties

/// The limits are those of the values.
template <class Real>
struct std::numeric_limits<embedscale::properties::RunningError<Real>> : std::numeric_limits<Real> {
};
