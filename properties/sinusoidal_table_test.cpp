// The claims of sinusoidal.hpp about whole tables: against the library, against wrong primitives,
// and the beliefs against their counterexamples. Read as a list: each line is one test.
#include "testing/sinusoidal_table.hpp"

#include "mutants/sinusoidal.hpp"
#include "mutants/sinusoidal_limits.hpp"

namespace embedscale::properties::testing {

using sinusoidal::Library;

HOLDS(sinusoidal, stays_within_one, short_arcs_do_not_span, Library)
REJECTS(sinusoidal, stays_within_one, short_arcs_do_not_span, has_unit_rms)
REJECTS(sinusoidal, stays_within_one, short_arcs_do_not_span, repeats_the_first_half)
REJECTS(sinusoidal, stays_within_one, short_arcs_do_not_span, spaces_by_a_smaller_base)

HOLDS(sinusoidal, constant_share, is_that_of_dirichlets_kernel, Library)
REJECTS(sinusoidal, constant_share, is_that_of_dirichlets_kernel, subtracts_position_zero)
REJECTS(sinusoidal, constant_share, is_that_of_dirichlets_kernel, spaces_by_a_smaller_base)
REJECTS(sinusoidal, constant_share, is_that_of_dirichlets_kernel, clips_positions)
REJECTS(sinusoidal, constant_share, is_that_of_dirichlets_kernel, pairs_two_frequencies)
REJECTS(sinusoidal, constant_share, is_that_of_dirichlets_kernel, rounds_entries_to_binary16)
REJECTS(sinusoidal, constant_share, is_that_of_dirichlets_kernel, turns_faster_by_46_digits)
REJECTS(sinusoidal, constant_share, is_that_of_dirichlets_kernel, adds_46_digits_to_the_last)

/// In its own words: nothing is common to two positions or more.
REFUTES(sinusoidal, constant_share, that_nothing_is_the_same_everywhere) {
  const auto table = generators::table(2, 64, 2, 128);
  holds_exactly(sinusoidal::measured_constant_share(table, Library{}) <= 0.001);
}

HOLDS(sinusoidal, early_channels_move, deviations_are_the_closed_form, Library)
HOLDS(sinusoidal, early_channels_move, share_of_the_first_channels, Library)
HOLDS(sinusoidal, early_channels_move, the_last_turn_decides, Library)
REJECTS(sinusoidal, early_channels_move, deviations_are_the_closed_form, has_unit_rms)
REJECTS(sinusoidal, early_channels_move, deviations_are_the_closed_form, counts_positions_from_one)
REJECTS(sinusoidal, early_channels_move, deviations_are_the_closed_form, slices_halves_wrongly)
REJECTS(sinusoidal, early_channels_move, deviations_are_the_closed_form, rounds_entries_to_binary16)
REJECTS(sinusoidal, early_channels_move, deviations_are_the_closed_form, turns_faster_by_42_digits)
REJECTS(sinusoidal, early_channels_move, share_of_the_first_channels, repeats_the_first_half)
REJECTS(sinusoidal, early_channels_move, share_of_the_first_channels, swaps_the_last_pair_of_halves)
REJECTS(sinusoidal, early_channels_move, share_of_the_first_channels, clips_positions)
REJECTS(sinusoidal, early_channels_move, share_of_the_first_channels,
        turns_odd_positions_by_40_digits)
REJECTS(sinusoidal, early_channels_move, the_last_turn_decides, repeats_the_first_half)
REJECTS(sinusoidal, early_channels_move, the_last_turn_decides, clips_positions)
REJECTS(sinusoidal, early_channels_move, the_last_turn_decides, spaces_by_a_smaller_base)
REJECTS(sinusoidal, early_channels_move, the_last_turn_decides, turns_faster_by_4_digits)

/// At d = 4, whose last frequency is 1/100 by the paper's rule.
REFUTES(sinusoidal, early_channels_move, that_the_last_always_move_less) {
  const auto length = generators::named("L", generators::positions({2, 1024}));
  holds_exactly(
      sinusoidal::has_quiet_end(sinusoidal::measured_ends({.d = 4, .length = length}, Library{})));
}

HOLDS(sinusoidal, effective_rank, rank_is_full, Library)
REJECTS(sinusoidal, effective_rank, rank_is_full, repeats_the_first_half)
REJECTS(sinusoidal, effective_rank, rank_is_full, subtracts_position_zero)
REJECTS(sinusoidal, effective_rank, rank_is_full, slices_halves_wrongly)
HOLDS(sinusoidal, effective_rank, moments_are_the_closed_form, Library)
HOLDS(sinusoidal, effective_rank, directions_hold_what_the_closed_form_says, Library)
REJECTS(sinusoidal, effective_rank, moments_are_the_closed_form, has_unit_rms)
REJECTS(sinusoidal, effective_rank, moments_are_the_closed_form, knows_one_rule)
REJECTS(sinusoidal, effective_rank, moments_are_the_closed_form, counts_positions_from_one)
REJECTS(sinusoidal, effective_rank, moments_are_the_closed_form, swaps_the_last_pair_of_halves)
REJECTS(sinusoidal, effective_rank, moments_are_the_closed_form, rounds_entries_to_binary16)
REJECTS(sinusoidal, effective_rank, moments_are_the_closed_form, turns_faster_by_47_digits)
REJECTS(sinusoidal, effective_rank, moments_are_the_closed_form, adds_48_digits_to_the_last)
REJECTS(sinusoidal, effective_rank, directions_hold_what_the_closed_form_says,
        repeats_the_first_half)
REJECTS(sinusoidal, effective_rank, directions_hold_what_the_closed_form_says,
        spaces_by_a_smaller_base)
REJECTS(sinusoidal, effective_rank, directions_hold_what_the_closed_form_says, centres_each_vector)
REJECTS(sinusoidal, effective_rank, directions_hold_what_the_closed_form_says,
        rounds_entries_to_binary16)
REJECTS(sinusoidal, effective_rank, directions_hold_what_the_closed_form_says,
        turns_faster_by_40_digits)

/// A long table of few channels fills its space: 99 % of the energy in half of the directions?
REFUTES(sinusoidal, effective_rank, that_half_the_space_is_always_enough) {
  const auto table = generators::table(4, 16, 1, 512);
  const auto values =
      eigenvalues_of(sinusoidal::stated_moments(table, sinusoidal::Moments::raw), table.d);
  holds_exactly(2 * sinusoidal::directions_for(values, 0.99) <= table.d);
}

}  // namespace embedscale::properties::testing
