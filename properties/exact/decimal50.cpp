#include "properties/exact/decimal50.hpp"

#include <mpfr.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <ostream>
#include <stdexcept>
#include <tuple>

#include "gmp.hpp"

namespace embedscale::properties::exact {

static_assert(sizeof(mp_limb_t) == sizeof(unsigned long) && sizeof(long) == sizeof(mpfr_exp_t));
static_assert(MPFR_NAN_KIND == 0 && MPFR_INF_KIND == 1 && MPFR_ZERO_KIND == 2);

/// A number as MPFR sees it, for as long as the Decimal stays where it is.
template <int digits>
struct Decimal<digits>::Mpfr {
  explicit Mpfr(const Decimal& x) {
    mpfr_custom_init_set(parts, x.kind_, x.exponent_, precision,
                         const_cast<unsigned long*>(x.significand_.data()));
  }
  operator mpfr_ptr() { return parts; }

  /// What MPFR has made of x, of which this is the view.
  void keep_in(Decimal& x) const {
    x.kind_ = mpfr_custom_get_kind(parts);
    x.exponent_ = mpfr_regular_p(parts) != 0 ? mpfr_custom_get_exp(parts) : 0;
  }
  /// What `compute(MPFR's number)` makes.
  template <class Compute>
  static Decimal made(Compute compute) {
    Decimal result;
    Mpfr view(result);
    compute(static_cast<mpfr_ptr>(view));
    view.keep_in(result);
    return result;
  }

  mpfr_t parts;
};

namespace {

/// MPFR keeps π, ln 2 and the like for each thread.
struct Constants {
  Constants() = default;
  Constants(const Constants&) = delete;
  ~Constants() { mpfr_free_cache2(MPFR_FREE_LOCAL_CACHE); }
};
void give_constants_back_with_the_thread() { [[maybe_unused]] thread_local const Constants kept; }

/// 2^exponent. Of one store where a double has it: what is stored in two is not read at once.
/// Requires  that a normal number of x87 is that.
long double power_of_two(long exponent) {
  static_assert(std::numeric_limits<long double>::digits == 64);
  if (-1000 <= exponent && exponent <= 1000)
    return std::bit_cast<double>(static_cast<std::uint64_t>(exponent + 1023) << 52);
  const unsigned long significand = 1ul << 63;
  const auto biased = static_cast<unsigned short>(exponent + 16383);
  long double power = 0;
  std::memcpy(&power, &significand, sizeof significand);
  std::memcpy(reinterpret_cast<char*>(&power) + sizeof significand, &biased, sizeof biased);
  return power;
}

int log_of_gamma(mpfr_ptr out, mpfr_srcptr x, mpfr_rnd_t rounding) {
  int sign = 0;
  return mpfr_lgamma(out, &sign, x, rounding);
}

using OfOne = int (*)(mpfr_ptr, mpfr_srcptr, mpfr_rnd_t);
using OfTwo = int (*)(mpfr_ptr, mpfr_srcptr, mpfr_srcptr, mpfr_rnd_t);
// In the order of One and of Two.
constexpr std::array<OfOne, 9> functions_of_one{mpfr_sqrt,       mpfr_exp,   mpfr_log,
                                                mpfr_sin,        mpfr_cos,   mpfr_asin,
                                                mpfr_rint_floor, mpfr_gamma, log_of_gamma};
constexpr std::array<OfTwo, 6> functions_of_two{mpfr_add, mpfr_sub, mpfr_mul,
                                                mpfr_div, mpfr_pow, mpfr_fmod};

}  // namespace

template <int digits>
Decimal<digits> Decimal<digits>::of(One function, const Decimal& x) {
  if (function != One::sqrt) give_constants_back_with_the_thread();
  return Mpfr::made([&](mpfr_ptr out) {
    functions_of_one[static_cast<std::size_t>(function)](out, Mpfr(x), MPFR_RNDN);
  });
}
template <int digits>
Decimal<digits> Decimal<digits>::of(Two function, const Decimal& x, const Decimal& y) {
  return Mpfr::made([&](mpfr_ptr out) {
    functions_of_two[static_cast<std::size_t>(function)](out, Mpfr(x), Mpfr(y), MPFR_RNDN);
  });
}
template <int digits>
std::partial_ordering Decimal<digits>::compare(const Decimal& x, const Decimal& y) {
  if (isnan(x) || isnan(y)) return std::partial_ordering::unordered;
  constexpr std::array<int, 7> ranks{-1, 0, -2, 0, 2, 0, 1};  // of the kinds from -3 on
  const int rank = ranks[x.kind_ + 3], other = ranks[y.kind_ + 3];
  if (rank != other || std::abs(rank) != 1) return rank <=> other;
  const auto& [less, more] = x.kind_ < 0 ? std::tie(y, x) : std::tie(x, y);
  if (x.exponent_ != y.exponent_) return less.exponent_ <=> more.exponent_;
  return std::lexicographical_compare_three_way(
      less.significand_.rbegin(), less.significand_.rend(), more.significand_.rbegin(),
      more.significand_.rend());
}
template <int digits>
Decimal<digits> Decimal<digits>::shifted(int exponent) const {
  return Mpfr::made([&](mpfr_ptr out) { mpfr_mul_2si(out, Mpfr(*this), exponent, MPFR_RNDN); });
}

template <int digits>
void Decimal<digits>::assign(long n) {
  assign(n < 0 ? -static_cast<unsigned long>(n) : static_cast<unsigned long>(n));
  if (n < 0) kind_ = -kind_;
}
template <int digits>
void Decimal<digits>::assign(unsigned long n) {
  if (n == 0) return;
  kind_ = MPFR_REGULAR_KIND;
  exponent_ = std::bit_width(n);
  significand_.back() = n << std::countl_zero(n);
}
template <int digits>
void Decimal<digits>::assign(double x) {
  if (x == 0 || !std::isfinite(x)) {
    *this = Mpfr::made([x](mpfr_ptr out) { mpfr_set_d(out, x, MPFR_RNDN); });
    return;
  }
  int exponent = 0;
  const double fraction = std::abs(std::frexp(x, &exponent));
  kind_ = x < 0 ? -MPFR_REGULAR_KIND : MPFR_REGULAR_KIND;
  exponent_ = exponent;
  significand_.back() = static_cast<unsigned long>(fraction * 0x1p64);
}
template <int digits>
void Decimal<digits>::assign(long double x) {
  *this = Mpfr::made([x](mpfr_ptr out) { mpfr_set_ld(out, x, MPFR_RNDN); });
}
template <int digits>
Decimal<digits>::Decimal(const char* text)
    : Decimal(Mpfr::made([text](mpfr_ptr out) {
        if (mpfr_set_str(out, text, 10, MPFR_RNDN) != 0)
          throw std::invalid_argument(std::string("Decimal: no number: ") + text);
      })) {}
template <int digits>
Decimal<digits>::Decimal(const Rational& x)
    : Decimal(Mpfr::made([&x](mpfr_ptr out) { mpfr_set_q(out, Rational::View(x), MPFR_RNDN); })) {}
template <int digits>
template <int other>
Decimal<digits>::Decimal(const Decimal<other>& x)
    : Decimal(Mpfr::made([&x](mpfr_ptr out) {
        const typename Decimal<other>::Mpfr view(x);  // mpfr_set is a macro: no temporary
        mpfr_set(out, view.parts, MPFR_RNDN);
      })) {}

template <int digits>
Decimal<digits> Decimal<digits>::pi() {
  give_constants_back_with_the_thread();
  return Mpfr::made([](mpfr_ptr out) { mpfr_const_pi(out, MPFR_RNDN); });
}
template <int digits>
Decimal<digits> Decimal<digits>::euler() {
  give_constants_back_with_the_thread();
  return Mpfr::made([](mpfr_ptr out) { mpfr_const_euler(out, MPFR_RNDN); });
}

template <int digits>
Decimal<digits>::operator double() const {
  return mpfr_get_d(Mpfr(*this), MPFR_RNDN);
}
template <int digits>
Decimal<digits>::operator float() const {
  return mpfr_get_flt(Mpfr(*this), MPFR_RNDN);
}
/// The first 64 bits and, in as many, what follows them: their sum is rounded once. MPFR's own way
/// allocates, which bounds computed by the million feel, and so they do a call of ldexp.
template <int digits>
Decimal<digits>::operator long double() const {
  if (kind_ == zero || exponent_ < -16000 || exponent_ > 16000 || !isfinite(*this))
    return mpfr_get_ld(Mpfr(*this), MPFR_RNDN);
  const auto& limbs = significand_;
  const bool more =
      std::any_of(limbs.begin(), limbs.end() - 2, [](auto limb) { return limb != 0; });
  const auto first = static_cast<long double>(limbs.back());
  const auto rest = static_cast<long double>(limbs[limbs.size() - 2] | (more ? 1 : 0));
  const long double size = (first + rest * 0x1p-64L) * power_of_two(exponent_ - 64);
  return kind_ < 0 ? -size : size;
}
template <int digits>
Decimal<digits>::operator Rational() const {
  if (!isfinite(*this)) throw std::domain_error("Rational: of an infinity or NaN");
  return Rational::made([this](mpq_ptr out) { mpfr_get_q(out, Mpfr(*this)); });
}

template <int digits>
std::string Decimal<digits>::str(int significant) const {
  std::string text(static_cast<std::size_t>(significant) + 32, '\0');  // sign, point, exponent
  mpfr_snprintf(text.data(), text.size(), "%.*Rg", significant, static_cast<mpfr_ptr>(Mpfr(*this)));
  text.resize(text.find('\0'));
  return text;
}
template <int digits>
std::ostream& Decimal<digits>::write(std::ostream& out) const {
  return out << str(static_cast<int>(out.precision()));
}

template class Decimal<50>;
template class Decimal<100>;
template Decimal<50>::Decimal(const Decimal<100>&);
template Decimal<100>::Decimal(const Decimal<50>&);

}  // namespace embedscale::properties::exact
