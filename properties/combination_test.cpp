// The claims of combination.hpp against the library, against wrong primitives, and the beliefs
// against their counterexamples. Read as a list: each line is one test.
#include "testing/combination.hpp"

#include "mutants/combination.hpp"
#include "mutants/combination_limits.hpp"
#include "testing/combination_sizes.hpp"

namespace embedscale::properties::testing {

using combination::Library;

HOLDS(combination, up_is_down_times_root_d, for_every_nonzero_factor, Library)
REJECTS(combination, up_is_down_times_root_d, for_every_nonzero_factor, divides_by_m_twice)
REJECTS(combination, up_is_down_times_root_d, for_every_nonzero_factor, forgets_the_multiplier)
REJECTS(combination, up_is_down_times_root_d, for_every_nonzero_factor, scales_the_sum)
REJECTS(combination, up_is_down_times_root_d, for_every_nonzero_factor, divides_by_slightly_less)
REJECTS(combination, up_is_down_times_root_d, for_every_nonzero_factor, scales_nothing_apart)
REJECTS(combination, up_is_down_times_root_d, for_every_nonzero_factor, leaves_positions_out)
REJECTS(combination, up_is_down_times_root_d, for_every_nonzero_factor, errs_at_one_factor)

HOLDS(combination, only_the_ratio_sets_direction, minors_vanish_with_the_ratio, Library)
HOLDS(combination, only_the_ratio_sets_direction, cosines_of_up_and_down_are_equal, Library)
HOLDS(combination, only_the_ratio_sets_direction, neighbours_stay_if_candidates_carry_it, Library)
REJECTS(combination, only_the_ratio_sets_direction, minors_vanish_with_the_ratio,
        leans_to_the_token)
REJECTS(combination, only_the_ratio_sets_direction, cosines_of_up_and_down_are_equal,
        divides_by_m_twice)
REJECTS(combination, only_the_ratio_sets_direction, cosines_of_up_and_down_are_equal,
        divides_by_slightly_less)
REJECTS(combination, only_the_ratio_sets_direction, neighbours_stay_if_candidates_carry_it,
        forgets_the_multiplier)
REJECTS(combination, only_the_ratio_sets_direction, minors_vanish_with_the_ratio,
        loses_faint_positions)
REJECTS(combination, only_the_ratio_sets_direction, cosines_of_up_and_down_are_equal,
        errs_at_one_factor)
REJECTS(combination, only_the_ratio_sets_direction, neighbours_stay_if_candidates_carry_it,
        leans_to_the_position)

/// Only the input carries the factor, the rows it is compared with do not.
REFUTES(combination, only_the_ratio_sets_direction, that_neighbours_never_move) {
  const auto m = generators::named("m", generators::positive_rationals());
  const auto x = generators::named("x", generators::rationals());
  const auto near = generators::named("near", generators::rationals());
  const auto far = generators::named("far", generators::rationals());
  holds_exactly(combination::is_nearer(x, near, far) ==
                combination::is_nearer(Rational(m * x), near, far));
}

HOLDS(combination, rounds_identically, when_the_root_is_a_power_of_two, Library)
HOLDS(combination, rounds_identically, else_within_eight_u_or_nine, Library)
HOLDS(combination, rounds_identically, never_at_another_root, Library)
REJECTS(combination, rounds_identically, never_at_another_root, scales_nothing_apart)
REJECTS(combination, rounds_identically, never_at_another_root, leaves_positions_out)
REJECTS(combination, rounds_identically, when_the_root_is_a_power_of_two, takes_m_eight_ulps_low)
REJECTS(combination, rounds_identically, else_within_eight_u_or_nine, divides_by_m_twice)
REJECTS(combination, rounds_identically, else_within_eight_u_or_nine,
        rounds_the_multiplier_to_bfloat16)
REJECTS(combination, rounds_identically, else_within_eight_u_or_nine, takes_m_eight_ulps_low)
REJECTS(combination, rounds_identically, else_within_eight_u_or_nine, takes_m_three_ulps_low)
REJECTS(combination, rounds_identically, else_within_eight_u_or_nine, returns_two_ulps_more)
REJECTS(combination, rounds_identically, when_the_root_is_a_power_of_two, takes_m_one_ulp_low)
REJECTS(combination, rounds_identically, when_the_root_is_a_power_of_two, errs_at_powers_of_two)
REJECTS(combination, rounds_identically, never_at_another_root, takes_m_one_ulp_low)

HOLDS(combination, rounds_identically, at_every_size_when_the_root_is_a_power_of_two, Library)
HOLDS(combination, rounds_identically, at_every_size_else_within_eight_u_or_nine, Library)
HOLDS(combination, rounds_identically, where_the_sum_nearly_cancels, Library)
REJECTS(combination, rounds_identically, at_every_size_when_the_root_is_a_power_of_two,
        takes_m_eight_ulps_low)
REJECTS(combination, rounds_identically, at_every_size_else_within_eight_u_or_nine,
        divides_by_m_twice)
REJECTS(combination, rounds_identically, at_every_size_else_within_eight_u_or_nine,
        rounds_the_multiplier_to_bfloat16)
REJECTS(combination, rounds_identically, where_the_sum_nearly_cancels, takes_m_eight_ulps_low)
REJECTS(combination, rounds_identically, where_the_sum_nearly_cancels,
        rounds_the_multiplier_to_bfloat16)

/// binary32, small whole numbers: the counterexample that a reader can check by hand.
REFUTES(combination, rounds_identically, that_it_always_does) {
  const auto d = generators::named("d", generators::widths());
  const auto e = static_cast<float>(generators::named("e", generators::in_range(0, 64)));
  const auto p = static_cast<float>(generators::named("p", generators::in_range(0, 64)));
  const auto m = root_multiplier<float>(d);
  holds_exactly(combination::two_ways(e, p, m, combination::Division::by_m, Library{}).agree());
}

HOLDS(combination, down_makes_positions_too_faint, the_ratio_is_unchanged, Library)
HOLDS(combination, down_makes_positions_too_faint, underflow_is_below_half_an_ulp_of_the_sum,
      Library)
HOLDS(combination, down_makes_positions_too_faint, in_bfloat16_nothing_falls_below, Library)
HOLDS(combination, down_makes_positions_too_faint, underflow_is_below_half_an_ulp_of_any_sum,
      Library)
REJECTS(combination, down_makes_positions_too_faint, underflow_is_below_half_an_ulp_of_any_sum,
        flushes_to_zero)
REJECTS(combination, down_makes_positions_too_faint, the_ratio_is_unchanged, divides_by_m_twice)
REJECTS(combination, down_makes_positions_too_faint, the_ratio_is_unchanged,
        divides_by_slightly_less)
REJECTS(combination, down_makes_positions_too_faint, underflow_is_below_half_an_ulp_of_the_sum,
        flushes_to_zero)
REJECTS(combination, down_makes_positions_too_faint, in_bfloat16_nothing_falls_below,
        keeps_seven_digits_of_positions)
REJECTS(combination, down_makes_positions_too_faint, the_ratio_is_unchanged, errs_at_one_factor)
REJECTS(combination, down_makes_positions_too_faint, underflow_is_below_half_an_ulp_of_the_sum,
        cuts_the_quotient_off)
REJECTS(combination, down_makes_positions_too_faint, underflow_is_below_half_an_ulp_of_the_sum,
        flushes_the_smallest_subnormal)
REJECTS(combination, down_makes_positions_too_faint, in_bfloat16_nothing_falls_below,
        cuts_the_quotient_off)
REJECTS(combination, down_makes_positions_too_faint, in_bfloat16_nothing_falls_below,
        errs_at_powers_of_two)

/// The belief, in its own words: the position's share of the input is smaller when it is scaled
/// down.
REFUTES(combination, down_makes_positions_too_faint,
        that_the_position_is_fainter_beside_the_token) {
  const auto e = generators::named("e", generators::nonzero_rationals());
  const auto p = generators::named("p", generators::nonzero_rationals());
  const auto m = generators::named(
      "m", rc::gen::map(generators::positive_rationals(), [](const Rational& x) { return 1 + x; }));
  const auto [up, down] = combination::position_to_token(e, p, m, Library{});
  const auto size = [](const Rational& x) { return x < 0 ? Rational(-x) : x; };
  holds_exactly(size(down) < size(up));
}

HOLDS(combination, dropout_commutes, with_any_factor_over_the_reals, Library)
HOLDS(combination, dropout_commutes, else_within_four_u, Library)
REJECTS(combination, dropout_commutes, with_any_factor_over_the_reals, keeps_by_size)
REJECTS(combination, dropout_commutes, with_any_factor_over_the_reals, bends_slightly)
REJECTS(combination, dropout_commutes, with_any_factor_over_the_reals, forgets_the_scale)
REJECTS(combination, dropout_commutes, with_any_factor_over_the_reals, turns_the_mask_round)
REJECTS(combination, dropout_commutes, else_within_four_u, adds_a_small_constant)
REJECTS(combination, dropout_commutes, with_any_factor_over_the_reals, errs_at_one_scale)
REJECTS(combination, dropout_commutes, else_within_four_u, adds_a_part_in_2_to_the_50)
REJECTS(combination, dropout_commutes, else_within_four_u, keeps_one_ulp_more_above_1)

/// Dropping a tenth, in binary32, at a width whose root is no power of two.
REFUTES(combination, dropout_commutes, that_it_always_does_in_floating_point) {
  const auto d = generators::named("d", generators::widths());
  const auto x = static_cast<float>(generators::named("x", generators::in_range(0, 1024)));
  const auto s = dropout_scale<float>(0.1);
  holds_exactly(
      combination::dropout_two_ways(x, root_multiplier<float>(d), Fate::kept, s, Library{})
          .agree());
}

HOLDS(combination, multiplier_commutes_with_order, the_gap_is_m_less_one_times_p, Library)
REJECTS(combination, multiplier_commutes_with_order, the_gap_is_m_less_one_times_p, scales_the_sum)
REJECTS(combination, multiplier_commutes_with_order, the_gap_is_m_less_one_times_p,
        adds_slightly_more_position)
REJECTS(combination, multiplier_commutes_with_order, the_gap_is_m_less_one_times_p,
        forgets_the_multiplier)
REJECTS(combination, multiplier_commutes_with_order, the_gap_is_m_less_one_times_p,
        errs_at_one_factor)

REFUTES(combination, multiplier_commutes_with_order, that_the_order_does_not_matter) {
  const auto e = generators::named("e", generators::rationals());
  const auto p = generators::named("p", generators::rationals());
  const auto m = generators::named("m", generators::nonzero_rationals());
  holds_exactly(combination::scaled_after_and_before(e, p, m, Library{}).agree());
}

TEST(combination, of_vectors_refuses_sizes_that_disagree) {
  const std::vector<float> e(3), p(2);
  std::vector<float> out(3), longer(4);
  EXPECT_NO_THROW(combine<float>(e, e, out, sum<float>));
  EXPECT_THROW(combine<float>(e, p, out, sum<float>), std::invalid_argument);
  EXPECT_THROW(combine<float>(e, e, longer, sum<float>), std::invalid_argument);
}

}  // namespace embedscale::properties::testing
