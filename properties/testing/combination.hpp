#pragma once
// The attempts to refute the claims of combination.hpp, for any primitives of Library's shape.
#include <embedscale/embedding.hpp>
#include <embedscale/random.hpp>
#include <embedscale/sinusoidal.hpp>

#include <cmath>

#include "../combination_exact.hpp"
#include "../combination_rounding.hpp"
#include "../domain/formats.hpp"
#include "../domain/pairs.hpp"
#include "generators/numbers.hpp"
#include "property.hpp"

namespace embedscale::properties::testing {

using domain::Rational;

/// What a sum of a scaled token and a position has to be tested with: p of either sign, and pairs
/// that lose three bits at least, where the relative error of the sum is largest.
template <class Real>
void covers_pairs(const Real& token, const Real& p) {
  const double t = static_cast<double>(token), x = static_cast<double>(p);
  covers("p above 0", x > 0.0, 0.25);
  covers("p below 0", x < 0.0, 0.25);
  covers("nearly cancelling", std::abs(t + x) <= std::abs(t) / 8.0, 0.02);
}

// Over the rationals a polynomial identity that holds for all of them holds for all reals, √d too.
PROPERTY(combination, up_is_down_times_root_d, for_every_nonzero_factor) {
  const auto e = generators::named("e", generators::rationals());
  const auto p = generators::named("p", generators::rationals());
  const auto m = generators::named("m", generators::nonzero_rationals());
  holds_exactly(combination::are_what_they_say(e, p, m, subject));
  using combination::Division;
  holds_exactly(combination::two_ways(e, p, m, Division::by_m, subject).agree());
  holds_exactly(combination::two_ways(e, p, m, Division::by_reciprocal, subject).agree());
}

PROPERTY(combination, only_the_ratio_sets_direction, minors_vanish_with_the_ratio) {
  const auto weights = generators::named("a, b, a', b'", generators::channels(4));
  const auto e = generators::named("e", generators::channels(2));
  const auto p = generators::named("p", generators::channels(2));
  holds_exactly(combination::minors_follow_the_ratio<Rational>(
      {weights[0], weights[1]}, {weights[2], weights[3]}, e, p, subject));
}

PROPERTY(combination, only_the_ratio_sets_direction, cosines_of_up_and_down_are_equal) {
  const auto e = generators::named("e", generators::channels(3));
  const auto p = generators::named("p", generators::channels(3));
  const auto y = generators::named("y", generators::channels(3));
  const auto m = generators::named("m", generators::positive_rationals());
  holds_exactly(combination::cosines_agree(e, p, y, m, subject));
}

PROPERTY(combination, only_the_ratio_sets_direction, neighbours_stay_if_candidates_carry_it) {
  const auto m = generators::named("m", generators::nonzero_rationals());
  const auto x = generators::named("x: e, p", generators::channels(2));
  const auto near = generators::named("near: e, p", generators::channels(2));
  const auto far = generators::named("far: e, p", generators::channels(2));
  holds_exactly(combination::neighbours_agree<Rational>({x[0], x[1]}, {near[0], near[1]},
                                                        {far[0], far[1]}, m, subject));
}

PROPERTY(combination, rounds_identically, when_the_root_is_a_power_of_two) {
  const int k = generators::named("k", generators::in_range(0, 8));  // d = 4^k
  const auto i = generators::named("pair", generators::draws());
  domain::for_each_format([&]<class Real>() {
    const Real m = root_multiplier<Real>(std::uint64_t{1} << (2 * k));
    const auto [e, p] = domain::critical_pair(Stream(0, "power of two"), i, m);
    covers_pairs(m * e, p);
    using combination::Division;
    holds_exactly(combination::two_ways(e, p, m, Division::by_m, subject).agree());
    holds_exactly(combination::two_ways(e, p, m, Division::by_reciprocal, subject).agree());
  });
}

/// Both bounds, in all four formats: the derivation stands at bound_in_u.
PROPERTY(combination, rounds_identically, else_within_eight_u_or_nine) {
  const auto d = generators::named("d", generators::widths());
  const auto i = generators::named("pair", generators::draws());
  domain::for_each_format([&]<class Real>() {
    const Real m = root_multiplier<Real>(d);
    const auto [e, p] = domain::critical_pair(Stream(d, "any width"), i, m);
    covers_pairs(m * e, p);
    using combination::Division;
    for (const auto division : {Division::by_m, Division::by_reciprocal}) {
      holds_exactly(combination::stays_in_range(e, p, m, division));
      holds(combination::share_of_bound(e, p, m, division, subject));
    }
  });
}

/// The other half of "exactly when", at every width and far beyond the swept ones: the proof stands
/// at telling_position.
PROPERTY(combination, rounds_identically, never_at_another_root) {
  const auto d = generators::named("d", generators::widths({1, std::uint64_t{1} << 20}));
  domain::for_each_format([&]<class Real>() {
    const Real m = root_multiplier<Real>(d);
    const Real e(1), p = combination::telling_position(m);
    using combination::Division;
    for (const auto division : {Division::by_m, Division::by_reciprocal}) {
      holds_exactly(combination::stays_in_range(e, p, m, division));
      holds_exactly(combination::two_ways(e, p, m, division, subject).agree() ==
                    is_power_of_two(static_cast<double>(m)));
    }
  });
}

PROPERTY(combination, down_makes_positions_too_faint, the_ratio_is_unchanged) {
  const auto e = generators::named("e", generators::nonzero_rationals());
  const auto p = generators::named("p", generators::rationals());
  const auto m = generators::named("m", generators::nonzero_rationals());
  holds_exactly(combination::position_to_token(e, p, m, subject).agree());
}

/// p over the whole range of binary16 that a sine takes, 2^−24 to 1, and e of its usual sizes.
PROPERTY(combination, down_makes_positions_too_faint, underflow_is_below_half_an_ulp_of_the_sum) {
  const auto d = generators::named("d", generators::widths({1, 16384}));
  const auto i = generators::named("pair", generators::draws());
  const Stream stream(d, "faint positions");
  const auto m = root_multiplier<binary16>(d);
  const auto p = binary16(std::exp2(-24.0 * stream.uniform(i)));
  const auto e = binary16(stream.normal(i, 1) / std::sqrt(static_cast<double>(d)));
  covers("p / m subnormal", static_cast<double>(p / m) < 0x1p-14, 0.25);
  holds(combination::underflow_over_half_ulp(e, p, m, subject));
  holds(combination::underflow_over_half_ulp(binary16(0), p, m, subject));
}

/// What bfloat16 holds of a sine at a position below 2^17 and is not 0 stays normal when divided.
PROPERTY(combination, down_makes_positions_too_faint, in_bfloat16_nothing_falls_below) {
  const auto d = 2 * generators::named("d/2", generators::widths({1, 8192}));
  const auto position = generators::named("position", generators::in_range(0, 1 << 17));
  const auto i = generators::named("channel pair", generators::draws()) % (d / 2);
  const int rule = generators::named("tensor2tensor", generators::in_range(0, 2));
  const double last = static_cast<double>(d / 2) - (rule == 0 || d < 4 ? 0.0 : 1.0);
  const double w = std::pow(10000.0, -static_cast<double>(i) / last);
  const auto m = root_multiplier<bfloat16>(d);
  covers("rule of the paper", rule == 0, 0.25);
  covers("rule of tensor2tensor", rule != 0, 0.25);
  for (const double exact : {std::sin(position * w), std::cos(position * w)}) {
    const auto faint = combination::faint_position(bfloat16(exact), m, subject);
    holds_exactly(exact == 0.0 ||
                  (is_normal_or_zero(bfloat16(faint.rounded)) && !faint.vanished()));
    holds(faint.loss_alone() / unit_roundoff<bfloat16>);  // one rounding, as for any normal number
  }
}

PROPERTY(combination, dropout_commutes, with_any_factor_over_the_reals) {
  const auto x = generators::named("x", generators::rationals());
  const auto m = generators::named("m", generators::nonzero_rationals());
  const auto s = generators::named("s", generators::nonzero_rationals());
  holds_exactly(combination::dropout_is_what_it_says(x, s, subject));
  for (const Fate fate : {Fate::kept, Fate::dropped})
    holds_exactly(combination::dropout_two_ways(x, m, fate, s, subject).agree());
}

PROPERTY(combination, dropout_commutes, else_within_four_u) {
  const auto d = generators::named("d", generators::widths());
  const auto rate = generators::named("100 rate", generators::in_range(0, 100)) / 100.0;
  const auto i = generators::named("x", generators::draws());
  domain::for_each_format([&]<class Real>() {
    const Real m = root_multiplier<Real>(d);
    const Real s = dropout_scale<Real>(rate);
    const Real x = domain::critical_pair(Stream(d, "dropout"), i, m).p;
    holds(combination::dropout_share_of_bound(x, m, s, subject));
    const bool commute =
        combination::scales_commute(static_cast<double>(m), static_cast<double>(s));
    covers("scales that commute", commute, 0.01);
    if (commute) holds_exactly(combination::dropout_two_ways(x, m, Fate::kept, s, subject).agree());
  });
}

PROPERTY(combination, multiplier_commutes_with_order, the_gap_is_m_less_one_times_p) {
  const auto e = generators::named("e", generators::rationals());
  const auto p = generators::named("p", generators::rationals());
  const auto m = generators::named("m", generators::nonzero_rationals());
  holds_exactly(combination::orders_differ_as_stated(e, p, m, subject));
}

}  // namespace embedscale::properties::testing
