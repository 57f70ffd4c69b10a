#include "properties/exact/rational.hpp"

#include <mpfr.h>

#include <cmath>
#include <numeric>
#include <ostream>
#include <stdexcept>

#include "gmp.hpp"

namespace embedscale::properties::exact {
namespace {

__extension__ using Wide = __int128;
static_assert(sizeof(mp_limb_t) == sizeof(std::int64_t) && sizeof(long) == sizeof(std::int64_t));

bool has_room(Wide n) { return -INT64_MAX <= n && n <= INT64_MAX; }

/// A fraction of two machine words.
struct Near {
  Wide n, d;
};

/// n/d + m/e in lowest terms: Knuth, The Art of Computer Programming, section 4.5.1. No product is
/// above 2^126.
Near sum_of(Wide n, std::int64_t d, Wide m, std::int64_t e) {
  const std::int64_t common = std::gcd(d, e);
  if (common == 1) return {n * e + m * d, static_cast<Wide>(d) * e};
  const Wide sum = n * (e / common) + m * (d / common);
  const std::int64_t twice = std::gcd(static_cast<std::int64_t>(sum % common), common);
  return {sum / twice, static_cast<Wide>(d / common) * (e / twice)};
}

Near product_of(std::int64_t n, std::int64_t d, std::int64_t m, std::int64_t e) {
  const std::int64_t once = std::gcd(n, e), twice = std::gcd(m, d);
  return {static_cast<Wide>(n / once) * (m / twice), static_cast<Wide>(d / twice) * (e / once)};
}

}  // namespace

void Rational::assign(bool negative, std::uint64_t n) {
  *this = made([=](mpq_ptr out) {
    mpz_set_ui(mpq_numref(out), n);  // INT64_MIN is its own size
    if (negative) mpq_neg(out, out);
  });
}
Rational::Rational(double x) {
  if (!std::isfinite(x)) throw std::domain_error("Rational: of an infinity or NaN");
  if (std::abs(x) < 0x1p62 && x == std::trunc(x))
    n_ = static_cast<std::int64_t>(x);
  else
    *this = made([x](mpq_ptr out) { mpq_set_d(out, x); });
}

template <class Of, class OfFar>
Rational Rational::by(const Rational& x, const Rational& y, Of of, OfFar of_far) {
  if (x.far_ == nullptr && y.far_ == nullptr)
    if (const Near near = of(x, y); has_room(near.n) && has_room(near.d)) {
      Rational result;
      result.n_ = static_cast<std::int64_t>(near.n), result.d_ = static_cast<std::int64_t>(near.d);
      return result;
    }
  return made([&](mpq_ptr out) { of_far(out, View(x), View(y)); });
}

Rational operator+(const Rational& x, const Rational& y) {
  return Rational::by(
      x, y, [](const auto& a, const auto& b) { return sum_of(a.n_, a.d_, b.n_, b.d_); }, mpq_add);
}
Rational operator-(const Rational& x, const Rational& y) {
  return Rational::by(
      x, y, [](const auto& a, const auto& b) { return sum_of(a.n_, a.d_, -b.n_, b.d_); }, mpq_sub);
}
Rational operator*(const Rational& x, const Rational& y) {
  return Rational::by(
      x, y, [](const auto& a, const auto& b) { return product_of(a.n_, a.d_, b.n_, b.d_); },
      mpq_mul);
}
Rational operator/(const Rational& x, const Rational& y) {
  if (y == 0) throw std::domain_error("Rational: divided by 0");
  return Rational::by(
      x, y,
      [](const auto& a, const auto& b) {
        const bool negative = b.n_ < 0;
        return product_of(a.n_, a.d_, negative ? -b.d_ : b.d_, negative ? -b.n_ : b.n_);
      },
      mpq_div);
}

Rational operator-(const Rational& x) {
  if (x.far_ != nullptr)
    return Rational::made([&](mpq_ptr out) { mpq_neg(out, Rational::View(x)); });
  Rational result;
  result.n_ = -x.n_, result.d_ = x.d_;
  return result;
}
Rational numerator(const Rational& x) {
  if (x.far_ == nullptr) return Rational(x.n_);
  return Rational::made([&](mpq_ptr out) { mpq_set_z(out, mpq_numref(x.far_->q)); });
}
Rational denominator(const Rational& x) {
  if (x.far_ == nullptr) return Rational(x.d_);
  return Rational::made([&](mpq_ptr out) { mpq_set_z(out, mpq_denref(x.far_->q)); });
}

std::strong_ordering operator<=>(const Rational& x, const Rational& y) {
  if (x.far_ == nullptr && y.far_ == nullptr)
    return static_cast<Wide>(x.n_) * y.d_ <=> static_cast<Wide>(y.n_) * x.d_;
  return mpq_cmp(Rational::View(x), Rational::View(y)) <=> 0;
}

std::optional<Rational> rational_root(const Rational& x) {
  // In lowest terms, a fraction is a square where both of its parts are.
  const Rational::View of(x);
  const auto *n = mpq_numref(static_cast<mpq_srcptr>(of)),
             *d = mpq_denref(static_cast<mpq_srcptr>(of));
  if (mpz_perfect_square_p(n) == 0 || mpz_perfect_square_p(d) == 0) return std::nullopt;
  return Rational::made([&](mpq_ptr root) {
    mpz_sqrt(mpq_numref(root), n);
    mpz_sqrt(mpq_denref(root), d);
  });
}

Rational::operator double() const {
  constexpr std::int64_t held = std::int64_t{1} << 53;
  if (far_ == nullptr && -held <= n_ && n_ <= held && d_ <= held)
    return static_cast<double>(n_) / static_cast<double>(d_);
  // Rounded to odd at 64 digits, at least two more than a double has, the second rounding gives
  // what one alone would have, subnormal numbers included (Boldo and Melquiond 2008).
  mp_limb_t digits = 0;
  mpfr_t x;
  mpfr_custom_init_set(x, MPFR_ZERO_KIND, 0, 64, &digits);
  if (mpfr_set_q(x, View(*this), MPFR_RNDZ) != 0) digits |= 1;
  return mpfr_get_d(x, MPFR_RNDN);
}

std::string Rational::str() const {
  if (far_ == nullptr) return std::to_string(n_) + (d_ == 1 ? "" : "/" + std::to_string(d_));
  // Both signs, the bar and the end: GMP's documentation.
  std::string text(
      mpz_sizeinbase(mpq_numref(far_->q), 10) + mpz_sizeinbase(mpq_denref(far_->q), 10) + 3, '\0');
  mpq_get_str(text.data(), 10, far_->q);
  text.resize(text.find('\0'));
  return text;
}

std::ostream& operator<<(std::ostream& out, const Rational& x) { return out << x.str(); }

}  // namespace embedscale::properties::exact
