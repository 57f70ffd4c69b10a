#pragma once
// Exact fractions, for the claims over the reals: a polynomial identity that holds for all
// rationals holds for all reals. GMP's numbers behind operators that are compiled once.
#include <gmp.h>

#include <compare>
#include <concepts>
#include <iosfwd>
#include <optional>
#include <string>
#include <type_traits>

namespace embedscale::properties::exact {

/// A fraction in lowest terms, its denominator positive. What was moved from is some number.
///
/// Errors    std::domain_error for a quotient by 0, and for a double that is not finite.
class Rational {
 public:
  static constexpr const char* name = "fractions";

  Rational();
  template <std::integral Integer>
  Rational(Integer n) : Rational() {  // NOLINT: an integer is a rational
    static_assert(sizeof(Integer) <= sizeof(long));
    if constexpr (std::is_signed_v<Integer>)
      assign(static_cast<long>(n));
    else
      assign(static_cast<unsigned long>(n));
  }
  /// The double's own value, no shorter fraction near it.
  explicit Rational(double x);
  explicit Rational(mpq_srcptr canonical);

  Rational(const Rational& x);
  Rational(Rational&& x) noexcept : Rational() { swap(*this, x); }
  Rational& operator=(const Rational& x);
  Rational& operator=(Rational&& x) noexcept {
    swap(*this, x);
    return *this;
  }
  ~Rational() { mpq_clear(q_); }
  friend void swap(Rational& x, Rational& y) noexcept { mpq_swap(x.q_, y.q_); }

  Rational& operator+=(const Rational& y);
  Rational& operator-=(const Rational& y);
  Rational& operator*=(const Rational& y);
  Rational& operator/=(const Rational& y);
  friend Rational operator+(const Rational& x, const Rational& y);
  friend Rational operator-(const Rational& x, const Rational& y);
  friend Rational operator*(const Rational& x, const Rational& y);
  friend Rational operator/(const Rational& x, const Rational& y);
  friend Rational operator-(Rational x);
  friend Rational abs(Rational x);
  friend Rational numerator(const Rational& x);
  friend Rational denominator(const Rational& x);
  /// The root of x where it is rational, and none where it is not or x < 0.
  friend std::optional<Rational> rational_root(const Rational& x);

  friend bool operator==(const Rational& x, const Rational& y) { return mpq_equal(x.q_, y.q_); }
  friend std::strong_ordering operator<=>(const Rational& x, const Rational& y) {
    return mpq_cmp(x.q_, y.q_) <=> 0;
  }
  friend bool operator==(const Rational& x, int n) { return x.compared(n) == 0; }
  friend std::strong_ordering operator<=>(const Rational& x, int n) { return x.compared(n) <=> 0; }

  /// The nearest double, ties to even; infinite from 2^1024 - 2^970 on.
  explicit operator double() const;
  /// "-2/3", "5".
  std::string str() const;
  friend std::ostream& operator<<(std::ostream& out, const Rational& x);

  mpq_srcptr data() const { return q_; }

 private:
  void assign(long n);
  void assign(unsigned long n);
  int compared(long n) const;
  using Operation = void (*)(mpq_ptr, mpq_srcptr, mpq_srcptr);
  Rational& by(Operation operation, const Rational& y);
  static Rational of(Operation operation, const Rational& x, const Rational& y);
  const Rational& divisor() const;  ///< itself; refused where it is 0

  mpq_t q_;
};

}  // namespace embedscale::properties::exact
