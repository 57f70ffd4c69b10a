#pragma once
// Numbers of 50 and 100 decimal digits, as what a result is compared with. MPFR's numbers behind
// operators that are compiled once; neither its header nor its allocations are met here.
#include <array>
#include <compare>
#include <concepts>
#include <iosfwd>
#include <limits>
#include <string>
#include <type_traits>
#include <utility>

namespace embedscale::properties::exact {

class Rational;

/// A binary floating-point number that holds this many decimal digits, its exponents between
/// ±(2^30 - 1). Every operation and function rounds to nearest, ties to even.
///
/// Infinities and NaNs as in IEEE 754. Instantiated for 50 and 100 digits.
template <int digits>
class Decimal {
 public:
  static constexpr const char* name = digits == 50 ? "50 digits" : "100 digits";
  /// As many binary digits as Boost.Multiprecision's cpp_bin_float<digits>: 168 and 334.
  static constexpr int precision = digits * 1000 / 301 + 2;

  Decimal() = default;
  template <class Number>
  requires std::is_arithmetic_v<Number> Decimal(Number x) {  // NOLINT: exact up to 168 digits
    if constexpr (std::same_as<Number, long double>)
      assign(x);
    else if constexpr (std::is_floating_point_v<Number>)
      assign(static_cast<double>(x));
    else if constexpr (std::is_signed_v<Number>)
      assign(static_cast<long>(x));
    else
      assign(static_cast<unsigned long>(x));
  }
  /// "1e-40".  Errors: std::invalid_argument unless all of the text is a number.
  explicit Decimal(const char* text);
  explicit Decimal(const Rational& x);
  template <int other>
  explicit Decimal(const Decimal<other>& x);

  static Decimal pi();
  static Decimal euler();  ///< Euler's constant, 0.577…

  friend Decimal operator+(const Decimal& x, const Decimal& y) { return of(Two::add, x, y); }
  friend Decimal operator-(const Decimal& x, const Decimal& y) { return of(Two::subtract, x, y); }
  friend Decimal operator*(const Decimal& x, const Decimal& y) { return of(Two::multiply, x, y); }
  friend Decimal operator/(const Decimal& x, const Decimal& y) { return of(Two::divide, x, y); }
  friend Decimal operator-(Decimal x) {
    x.kind_ = -x.kind_;
    return x;
  }
  friend Decimal operator+(const Decimal& x) { return x; }
  Decimal& operator+=(const Decimal& y) { return *this = *this + y; }
  Decimal& operator-=(const Decimal& y) { return *this = *this - y; }
  Decimal& operator*=(const Decimal& y) { return *this = *this * y; }
  Decimal& operator/=(const Decimal& y) { return *this = *this / y; }

  friend bool operator==(const Decimal& x, const Decimal& y) { return compare(x, y) == 0; }
  friend std::partial_ordering operator<=>(const Decimal& x, const Decimal& y) {
    return compare(x, y);
  }

  friend Decimal sqrt(const Decimal& x) { return of(One::sqrt, x); }
  friend Decimal exp(const Decimal& x) { return of(One::exp, x); }
  friend Decimal log(const Decimal& x) { return of(One::log, x); }
  friend Decimal sin(const Decimal& x) { return of(One::sin, x); }
  friend Decimal cos(const Decimal& x) { return of(One::cos, x); }
  friend Decimal asin(const Decimal& x) { return of(One::asin, x); }
  friend Decimal floor(const Decimal& x) { return of(One::floor, x); }
  friend Decimal tgamma(const Decimal& x) { return of(One::tgamma, x); }
  /// ln |Γ(x)|.
  friend Decimal lgamma(const Decimal& x) { return of(One::lgamma, x); }
  friend Decimal pow(const Decimal& x, const Decimal& y) { return of(Two::pow, x, y); }
  friend Decimal fmod(const Decimal& x, const Decimal& y) { return of(Two::fmod, x, y); }
  friend Decimal ldexp(const Decimal& x, int exponent) { return x.shifted(exponent); }
  /// m with x = m·2^exponent, 1/2 <= |m| < 1, and the exponent.
  friend Decimal frexp(Decimal x, int* exponent) {
    *exponent = static_cast<int>(std::exchange(x.exponent_, 0));
    return x;
  }
  friend Decimal abs(const Decimal& x) { return x.kind_ < 0 ? -x : x; }
  friend bool isnan(const Decimal& x) { return x.kind_ == nan; }
  friend bool isinf(const Decimal& x) { return x.kind_ == infinite || x.kind_ == -infinite; }
  friend bool isfinite(const Decimal& x) { return !isnan(x) && !isinf(x); }

  /// Rounded once, to nearest, ties to even.
  explicit operator double() const;
  explicit operator float() const;
  explicit operator long double() const;
  /// Its own value.  Errors: std::domain_error unless finite.
  explicit operator Rational() const;

  /// This many significant digits.
  std::string str(int significant = digits) const;
  /// As many as the stream's precision.
  friend std::ostream& operator<<(std::ostream& out, const Decimal& x) { return x.write(out); }

 private:
  template <int>
  friend class Decimal;
  friend std::numeric_limits<Decimal>;
  struct Mpfr;
  enum class One { sqrt, exp, log, sin, cos, asin, floor, tgamma, lgamma };
  enum class Two { add, subtract, multiply, divide, pow, fmod };
  static Decimal of(One function, const Decimal& x);
  static Decimal of(Two function, const Decimal& x, const Decimal& y);
  static std::partial_ordering compare(const Decimal& x, const Decimal& y);
  Decimal shifted(int exponent) const;
  std::ostream& write(std::ostream& out) const;
  void assign(long n);
  void assign(unsigned long n);
  void assign(double x);
  void assign(long double x);

  // MPFR's parts of a number: its kind, negative where the number is; ±0.b1b2b3…·2^exponent.
  static constexpr int nan = 0, infinite = 1, zero = 2;
  int kind_ = zero;
  long exponent_ = 0;
  std::array<unsigned long, (precision + 63) / 64> significand_{};
};

extern template class Decimal<50>;
extern template class Decimal<100>;

using Decimal50 = Decimal<50>;
using Decimal100 = Decimal<100>;

}  // namespace embedscale::properties::exact

template <int decimals>
struct std::numeric_limits<embedscale::properties::exact::Decimal<decimals>> {
  using Number = embedscale::properties::exact::Decimal<decimals>;
  static constexpr bool is_specialized = true, is_signed = true, is_integer = false;
  static constexpr bool is_exact = false, is_iec559 = false, is_bounded = true, is_modulo = false;
  static constexpr bool has_infinity = true, has_quiet_NaN = true, has_signaling_NaN = false;
  static constexpr std::float_denorm_style has_denorm = std::denorm_absent;
  static constexpr std::float_round_style round_style = std::round_to_nearest;
  static constexpr int radix = 2, digits = Number::precision;
  static constexpr int digits10 = decimals, max_digits10 = decimals + 3;
  static constexpr int max_exponent = (1 << 30) - 1, min_exponent = -max_exponent;
  static constexpr int max_exponent10 = 323228496, min_exponent10 = -max_exponent10;
  static Number min() { return ldexp(Number(1), min_exponent - 1); }
  static Number max() { return ldexp(Number(1) - epsilon() / 2, max_exponent); }
  static Number lowest() { return -max(); }
  static Number epsilon() { return ldexp(Number(1), 1 - digits); }
  static Number round_error() { return Number(0.5); }
  static Number infinity() { return Number(std::numeric_limits<double>::infinity()); }
  static Number quiet_NaN() { return Number(std::numeric_limits<double>::quiet_NaN()); }
  static Number denorm_min() { return min(); }
};
