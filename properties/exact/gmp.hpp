#pragma once
// A fraction as GMP's functions take and make it: for the sources of this room alone.
#include <gmp.h>

#include <array>
#include <memory>

#include "properties/exact/rational.hpp"

namespace embedscale::properties::exact {

struct Rational::Far {
  Far() { mpq_init(q); }
  Far(const Far&) = delete;
  ~Far() { mpq_clear(q); }
  mpq_t q;
};

/// For as long as the fraction stays where it is.
struct Rational::View {
  explicit View(const Rational& x) {
    if (x.far_ != nullptr) {
      *parts = *x.far_->q;
      return;
    }
    words = {static_cast<mp_limb_t>(x.n_ < 0 ? -x.n_ : x.n_), static_cast<mp_limb_t>(x.d_)};
    mpz_roinit_n(mpq_numref(parts), &words[0], x.n_ < 0 ? -1 : 1);
    mpz_roinit_n(mpq_denref(parts), &words[1], 1);
  }
  View(const View&) = delete;
  View& operator=(const View&) = delete;
  operator mpq_srcptr() const { return parts; }

  mpq_t parts;
  std::array<mp_limb_t, 2> words{};
};

template <class Compute>
Rational Rational::made(Compute compute) {
  const auto far = std::make_shared<Far>();
  compute(static_cast<mpq_ptr>(far->q));
  const auto has_room = [](mpz_srcptr part) { return mpz_cmpabs_ui(part, INT64_MAX) <= 0; };
  Rational result;
  if (has_room(mpq_numref(far->q)) && has_room(mpq_denref(far->q))) {
    result.n_ = mpz_get_si(mpq_numref(far->q));
    result.d_ = mpz_get_si(mpq_denref(far->q));
  } else {
    result.far_ = far;
  }
  return result;
}

}  // namespace embedscale::properties::exact
