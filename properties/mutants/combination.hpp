#pragma once
// Wrong primitives, each beside the defect it stands for, from the largest to the smallest. Where a
// thread is named, somebody's program had exactly this defect.
#include <cmath>

#include "../combination_rounding.hpp"

namespace embedscale::properties::mutants {

using combination::Library;

/// d where √d was meant, in the division (multiply and divide confused: pytorch/tutorials#2849).
struct divides_by_m_twice : Library {
  template <Scalar Real>
  static Real down(const Real& e, const Real& p, const Real& m) {
    return Library::down(e, Real(p / m), m);
  }
};

/// The multiplier is missing (SamLynnEvans/Transformer#10).
struct forgets_the_multiplier : Library {
  template <Scalar Real>
  static Real up(const Real& e, const Real& p, const Real&) {
    return Library::sum(e, p);
  }
};

/// The whole sum is scaled.
struct scales_the_sum : Library {
  template <Scalar Real>
  static Real up(const Real& e, const Real& p, const Real& m) {
    return m * Library::sum(e, p);
  }
};

/// The whole sum is scaled, and the division forgotten as well: the errors agree with each other.
struct scales_nothing_apart : scales_the_sum {
  template <Scalar Real>
  static Real down(const Real& e, const Real& p, const Real&) {
    return Library::sum(e, p);
  }
};

/// Positions are left out on both sides, which agree.
struct leaves_positions_out : Library {
  template <Scalar Real>
  static Real up(const Real& e, const Real&, const Real& m) {
    return m * e;
  }
  template <Scalar Real>
  static Real down(const Real& e, const Real&, const Real&) {
    return e;
  }
};

/// The token enters a second time, a millionth of it: every ratio shifts a little.
struct leans_to_the_token : Library {
  template <Scalar Real>
  static Real sum(const Real& e, const Real& p) {
    return Library::sum(Real(e + e / Real(1 << 20)), p);
  }
};

/// down is off by one part in 2^40: nothing that a tolerance would see.
struct divides_by_slightly_less : Library {
  template <Scalar Real>
  static Real down(const Real& e, const Real& p, const Real& m) {
    const Real tiny = Real(1) / Real(1 << 20) / Real(1 << 20);
    return Library::down(e, Real(p + p * tiny), m);
  }
};

/// up multiplies by m rounded to eight digits, down divides by m itself: √3072 = 55.5 on one side
/// (huggingface/transformers#29402).
struct rounds_the_multiplier_to_bfloat16 : Library {
  template <Scalar Real>
  static Real up(const Real& e, const Real& p, const Real& m) {
    return Library::up(e, p, Real(static_cast<double>(bfloat16(static_cast<double>(m)))));
  }
};

/// up takes m eight units in its last place too small: in binary64, 2 parts in 10^15 at most.
struct takes_m_eight_ulps_low : Library {
  template <Scalar Real>
  static Real up(const Real& e, const Real& p, const Real& m) {
    const double size = static_cast<double>(m);
    return Library::up(e, p, static_cast<Real>(size - 16.0 * half_ulp<Real>(size)));
  }
};

/// The processor flushes subnormal results to zero.
struct flushes_to_zero : Library {
  template <Scalar Real>
  static Real down(const Real& e, const Real& p, const Real& m) {
    const Real faint = p / m;
    return e + (is_normal_or_zero(faint) ? faint : Real(0));
  }
};

/// The position is cut to seven digits first: half of bfloat16's last place.
struct keeps_seven_digits_of_positions : Library {
  template <Scalar Real>
  static Real down(const Real& e, const Real& p, const Real& m) {
    const auto cut = static_cast<double>(Format<8, 6>(static_cast<double>(p)));
    return Library::down(e, Real(cut), m);
  }
};

/// The decision to keep a channel looks at its value.
struct keeps_by_size : Library {
  template <Scalar Real>
  static Real dropout(const Real& x, Fate fate, const Real& s) {
    return Library::dropout(x, x < Real(4) ? fate : Fate::dropped, s);
  }
};

/// The mask is applied and the scale 1/(1 − rate) forgotten.
struct forgets_the_scale : Library {
  template <Scalar Real>
  static Real dropout(const Real& x, Fate fate, const Real&) {
    return Library::dropout(x, fate, Real(1));
  }
};

/// What should be kept is dropped, and the reverse.
struct turns_the_mask_round : Library {
  template <Scalar Real>
  static Real dropout(const Real& x, Fate fate, const Real& s) {
    return Library::dropout(x, fate == Fate::kept ? Fate::dropped : Fate::kept, s);
  }
};

/// A small constant guards against a zero that nobody divides by.
struct adds_a_small_constant : Library {
  template <Scalar Real>
  static Real dropout(const Real& x, Fate fate, const Real& s) {
    return Library::dropout(x, fate, s) + Real(1) / Real(64);
  }
};

/// Inverted dropout that is not linear: a cube of a thousandth is left in.
struct bends_slightly : Library {
  template <Scalar Real>
  static Real dropout(const Real& x, Fate fate, const Real& s) {
    return Library::dropout(Real(x + x * x * x / Real(1 << 30)), fate, s);
  }
};

/// p counts one part in 2^30 too much in up.
struct adds_slightly_more_position : Library {
  template <Scalar Real>
  static Real up(const Real& e, const Real& p, const Real& m) {
    return Library::up(e, Real(p + p / Real(1 << 30)), m);
  }
};

}  // namespace embedscale::properties::mutants
