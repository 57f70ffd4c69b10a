// Wrong primitives, from the largest defect to the smallest that the properties still see in their
// 10^4 cases, each with the next smaller one that they do not. Beyond these stand, as no defect at
// all, a fused multiply-add in up and a tie that is rounded away from zero: every claim holds for
// them, too.
//
// Over the rationals no size is too small, an identity holds or not. There the limit is how rarely
// a case is wrong: a share x of them is missed with probability (1 − x)^10000.
#include <cmath>
#include <limits>

#include "../testing/slightly_wrong.hpp"
#include "trials.hpp"

namespace embedscale::properties::combination {

using namespace testing;

namespace {

constexpr auto up = EMBEDSCALE_OPERATION(up);
constexpr auto down = EMBEDSCALE_OPERATION(down);
constexpr auto sum = EMBEDSCALE_OPERATION(sum);
constexpr auto dropout = EMBEDSCALE_OPERATION(dropout);
constexpr auto at_rate = EMBEDSCALE_OPERATION(dropout_at_rate);
constexpr auto token = EMBEDSCALE_OPERATION(merged_token);
constexpr auto feature = EMBEDSCALE_OPERATION(merged_feature);

constexpr DropoutMask reverse(DropoutMask mask) {
  return mask == DropoutMask::kept ? DropoutMask::dropped : DropoutMask::kept;
}

/// down with another quotient than fl(p/m): change(quotient, p, m).
template <class Change>
constexpr auto quotients(Change) {
  return in_floats(
      replaces(down, []<class Real>(auto, const Real& e, const Real& p, const Real& m) {
        Real quotient = p / m;
        Change{}(quotient, p, m);
        return e + quotient;
      }));
}

/// up by a factor that is so many units in its last place too small.
template <int ulps>
constexpr auto lower_factor() {
  return in_floats(replaces(
      up, [](auto was, auto e, auto p, auto m) { return was(e, p, moved_by_ulps(m, -ulps)); }));
}

/// Features divided by m, but multiplied by another number behind the merge: change(m).
template <class Change>
constexpr auto multiplied_back(Change) {
  return in_floats(replaces(feature, []<class Real>(auto was, const Real& q, const Real& m,
                                                    MultiplierPlace at, Features features) {
    const bool both = at == MultiplierPlace::behind_merge && features == Features::divided;
    return both ? Change{}(m)*was(q, m, MultiplierPlace::look_up, features)
                : was(q, m, at, features);
  }));
}

}  // namespace

const Mutants<Primitives> mutants{
    {"divides_by_m_twice",
     "d where √d was meant, in the division (multiply and divide confused: "
     "pytorch/tutorials#2849).",
     replaces(down, [](auto was, auto e, auto p, auto m) { return was(e, p / m, m); })},

    {"forgets_the_multiplier", "The multiplier is missing (SamLynnEvans/Transformer#10).",
     replaces(up, []<class Real>(auto, const Real& e, const Real& p,
                                 const Real&) { return library<Real>.sum(e, p); })},

    {"scales_the_sum", "The whole sum is scaled.",
     replaces(up, []<class Real>(auto, const Real& e, const Real& p,
                                 const Real& m) { return m * library<Real>.sum(e, p); })},

    {"scales_nothing_apart",
     "The whole sum is scaled, and the division forgotten as well: the errors agree with each "
     "other.",
     replacing([]<class Real>(Operations<Real>& to) {
       to.up = [](const Real& e, const Real& p, const Real& m) -> Real {
         return m * library<Real>.sum(e, p);
       };
       to.down = [](const Real& e, const Real& p, const Real&) { return library<Real>.sum(e, p); };
     })},

    {"leans_to_the_token",
     "The token enters a second time, a millionth of it: every ratio shifts a little.",
     replaces(sum, [](auto was, auto e, auto p) { return was(high<20>(e), p); })},

    {"divides_by_slightly_less",
     "down is off by one part in 2^40: nothing that a tolerance would see.",
     replaces(down, [](auto was, auto e, auto p, auto m) { return was(e, high<40>(p), m); })},

    {"rounds_the_multiplier_to_bfloat16",
     "up multiplies by m rounded to eight digits, down divides by m itself: √3072 = 55.5 on one "
     "side (huggingface/transformers#29402).",
     in_floats(replaces(
         up, [](auto was, auto e, auto p, auto m) { return was(e, p, kept_in<bfloat16>(m)); }))},

    {"multiplies_tokens_at_both_places",
     "The look-up multiplies, and so does code copied from a model whose look-up did not "
     "(TensorAuto/OpenTau#179).",
     replaces(token, [](auto was, auto e, auto m, auto at) { return was(m * e, m, at); })},

    {"still_divides_features_at_the_look_up",
     "Features are divided by m though it has moved from behind the merge into the look-up "
     "(vllm#52667).",
     replaces(feature, [](auto was, auto q, auto m, auto at,
                          auto) { return was(q, m, at, Features::divided); })},

    {"divides_features_at_one_factor", "A quotient is off by one part in 2^40 at one factor.",
     replaces(feature,
              [](auto was, auto q, auto m, auto at, auto features) {
                return was(off_at_one_factor(q, m), m, at, features);
              })},

    {"multiplies_features_by_m_in_bfloat16",
     "Divided by √d, but multiplied by its rounding to bfloat16, as PaliGemma in transformers.",
     multiplied_back([](const auto& m) { return kept_in<bfloat16>(m); })},

    {"takes_features_m_three_ulps_low", "Three units in the last place of m, on the way back.",
     multiplied_back([](const auto& m) { return moved_by_ulps(m, -3); })},

    {"takes_features_m_one_ulp_low", "One: where bits are compared.",
     multiplied_back([](const auto& m) { return moved_by_ulps(m, -1); })},

    {"flushes_to_zero", "The processor flushes subnormal results to zero.",
     quotients([]<class Real>(Real& faint, const Real&, const Real&) {
       if (!is_normal_or_zero(faint)) faint = Real(0);
     })},

    {"keeps_by_size", "The decision to keep a channel looks at its value.",
     replaces(dropout,
              []<class Real>(auto was, const Real& x, DropoutMask mask, const Real& s) {
                return was(x, x < Real(4) ? mask : DropoutMask::dropped, s);
              })},

    {"forgets_the_scale", "The mask is applied and the scale 1/(1 − rate) forgotten.",
     replaces(dropout, []<class Real>(auto was, const Real& x, DropoutMask mask,
                                      const Real&) { return was(x, mask, Real(1)); })},

    {"turns_the_mask_round", "What should be kept is dropped, and the reverse.",
     replacing([]<class Real>(Operations<Real>& to) {
       to.dropout = [](const Real& x, DropoutMask mask, const Real& s) {
         return library<Real>.dropout(x, reverse(mask), s);
       };
       to.dropout_at_rate = [](const Real& x, DropoutMask mask, double rate) {
         return library<Real>.dropout_at_rate(x, reverse(mask), rate);
       };
     })},

    {"takes_the_rate_for_what_is_kept", "x/rate for what is kept (kaldi-asr/kaldi#2814).",
     replaces(at_rate, [](auto was, auto x, auto mask,
                          double rate) { return was(x, mask, rate == 0 ? rate : 1 - rate); })},

    {"drops_without_scale", "The mask at any rate, without 1/(1 − rate).",
     replaces(at_rate, [](auto was, auto x, auto mask, double) { return was(x, mask, 0.0); })},

    {"errs_at_one_factor",
     "Wrong at one factor alone, by one part in 2^40: one case in 360, missed with probability "
     "e^−28. Wrong at one factor and one token, one case in 10^5, it is caught in one run of "
     "thirteen.",
     replaces(up,
              [](auto was, auto e, auto p, auto m) { return was(e, off_at_one_factor(p, m), m); })},

    {"errs_at_one_scale", "The same of dropout, at one scale.",
     replaces(dropout, [](auto was, auto x, DropoutMask mask,
                          auto s) { return was(off_at_one_factor(x, s), mask, s); })},

    {"loses_faint_positions",
     "A position part below 1/16 is lost in the sum: at one case in 100 or so. One below 1/128 is "
     "in one of 10^4, and caught in six runs of ten; below 1/256 there are hardly any.",
     replaces(sum,
              []<class Real>(auto was, const Real& e, const Real& p) {
                const Real faint = Real(1) / Real(16);
                return p < faint && Real(-p) < faint ? e : was(e, p);
              })},

    {"leans_to_the_position",
     "down has a position an eighth too large. A neighbour changes only where two candidates are "
     "nearly as far: at an eighth in one case of 100, at 2^−9 in one of 2000.",
     replaces(down, [](auto was, auto e, auto p, auto m) { return was(e, high<3>(p), m); })},

    {"takes_m_one_ulp_low", "One unit in the last place of m: wherever bits are compared.",
     lower_factor<1>()},

    {"takes_m_three_ulps_low",
     "Three: the smallest that is above a bound of 8u in every run. Two are in three runs of ten, "
     "one never is: the bound is above the largest difference found, 7.06u, and one ulp is u to "
     "2u.",
     lower_factor<3>()},

    {"flushes_the_smallest_subnormal",
     "Of all values of p/m only those that round to the smallest subnormal become 0.",
     quotients([]<class Real>(Real& faint, const Real&, const Real&) {
       const double smallest = static_cast<double>(std::numeric_limits<Real>::denorm_min());
       if (std::abs(static_cast<double>(faint)) <= smallest) faint = Real(0);
     })},

    {"cuts_the_quotient_off",
     "p/m is cut off where it should be rounded: an ulp at most where half a one is allowed.",
     quotients([]<class Real>(Real& rounded, const Real& p, const Real& m) {
       const double exact = static_cast<double>(p) / static_cast<double>(m);
       const double size = static_cast<double>(rounded);
       if (std::abs(size) > std::abs(exact))
         rounded = moved_by_ulps(rounded, -std::copysign(1.0, size));
     })},

    {"errs_at_powers_of_two",
     "Quotients that are powers of two are an ulp too large: one in 128. In every 32nd binade "
     "alone, one in 4096, there is none among those that are drawn.",
     quotients([]<class Real>(Real& faint, const Real&, const Real&) {
       if (is_power_of_two(static_cast<double>(faint))) faint = moved_by_ulps(faint, 1.0);
     })},

    {"adds_a_part_in_2_to_the_50",
     "A constant of 2^−50: as large as the rounding of binary64, which alone shows it. 2^−56 does "
     "not show.",
     changes(dropout, []<class Real>(Real& y, auto&&...) { y = y + static_cast<Real>(0x1p-50); })},

    {"keeps_one_ulp_more_above_1", "What is kept above 1 is one unit in the last place too large.",
     in_floats(changes(dropout,
                       [](auto& y, const auto& x, auto&&...) {
                         if (static_cast<double>(x) > 1.0) y = moved_by_ulps(y, 1.0);
                       }))},
};

}  // namespace embedscale::properties::combination
