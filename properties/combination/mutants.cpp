// Wrong primitives, from the largest defect to the smallest that the properties still see in their
// 10^4 cases, each with the next smaller one that they do not. Beyond these stand, as no defect at
// all, a fused multiply-add in up and a tie that is rounded away from zero: every claim holds for
// them, too.
//
// Over the rationals no size is too small, an identity holds or not. There the limit is how rarely
// a case is wrong: a share x of them is missed with probability (1 − x)^10000.
#include <cmath>
#include <limits>

#include "../evidence/rounding.hpp"
#include "trials.hpp"

namespace embedscale::properties::combination {

using namespace testing;

namespace {

/// A replacement in the formats: a defect of rounding is none over the rationals.
template <class Change>
constexpr auto in_floats(Change change) {
  return replacing<double, float, binary16, bfloat16>(change);
}

/// 29/11, one of the 360 sizes that the fractions of the domain are drawn as.
template <Scalar Real>
bool is_the_one_factor(const Real& x) {
  const Real one = Real(29) / Real(11);
  return x == one || x == Real(-one);
}

/// x moved by units in its last place.
template <Scalar Real>
Real moved_by_ulps(const Real& x, double ulps) {
  const double size = static_cast<double>(x);
  return static_cast<Real>(size + ulps * 2.0 * half_ulp<Real>(size));
}

}  // namespace

const Mutants<Primitives> mutants{
    {"divides_by_m_twice",
     "d where √d was meant, in the division (multiply and divide confused: "
     "pytorch/tutorials#2849).",
     replacing([]<class Real>(Operations<Real>& to) {
       to.down = [](const Real& e, const Real& p, const Real& m) -> Real {
         return library<Real>.down(e, Real(p / m), m);
       };
     })},

    {"forgets_the_multiplier", "The multiplier is missing (SamLynnEvans/Transformer#10).",
     replacing([]<class Real>(Operations<Real>& to) {
       to.up = [](const Real& e, const Real& p, const Real&) -> Real {
         return library<Real>.sum(e, p);
       };
     })},

    {"scales_the_sum", "The whole sum is scaled.", replacing([]<class Real>(Operations<Real>& to) {
       to.up = [](const Real& e, const Real& p, const Real& m) -> Real {
         return m * library<Real>.sum(e, p);
       };
     })},

    {"scales_nothing_apart",
     "The whole sum is scaled, and the division forgotten as well: the errors agree with each "
     "other.",
     replacing([]<class Real>(Operations<Real>& to) {
       to.up = [](const Real& e, const Real& p, const Real& m) -> Real {
         return m * library<Real>.sum(e, p);
       };
       to.down = [](const Real& e, const Real& p, const Real&) -> Real {
         return library<Real>.sum(e, p);
       };
     })},

    {"leaves_positions_out", "Positions are left out on both sides, which agree.",
     replacing([]<class Real>(Operations<Real>& to) {
       to.up = [](const Real& e, const Real&, const Real& m) -> Real { return m * e; };
       to.down = [](const Real& e, const Real&, const Real&) -> Real { return e; };
     })},

    {"leans_to_the_token",
     "The token enters a second time, a millionth of it: every ratio shifts a little.",
     replacing([]<class Real>(Operations<Real>& to) {
       to.sum = [](const Real& e, const Real& p) -> Real {
         return library<Real>.sum(Real(e + e / Real(1 << 20)), p);
       };
     })},

    {"divides_by_slightly_less",
     "down is off by one part in 2^40: nothing that a tolerance would see.",
     replacing([]<class Real>(Operations<Real>& to) {
       to.down = [](const Real& e, const Real& p, const Real& m) -> Real {
         const Real tiny = Real(1) / Real(1 << 20) / Real(1 << 20);
         return library<Real>.down(e, Real(p + p * tiny), m);
       };
     })},

    {"rounds_the_multiplier_to_bfloat16",
     "up multiplies by m rounded to eight digits, down divides by m itself: √3072 = 55.5 on one "
     "side (huggingface/transformers#29402).",
     in_floats([]<class Real>(Operations<Real>& to) {
       to.up = [](const Real& e, const Real& p, const Real& m) -> Real {
         return library<Real>.up(e, p, Real(static_cast<double>(bfloat16(static_cast<double>(m)))));
       };
     })},

    {"takes_m_eight_ulps_low",
     "up takes m eight units in its last place too small: in binary64, 2 parts in 10^15 at most.",
     in_floats([]<class Real>(Operations<Real>& to) {
       to.up = [](const Real& e, const Real& p, const Real& m) -> Real {
         const double size = static_cast<double>(m);
         return library<Real>.up(e, p, static_cast<Real>(size - 16.0 * half_ulp<Real>(size)));
       };
     })},

    {"flushes_to_zero", "The processor flushes subnormal results to zero.",
     in_floats([]<class Real>(Operations<Real>& to) {
       to.down = [](const Real& e, const Real& p, const Real& m) -> Real {
         const Real faint = p / m;
         return e + (is_normal_or_zero(faint) ? faint : Real(0));
       };
     })},

    {"keeps_seven_digits_of_positions",
     "The position is cut to seven digits first: half of bfloat16's last place.",
     in_floats([]<class Real>(Operations<Real>& to) {
       to.down = [](const Real& e, const Real& p, const Real& m) -> Real {
         const auto cut = static_cast<double>(Format<8, 6>(static_cast<double>(p)));
         return library<Real>.down(e, Real(cut), m);
       };
     })},

    {"keeps_by_size", "The decision to keep a channel looks at its value.",
     replacing([]<class Real>(Operations<Real>& to) {
       to.dropout = [](const Real& x, Fate fate, const Real& s) -> Real {
         return library<Real>.dropout(x, x < Real(4) ? fate : Fate::dropped, s);
       };
     })},

    {"forgets_the_scale", "The mask is applied and the scale 1/(1 − rate) forgotten.",
     replacing([]<class Real>(Operations<Real>& to) {
       to.dropout = [](const Real& x, Fate fate, const Real&) -> Real {
         return library<Real>.dropout(x, fate, Real(1));
       };
     })},

    {"turns_the_mask_round", "What should be kept is dropped, and the reverse.",
     replacing([]<class Real>(Operations<Real>& to) {
       to.dropout = [](const Real& x, Fate fate, const Real& s) -> Real {
         return library<Real>.dropout(x, fate == Fate::kept ? Fate::dropped : Fate::kept, s);
       };
     })},

    {"adds_a_small_constant", "A small constant guards against a zero that nobody divides by.",
     replacing([]<class Real>(Operations<Real>& to) {
       to.dropout = [](const Real& x, Fate fate, const Real& s) -> Real {
         return library<Real>.dropout(x, fate, s) + Real(1) / Real(64);
       };
     })},

    {"bends_slightly", "Inverted dropout that is not linear: a cube of a thousandth is left in.",
     replacing([]<class Real>(Operations<Real>& to) {
       to.dropout = [](const Real& x, Fate fate, const Real& s) -> Real {
         return library<Real>.dropout(Real(x + x * x * x / Real(1 << 30)), fate, s);
       };
     })},

    {"adds_slightly_more_position", "p counts one part in 2^30 too much in up.",
     replacing([]<class Real>(Operations<Real>& to) {
       to.up = [](const Real& e, const Real& p, const Real& m) -> Real {
         return library<Real>.up(e, Real(p + p / Real(1 << 30)), m);
       };
     })},

    {"errs_at_one_factor",
     "Wrong at one factor alone, by one part in 2^40: one case in 360, missed with probability "
     "e^−28. Wrong at one factor and one token, one case in 10^5, it is caught in one run of "
     "thirteen.",
     replacing([]<class Real>(Operations<Real>& to) {
       to.up = [](const Real& e, const Real& p, const Real& m) -> Real {
         if (!is_the_one_factor(m)) return library<Real>.up(e, p, m);
         return library<Real>.up(e, Real(p + p / Real(1 << 20) / Real(1 << 20)), m);
       };
     })},

    {"errs_at_one_scale", "The same of dropout, at one scale.",
     replacing([]<class Real>(Operations<Real>& to) {
       to.dropout = [](const Real& x, Fate fate, const Real& s) -> Real {
         if (!is_the_one_factor(s)) return library<Real>.dropout(x, fate, s);
         return library<Real>.dropout(Real(x + x / Real(1 << 20) / Real(1 << 20)), fate, s);
       };
     })},

    {"loses_faint_positions",
     "A position part below 1/16 is lost in the sum: at one case in 100 or so. One below 1/128 is "
     "in one of 10^4, and caught in six runs of ten; below 1/256 there are hardly any.",
     replacing([]<class Real>(Operations<Real>& to) {
       to.sum = [](const Real& e, const Real& p) -> Real {
         const Real faint = Real(1) / Real(16);
         return p < faint && Real(-p) < faint ? e : library<Real>.sum(e, p);
       };
     })},

    {"leans_to_the_position",
     "down has a position an eighth too large. A neighbour changes only where two candidates are "
     "nearly as far: at an eighth in one case of 100, at 2^−9 in one of 2000.",
     replacing([]<class Real>(Operations<Real>& to) {
       to.down = [](const Real& e, const Real& p, const Real& m) -> Real {
         return library<Real>.down(e, Real(p + p / Real(8)), m);
       };
     })},

    {"takes_m_one_ulp_low", "One unit in the last place of m: wherever bits are compared.",
     in_floats([]<class Real>(Operations<Real>& to) {
       to.up = [](const Real& e, const Real& p, const Real& m) -> Real {
         return library<Real>.up(e, p, moved_by_ulps(m, -1.0));
       };
     })},

    {"takes_m_three_ulps_low",
     "Three: the smallest that is above a bound of 8u in every run. Two are in three runs of ten, "
     "one never is: the bound is above the largest difference found, 7.06u, and one ulp is u to "
     "2u.",
     in_floats([]<class Real>(Operations<Real>& to) {
       to.up = [](const Real& e, const Real& p, const Real& m) -> Real {
         return library<Real>.up(e, p, moved_by_ulps(m, -3.0));
       };
     })},

    {"returns_two_ulps_more",
     "The sum moved by two units in its last place. One is seen too rarely, at one case in 2000.",
     in_floats([]<class Real>(Operations<Real>& to) {
       to.up = [](const Real& e, const Real& p, const Real& m) -> Real {
         return moved_by_ulps(library<Real>.up(e, p, m), 2.0);
       };
     })},

    {"flushes_the_smallest_subnormal",
     "Of all values of p/m only those that round to the smallest subnormal become 0.",
     in_floats([]<class Real>(Operations<Real>& to) {
       to.down = [](const Real& e, const Real& p, const Real& m) -> Real {
         const Real faint = p / m;
         const double smallest = static_cast<double>(std::numeric_limits<Real>::denorm_min());
         return e + (std::abs(static_cast<double>(faint)) <= smallest ? Real(0) : faint);
       };
     })},

    {"cuts_the_quotient_off",
     "p/m is cut off where it should be rounded: an ulp at most where half a one is allowed.",
     in_floats([]<class Real>(Operations<Real>& to) {
       to.down = [](const Real& e, const Real& p, const Real& m) -> Real {
         const Real rounded = p / m;
         const double exact = static_cast<double>(p) / static_cast<double>(m);
         double size = static_cast<double>(rounded);
         if (std::abs(size) > std::abs(exact))
           size -= std::copysign(2.0 * half_ulp<Real>(size), size);
         return e + static_cast<Real>(size);
       };
     })},

    {"errs_at_powers_of_two",
     "Quotients that are powers of two are an ulp too large: one in 128. In every 32nd binade "
     "alone, one in 4096, there is none among those that are drawn.",
     in_floats([]<class Real>(Operations<Real>& to) {
       to.down = [](const Real& e, const Real& p, const Real& m) -> Real {
         const Real faint = p / m;
         const bool wrong = is_power_of_two(static_cast<double>(faint));
         return e + (wrong ? moved_by_ulps(faint, 1.0) : faint);
       };
     })},

    {"adds_a_part_in_2_to_the_50",
     "A constant of 2^−50: as large as the rounding of binary64, which alone shows it. 2^−56 does "
     "not show.",
     replacing([]<class Real>(Operations<Real>& to) {
       to.dropout = [](const Real& x, Fate fate, const Real& s) -> Real {
         const Real tiny = Real(1) / Real(1 << 25) / Real(1 << 25);
         return library<Real>.dropout(x, fate, s) + tiny;
       };
     })},

    {"keeps_one_ulp_more_above_1", "What is kept above 1 is one unit in the last place too large.",
     in_floats([]<class Real>(Operations<Real>& to) {
       to.dropout = [](const Real& x, Fate fate, const Real& s) -> Real {
         const Real y = library<Real>.dropout(x, fate, s);
         return static_cast<double>(x) > 1.0 ? moved_by_ulps(y, 1.0) : y;
       };
     })},

};

}  // namespace embedscale::properties::combination
