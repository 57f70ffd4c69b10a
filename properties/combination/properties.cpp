// The attempts to refute the claims about up and down, with what each has to reject; and the
// beliefs that fail.
#include <embedscale/attention.hpp>
#include <embedscale/embedding.hpp>

#include <string>
#include <vector>

#include "../domain/formats.hpp"
#include "../domain/widths.hpp"
#include "../testing/rows.hpp"
#include "claims.hpp"
#include "rounding.hpp"
#include "trials.hpp"

namespace embedscale::properties::combination {

using namespace testing;
using primitives::rounding_of, primitives::wide;

namespace {

/// What a sum of a scaled token and a position has to be tested with: p of either sign, and pairs
/// that lose three bits at least, where the relative error of the sum is largest.
template <class Real>
void covers_pairs(const Real& token, const Real& p) {
  const double t = static_cast<double>(token), x = static_cast<double>(p);
  covers("p above 0", x > 0.0, 0.25);
  covers("p below 0", x < 0.0, 0.25);
  covers("nearly cancelling", std::abs(t + x) <= std::abs(t) / 8.0, 0.02);
}

constexpr int widths_in_all = static_cast<int>(domain::swept_widths.highest);
constexpr int rates_in_all = static_cast<int>(dropout_rates.size());

/// "e, p in binary16".
template <class Real>
std::string in_format(const std::string& what) {
  return what + " in " + FormatTraits<Real>::name;
}

template <Scalar Real>
void gives_the_same_bits(const Real& e, const Real& p, const Real& m, const Primitives& subject) {
  for (const auto division : divisions)
    holds_exactly(two_ways<Real>(e, p, m, division, subject).agree());
}

/// The proof stands at telling_position.
template <Scalar Real>
void tells_just_other_roots(const Real& m, const Primitives& subject) {
  const Real e(1), p = telling_position(m);
  for (const auto division : divisions) {
    holds_exactly(stays_in_range(e, p, m, division));
    holds_exactly(two_ways<Real>(e, p, m, division, subject).agree() ==
                  is_power_of_two(static_cast<double>(m)));
  }
}

}  // namespace

const Properties<Primitives> properties{
    // Over the rationals a polynomial identity that holds for all of them holds for all reals, √d
    // too.
    {belief_of(up_is_down_times_root_d),
     "for_every_nonzero_factor",
     [](const Primitives& subject) {
       const auto [e, p] = each_named(rationals(), "e", "p");
       const auto m = named("m", nonzero_rationals());
       // What is compared is what is meant: two wrong ways may well agree with each other.
       const auto& of = subject.of<Rational>();
       const Rational meant = m * e + p;
       holds_exactly(of.up(e, p, m) == meant && m * of.down(e, p, m) == meant &&
                     m * of.down_by_reciprocal(e, p, m) == meant && of.sum(e, p) == e + p);
       gives_the_same_bits(e, p, m, subject);
     },
     {"divides_by_m_twice", "forgets_the_multiplier", "scales_the_sum", "divides_by_slightly_less",
      "scales_nothing_apart", "errs_at_one_factor"}},

    /// The minor x₀y₁ − x₁y₀ of two channels of a·e + b·p and a′·e + b′·p is ab′ − a′b times that
    /// of e and p: all minors vanish, whatever e and p, exactly when ab′ = a′b.
    {belief_of(only_the_ratio_sets_direction),
     "minors_vanish_with_the_ratio",
     [](const Primitives& subject) {
       const auto by = named("a, b, a', b'", channels(4));
       const auto parts = each_named(channels(2), "e", "p");
       const auto weighted = [&](const Rational& a, const Rational& b) {
         std::vector<Rational> x;
         for (const std::size_t j : {0u, 1u})
           x.push_back(subject.of<Rational>().sum(a * parts[0][j], b * parts[1][j]));
         return x;
       };
       const auto minor = [](const auto& x, const auto& y) {
         return Rational(x[0] * y[1] - x[1] * y[0]);
       };
       holds_exactly(minor(weighted(by[0], by[1]), weighted(by[2], by[3])) ==
                     (by[0] * by[3] - by[2] * by[1]) * minor(parts[0], parts[1]));
     },
     {"leans_to_the_token", "loses_faint_positions"}},

    {belief_of(only_the_ratio_sets_direction),
     "cosines_of_up_and_down_are_equal",
     [](const Primitives& subject) {
       const auto [e, p, y] = each_named(channels(3), "e", "p", "y");
       const auto m = named("m", positive_rationals());
       std::vector<Rational> up, down;
       for (std::size_t j = 0; j < e.size(); ++j) {
         up.push_back(subject.of<Rational>().up(e[j], p[j], m));
         down.push_back(subject.of<Rational>().down(e[j], p[j], m));
       }
       // cos² cross-multiplied, which stays rational, and the sign.
       const auto of_up = dot<Rational>(up, y), of_down = dot<Rational>(down, y);
       holds_exactly(of_up * of_up * dot<Rational>(down, down) ==
                         of_down * of_down * dot<Rational>(up, up) &&
                     (of_up > 0) == (of_down > 0) && (of_up < 0) == (of_down < 0));
     },
     {"divides_by_m_twice", "divides_by_slightly_less", "errs_at_one_factor"}},

    /// All three combined by up or by down: squared distances differ by m².
    {only_the_ratio_sets_direction,
     "neighbours_stay_if_candidates_carry_it",
     [](const Primitives& subject) {
       const auto m = named("m", nonzero_rationals());
       const auto [x, near, far] = each_named(channels(2), "x: e, p", "near: e, p", "far: e, p");
       const auto& of = subject.of<Rational>();
       const auto up = [&](const auto& v) { return of.up(v[0], v[1], m); };
       const auto down = [&](const auto& v) { return of.down(v[0], v[1], m); };
       holds_exactly(is_nearer(up(x), up(near), up(far)) ==
                     is_nearer(down(x), down(near), down(far)));
     },
     {"forgets_the_multiplier", "leans_to_the_position"}},

    /// By either division, in all four formats: the proof is told at bound_in_u.
    {rounds_identically,
     "else_within_eight_u",
     [](const Primitives& subject) {
       const auto d = named("d", widths());
       const auto i = named("pair", draws());
       domain::for_each_format([&]<class Real>() {
         const Real m = root_multiplier<Real>(d);
         const auto [e, p] = domain::critical_pair(Stream(d, "any width"), i, m);
         covers_pairs(m * e, p);
         for (const auto division : divisions) {
           holds_exactly(stays_in_range(e, p, m, division));
           holds(share_of_bound(e, p, m, division, subject));
         }
       });
     },
     {"divides_by_m_twice", "rounds_the_multiplier_to_bfloat16", "takes_m_three_ulps_low"}},

    /// The other half of "exactly when", far beyond the swept widths.
    {condition_of(rounds_identically),
     "never_at_another_root",
     [](const Primitives& subject) {
       const auto d = named("d", widths({1, std::uint64_t{1} << 20}));
       domain::for_each_format(
           [&]<class Real>() { tells_just_other_roots(root_multiplier<Real>(d), subject); });
     },
     {"scales_nothing_apart", "takes_m_one_ulp_low"}},

    // In bfloat16 the roots of a few more widths round to a power of two.
    {condition_of(rounds_identically),
     "just_at_such_roots_of_every_swept_width",
     [](const Primitives& subject) {
       const std::uint64_t d = 1 + every("d - 1", widths_in_all);
       domain::for_each_format([&]<class Real>() {
         const Real m = root_multiplier<Real>(d);
         tells_just_other_roots(m, subject);
         if (!is_power_of_two(static_cast<double>(m))) return;
         for (std::uint64_t i = 0; i < 256; ++i) {
           const auto [e, p] = domain::critical_pair(Stream(d, "every width"), i, m);
           gives_the_same_bits(e, p, m, subject);
         }
       });
     },
     {"scales_nothing_apart", "takes_m_one_ulp_low", "errs_at_powers_of_two"},
     Exhaustive{widths_in_all}},

    {down_makes_positions_too_faint,
     "the_ratio_is_unchanged",
     [](const Primitives& subject) {
       const auto e = named("e", nonzero_rationals());
       const auto p = named("p", rationals());
       const auto m = named("m", nonzero_rationals());
       holds_exactly(position_to_token(e, p, m, subject).agree());
     },
     {"divides_by_m_twice", "divides_by_slightly_less", "errs_at_one_factor"}},

    /// What bfloat16 holds of a sine at a position below 2^17 and is not 0 stays normal when
    /// divided.
    {down_makes_positions_too_faint,
     "in_bfloat16_nothing_falls_below",
     [](const Primitives& subject) {
       const auto d = 2 * named("d/2", widths({1, 8192}));
       const auto position = named("position", in_range(0, 1 << 17));
       const auto i = named("channel pair", draws()) % (d / 2);
       const int rule = named("tensor2tensor", in_range(0, 2));
       const double last = static_cast<double>(d / 2) - (rule == 0 || d < 4 ? 0.0 : 1.0);
       const double w = std::pow(10000.0, -static_cast<double>(i) / last);
       const auto m = root_multiplier<bfloat16>(d);
       covers("rule of the paper", rule == 0, 0.25);
       covers("rule of tensor2tensor", rule != 0, 0.25);
       for (const double exact : {std::sin(position * w), std::cos(position * w)}) {
         const auto faint = faint_position(bfloat16(exact), m, subject);
         holds_exactly(exact == 0.0 ||
                       (is_normal_or_zero(bfloat16(faint.rounded)) && !faint.vanished()));
         holds(faint.loss_alone() /
               unit_roundoff<bfloat16>);  // one rounding, as for any normal number
       }
     },
     {"cuts_the_quotient_off", "errs_at_powers_of_two"}},

    {dropout_commutes,
     "with_any_factor_over_the_reals",
     [](const Primitives& subject) {
       const auto x = named("x", rationals());
       const auto [m, s] = each_named(nonzero_rationals(), "m", "s");
       const auto& of = subject.of<Rational>();
       holds_exactly(of.dropout(x, DropoutMask::kept, s) == s * x &&
                     of.dropout(x, DropoutMask::dropped, s) == 0);
       for (const DropoutMask mask : {DropoutMask::kept, DropoutMask::dropped})
         holds_exactly(dropout_two_ways(x, m, mask, s, subject).agree());
     },
     {"keeps_by_size", "forgets_the_scale", "turns_the_mask_round", "errs_at_one_scale"}},

    {belief_of(dropout_commutes),
     "else_within_four_u",
     [](const Primitives& subject) {
       const auto d = named("d", widths());
       const auto rate = named("100 rate", in_range(0, 100)) / 100.0;
       const auto i = named("x", draws());
       domain::for_each_format([&]<class Real>() {
         const Real m = root_multiplier<Real>(d);
         const Real s = dropout_scale<Real>(rate);
         const Real x = domain::critical_pair(Stream(d, "dropout"), i, m).p;
         holds(dropout_share_of_bound(x, m, s, subject));
         const bool commute = scales_commute(static_cast<double>(m), static_cast<double>(s));
         covers("scales that commute", commute, 0.01);
         if (commute) holds_exactly(dropout_two_ways(x, m, DropoutMask::kept, s, subject).agree());
       });
     },
     {"adds_a_part_in_2_to_the_50", "keeps_one_ulp_more_above_1"}},

    /// At the rates that are swept, at every width: over every significand of the small formats and
    /// drawn ones of the large.
    {condition_of(dropout_commutes),
     "just_where_the_scales_commute",
     [](const Primitives& subject) {
       const auto point = every("5 (d - 1) + rate", widths_in_all * rates_in_all);
       const std::uint64_t d = 1 + point / rates_in_all;
       const double rate = dropout_rates.at(point % rates_in_all);
       domain::for_each_format([&]<class Real>() {
         const Real m = root_multiplier<Real>(d), s = dropout_scale<Real>(rate);
         bool agree = true;
         for (std::uint64_t i = 0; i < significands<Real>(256) && agree; ++i) {
           const Real x = significand_at<Real>(i, Stream(d, "significands"));
           agree = dropout_two_ways(x, m, DropoutMask::kept, s, subject).agree();
         }
         holds_exactly(agree == scales_commute(static_cast<double>(m), static_cast<double>(s)));
       });
     },
     {"forgets_the_scale", "adds_a_part_in_2_to_the_50", "keeps_one_ulp_more_above_1"},
     Exhaustive{widths_in_all * rates_in_all}},

    {multiplier_commutes_with_order,
     "the_gap_is_m_less_one_times_p",
     [](const Primitives& subject) {
       const auto [e, p] = each_named(rationals(), "e", "p");
       const auto m = named("m", nonzero_rationals());
       const auto [after, before] = scaled_after_and_before(e, p, m, subject);
       holds_exactly(after - before == (m - 1) * p);
       holds_exactly((after == before) == (m == 1 || p == 0));
     },
     {"scales_the_sum", "forgets_the_multiplier", "errs_at_one_factor"}},

    /// A pair that leaves the range is outside of the claim, and judges nothing.
    {belief_of(rounds_identically),
     "at_every_size_when_the_root_is_a_power_of_two",
     [](const Primitives& subject) {
       const int k = named("k", in_range(0, 8));  // d = 4^k
       domain::for_each_format([&]<class Real>() {
         const Real m = root_multiplier<Real>(std::uint64_t{1} << (2 * k));
         const auto [e, p] = named(in_format<Real>("e, p"), sized_pairs(m, domain::finite_floats));
         const bool inside = stays_in_range(e, p, m, Division::by_m);
         covers(in_format<Real>("in range"), inside, 0.4);
         covers(in_format<Real>("a zero"), inside && (e == Real(0) || p == Real(0)), 0.05);
         if (!inside) return;
         gives_the_same_bits(e, p, m, subject);
       });
     },
     {"takes_m_one_ulp_low"}},

    {rounds_identically,
     "at_every_size_else_within_eight_u",
     [](const Primitives& subject) {
       const auto d = named("d", widths_by_size({1, 16384}));
       domain::for_each_format([&]<class Real>() {
         const Real m = root_multiplier<Real>(d);
         const auto [e, p] = named(in_format<Real>("e, p"), sized_pairs(m));
         for (const auto division : divisions) {
           const bool inside = stays_in_range(e, p, m, division);
           covers(in_format<Real>("in range"), inside, 0.4);
           if (inside) holds(share_of_bound(e, p, m, division, subject));
         }
       });
     },
     {"divides_by_m_twice", "rounds_the_multiplier_to_bfloat16"}},

    /// What is left of these sums is a few ulps of their terms, all of it from rounding.
    {rounds_identically,
     "where_the_sum_nearly_cancels",
     [](const Primitives& subject) {
       const auto d = named("d", widths_by_size({1, 16384}));
       domain::for_each_format([&]<class Real>() {
         const Real m = root_multiplier<Real>(d);
         const auto pair = named(in_format<Real>("pair"), cancelling(m));
         const Real e = pair.e, p = pair.p();
         covers("an exact power of two", is_power_of_two(static_cast<double>(m)), 0.05);
         for (const auto division : divisions) {
           holds_exactly(stays_in_range(e, p, m, division));
           holds(share_of_bound(e, p, m, division, subject));
           if (is_power_of_two(static_cast<double>(m)))
             holds_exactly(two_ways(e, p, m, division, subject).agree());
         }
       });
     },
     {"rounds_the_multiplier_to_bfloat16"}},

    /// Any token and any position that the width makes too faint, of either sign.
    {down_makes_positions_too_faint,
     "underflow_is_below_half_an_ulp_of_any_sum",
     [](const Primitives& subject) {
       const auto d = named("d", widths_by_size({1, 16384}));
       const auto m = root_multiplier<binary16>(d);
       const auto e = named("e", floats<binary16>(domain::finite_floats));
       domain::Mixture faint = domain::finite_floats;
       faint.highest = std::ilogb(static_cast<double>(m)) + domain::Encoding<binary16>::least;
       const auto p = named("p", floats<binary16>(faint));
       covers("p / m subnormal", faint_position(p, m, subject).below_normal(), 0.25);
       holds(underflow_over_half_ulp(e, p, m, subject));
       holds(underflow_over_half_ulp(binary16(0), p, m, subject));
       // sin 355 is 3·10^-5 away from 0, and stands in channel 0 at every width.
       holds_exactly(faint_position(binary16(std::sin(355.0)), m, subject).below_normal());
     },
     {"flushes_to_zero", "cuts_the_quotient_off", "flushes_the_smallest_subnormal"}},

    {sums_are_of_scaled_parts,
     "in_each_format",
     of_one_format<double, float, binary16, bfloat16>([]<class Real>(const Operations<Real>& of) {
       const auto [e, p, m] = judge_combined<Real>(of);
       judge_result("down by the reciprocal", primitives::divided_down, of.down_by_reciprocal, e, p,
                    m);
     }),
     {"up_is_0", "down_is_0", "down_by_reciprocal_is_0", "sum_is_0", "scales_nothing_apart"}},

    {dropout_scales_what_it_keeps,
     "in_each_format",
     of_one_format<double, float, binary16, bfloat16>([]<class Real>(const Operations<Real>& of) {
       const auto rate = named("100 rate", in_range(0, 100)) / 100.0;
       const Real s = dropout_scale<Real>(rate);
       const Real x = drawn_parts<Real>().p;
       judge("kept", primitives::products(rounding_of<Real>(), {wide(x)}, wide(s)),
             [&] { return std::vector{of.dropout(x, DropoutMask::kept, s)}; });
       holds_exactly(of.dropout(x, DropoutMask::dropped, s) == Real(0));
     }),
     {"dropout_is_0", "forgets_the_scale", "turns_the_mask_round"}},
    {dropout_scales_what_it_keeps,
     "at_any_rate",
     of_one_format<double, float, binary16, bfloat16>([]<class Real>(const Operations<Real>& of) {
       const auto rate = named("1000 rate", in_range(0, 1000)) / 1000.0;
       const Real x = drawn_parts<Real>().p;
       judge("kept", primitives::dropout(rounding_of<Real>(), wide(x), rate),
             [&] { return std::vector{of.dropout_at_rate(x, DropoutMask::kept, rate)}; });
       holds_exactly(of.dropout_at_rate(x, DropoutMask::dropped, rate) == Real(0));
     }),
     {"dropout_at_rate_is_0", "takes_the_rate_for_what_is_kept", "drops_without_scale",
      "turns_the_mask_round"}},
};

const Beliefs beliefs{
    /// Only the input carries the factor, the rows it is compared with do not.
    {beside(only_the_ratio_sets_direction), "that_neighbours_never_move",
     [] {
       const auto m = named("m", positive_rationals());
       const auto [x, near, far] = each_named(rationals(), "x", "near", "far");
       holds_exactly(is_nearer(x, near, far) == is_nearer(Rational(m * x), near, far));
     }},

    /// binary32, small whole numbers: the counterexample that a reader can check by hand.
    {rounds_identically, "that_it_always_does",
     [] {
       const auto d = named("d", widths());
       const auto e = static_cast<float>(named("e", in_range(0, 64)));
       const auto p = static_cast<float>(named("p", in_range(0, 64)));
       const auto m = root_multiplier<float>(d);
       holds_exactly(two_ways(e, p, m, Division::by_m, Primitives{}).agree());
     }},

    /// The belief, in its own words: the position's share of the input is smaller when it is scaled
    /// down.
    {down_makes_positions_too_faint, "that_the_position_is_fainter_beside_the_token",
     [] {
       const auto [e, p] = each_named(nonzero_rationals(), "e", "p");
       const auto m =
           named("m", mapped<Rational, Rational>(positive_rationals(),
                                                 [](const Rational& x) { return 1 + x; }));
       const auto [up, down] = position_to_token(e, p, m, Primitives{});
       const auto size = [](const Rational& x) { return x < 0 ? Rational(-x) : x; };
       holds_exactly(size(down) < size(up));
     }},

    /// Dropping a tenth, in binary32, at a width whose root is no power of two.
    {dropout_commutes, "that_it_always_does_in_floating_point",
     [] {
       const auto d = named("d", widths());
       const auto x = static_cast<float>(named("x", in_range(0, 1024)));
       const auto s = dropout_scale<float>(0.1);
       holds_exactly(
           dropout_two_ways(x, root_multiplier<float>(d), DropoutMask::kept, s, Primitives{})
               .agree());
     }},

    {multiplier_commutes_with_order, "that_the_order_does_not_matter",
     [] {
       const auto [e, p] = each_named(rationals(), "e", "p");
       const auto m = named("m", nonzero_rationals());
       holds_exactly(scaled_after_and_before(e, p, m, Primitives{}).agree());
     }},

};

Trials trials() {
  return trials_of(joined(properties, merged_properties), mutants, joined(beliefs, merged_beliefs));
}

}  // namespace embedscale::properties::combination
