#include "properties/exact/rational.hpp"

#include <mpfr.h>

#include <cmath>
#include <ostream>
#include <stdexcept>

namespace embedscale::properties::exact {

Rational::Rational() { mpq_init(q_); }
Rational::Rational(double x) : Rational() {
  if (!std::isfinite(x)) throw std::domain_error("Rational: of an infinity or NaN");
  mpq_set_d(q_, x);
}
Rational::Rational(mpq_srcptr canonical) : Rational() { mpq_set(q_, canonical); }
Rational::Rational(const Rational& x) : Rational() { mpq_set(q_, x.q_); }
Rational& Rational::operator=(const Rational& x) {
  mpq_set(q_, x.q_);
  return *this;
}

void Rational::assign(long n) { mpz_set_si(mpq_numref(q_), n); }
void Rational::assign(unsigned long n) { mpz_set_ui(mpq_numref(q_), n); }
int Rational::compared(long n) const { return mpq_cmp_si(q_, n, 1); }

Rational& Rational::by(Operation operation, const Rational& y) {
  operation(q_, q_, y.q_);
  return *this;
}
Rational Rational::of(Operation operation, const Rational& x, const Rational& y) {
  Rational result;
  operation(result.q_, x.q_, y.q_);
  return result;
}
const Rational& Rational::divisor() const {
  if (*this == 0) throw std::domain_error("Rational: divided by 0");
  return *this;
}

Rational& Rational::operator+=(const Rational& y) { return by(mpq_add, y); }
Rational& Rational::operator-=(const Rational& y) { return by(mpq_sub, y); }
Rational& Rational::operator*=(const Rational& y) { return by(mpq_mul, y); }
Rational& Rational::operator/=(const Rational& y) { return by(mpq_div, y.divisor()); }
Rational operator+(const Rational& x, const Rational& y) { return Rational::of(mpq_add, x, y); }
Rational operator-(const Rational& x, const Rational& y) { return Rational::of(mpq_sub, x, y); }
Rational operator*(const Rational& x, const Rational& y) { return Rational::of(mpq_mul, x, y); }
Rational operator/(const Rational& x, const Rational& y) {
  return Rational::of(mpq_div, x, y.divisor());
}

Rational operator-(Rational x) {
  mpq_neg(x.q_, x.q_);
  return x;
}
Rational abs(Rational x) {
  mpq_abs(x.q_, x.q_);
  return x;
}
Rational numerator(const Rational& x) {
  Rational n;
  mpq_set_z(n.q_, mpq_numref(x.q_));
  return n;
}
Rational denominator(const Rational& x) {
  Rational n;
  mpq_set_z(n.q_, mpq_denref(x.q_));
  return n;
}

std::optional<Rational> rational_root(const Rational& x) {
  // In lowest terms, a fraction is a square where both of its parts are.
  if (mpz_perfect_square_p(mpq_numref(x.q_)) == 0 || mpz_perfect_square_p(mpq_denref(x.q_)) == 0)
    return std::nullopt;
  Rational root;
  mpz_sqrt(mpq_numref(root.q_), mpq_numref(x.q_));
  mpz_sqrt(mpq_denref(root.q_), mpq_denref(x.q_));
  return root;
}

Rational::operator double() const {
  // Rounded to odd at 64 digits, at least two more than a double has, the second rounding gives
  // what one alone would have, subnormal numbers included (Boldo and Melquiond 2008).
  mp_limb_t digits = 0;
  mpfr_t x;
  mpfr_custom_init_set(x, MPFR_ZERO_KIND, 0, 64, &digits);
  static_assert(sizeof digits == 8);
  if (mpfr_set_q(x, q_, MPFR_RNDZ) != 0) digits |= 1;
  return mpfr_get_d(x, MPFR_RNDN);
}

std::string Rational::str() const {
  // Both signs, the bar and the end: GMP's documentation.
  std::string text(mpz_sizeinbase(mpq_numref(q_), 10) + mpz_sizeinbase(mpq_denref(q_), 10) + 3,
                   '\0');
  mpq_get_str(text.data(), 10, q_);
  text.resize(text.find('\0'));
  return text;
}

std::ostream& operator<<(std::ostream& out, const Rational& x) { return out << x.str(); }

}  // namespace embedscale::properties::exact
