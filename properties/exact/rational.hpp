#pragma once
// Exact fractions, for the claims over the reals: a polynomial identity that holds for all
// rationals holds for all reals. Two machine words while both parts have room there, as most do;
// beyond, GMP's numbers, whose header is not met here.
#include <compare>
#include <concepts>
#include <cstdint>
#include <iosfwd>
#include <memory>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>

namespace embedscale::properties::exact {

/// A fraction in lowest terms, its denominator positive. What was moved from is some number.
///
/// Errors    std::domain_error for a quotient by 0, and for a double that is not finite.
class Rational {
 public:
  static constexpr const char* name = "fractions";

  Rational() = default;
  template <std::integral Integer>
  Rational(Integer n) {  // NOLINT: an integer is a rational
    static_assert(sizeof(Integer) <= sizeof(std::int64_t));
    if (std::in_range<std::int64_t>(n) && !std::cmp_equal(n, INT64_MIN))
      n_ = static_cast<std::int64_t>(n);
    else
      assign(std::cmp_less(n, 0), static_cast<std::uint64_t>(n));
  }
  /// The double's own value, no shorter fraction near it.
  explicit Rational(double x);

  friend Rational operator+(const Rational& x, const Rational& y);
  friend Rational operator-(const Rational& x, const Rational& y);
  friend Rational operator*(const Rational& x, const Rational& y);
  friend Rational operator/(const Rational& x, const Rational& y);
  Rational& operator+=(const Rational& y) { return *this = *this + y; }
  Rational& operator-=(const Rational& y) { return *this = *this - y; }
  Rational& operator*=(const Rational& y) { return *this = *this * y; }
  Rational& operator/=(const Rational& y) { return *this = *this / y; }
  friend Rational operator-(const Rational& x);
  friend Rational abs(const Rational& x) { return x < 0 ? -x : x; }
  friend Rational numerator(const Rational& x);
  friend Rational denominator(const Rational& x);
  /// The root of x where it is rational, and none where it is not or x < 0.
  friend std::optional<Rational> rational_root(const Rational& x);

  friend bool operator==(const Rational& x, const Rational& y) { return (x <=> y) == 0; }
  friend std::strong_ordering operator<=>(const Rational& x, const Rational& y);
  friend bool operator==(const Rational& x, int n) { return x == Rational(n); }
  friend std::strong_ordering operator<=>(const Rational& x, int n) { return x <=> Rational(n); }

  /// The nearest double, ties to even; infinite from 2^1024 - 2^970 on.
  explicit operator double() const;
  /// "-2/3", "5".
  std::string str() const;
  friend std::ostream& operator<<(std::ostream& out, const Rational& x);

 private:
  template <int>
  friend class Decimal;
  struct Far;   // GMP's number
  struct View;  // as GMP sees it
  void assign(bool negative, std::uint64_t n);
  /// What `compute(GMP's number)` makes.
  template <class Compute>
  static Rational made(Compute compute);
  /// of(x, y) where that and both of them have room in machine words, or by GMP.
  template <class Of, class OfFar>
  static Rational by(const Rational& x, const Rational& y, Of of, OfFar of_far);

  // n/d, neither of them INT64_MIN; 0/1 beside a number of GMP's, which has no room here.
  std::int64_t n_ = 0, d_ = 1;
  std::shared_ptr<const Far> far_;
};

}  // namespace embedscale::properties::exact
