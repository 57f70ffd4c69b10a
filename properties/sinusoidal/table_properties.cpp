// The attempts to refute the claims about whole tables, with what each has to reject; and the
// beliefs that fail.
#include <algorithm>
#include <cmath>

#include "claims.hpp"
#include "moments.hpp"
#include "places.hpp"
#include "spectrum.hpp"
#include "trials.hpp"

namespace embedscale::properties::sinusoidal {

using namespace testing;

Properties<Primitives> table_properties() {
  return {
      {stays_within_one,
       "short_arcs_do_not_span",
       [](const Primitives& subject) {
         const auto table = any_table({2, 64}, {1, 128});
         covers_variants(table);
         holds_exactly(short_arcs_do_not_span(table, subject));
       },
       {"has_unit_rms", "repeats_the_first_half", "spaces_by_a_smaller_base"}},

      {constant_share,
       "is_that_of_dirichlets_kernel",
       [](const Primitives& subject) {
         const auto table = any_table({2, 64}, {1, 128});
         covers_variants(table);
         holds(constant_share_of_bound(table, subject));
       },
       {"subtracts_position_zero", "spaces_by_a_smaller_base", "clips_positions",
        "pairs_two_frequencies", "rounds_entries_to_binary16", "turns_faster_by_46_digits",
        "adds_46_digits_to_the_last"}},

      {early_channels_move,
       "deviations_are_the_closed_form",
       [](const Primitives& subject) {
         const auto table = any_table({2, 64}, {1, 128});
         covers_variants(table);
         holds(deviations_share_of_bound(table, subject));
       },
       {"has_unit_rms", "counts_positions_from_one", "slices_halves_wrongly",
        "rounds_entries_to_binary16", "turns_faster_by_42_digits"}},

      {early_channels_move,
       "share_of_the_first_channels",
       [](const Primitives& subject) {
         const auto table = any_table({2, 64}, {2, 128});
         const auto count = named("first", in_range<std::size_t>(0, table.d + 1));
         covers_variants(table);
         holds(first_share_of_bound(table, count, subject));
       },
       {"repeats_the_first_half", "swaps_the_last_pair_of_halves", "clips_positions",
        "turns_odd_positions_by_40_digits"}},

      // Short widths, whose tables may be long: the turn of the last pair is at d = 4 that of 183
      // positions by the paper's rule.
      {early_channels_move,
       "the_last_turn_decides",
       [](const Primitives& subject) {
         const auto table = any_table({4, 16}, {1, 512});
         covers_variants(table);
         const double turn = static_cast<double>(table.length) * frequencies_of(table).back();
         covers("beyond a quiet end", turn > quiet_turn, 0.01);
         holds_exactly(turn_decides_quiet_end(table, subject));
       },
       {"repeats_the_first_half", "clips_positions", "spaces_by_a_smaller_base",
        "turns_faster_by_4_digits"},
       3},

      {effective_rank,
       "moments_are_the_closed_form",
       [](const Primitives& subject) {
         const auto table = any_table({2, 16}, {1, 64});
         covers_variants(table);
         for (const auto moments : {Moments::raw, Moments::centred})
           holds(moments_share_of_bound(table, moments, subject));
       },
       {"has_unit_rms", "knows_one_rule", "counts_positions_from_one",
        "swaps_the_last_pair_of_halves", "rounds_entries_to_binary16", "turns_faster_by_47_digits",
        "adds_48_digits_to_the_last"},
       2},

      // In 50 digits, of which elimination keeps 40 behind the point: entries are at most 1.
      {effective_rank,
       "rank_is_full",
       [](const Primitives& subject) {
         using Wide = exact::Decimal50;
         const auto table = any_table({2, 6}, {1, 8});
         static const Wide negligible("1e-40");
         std::vector<std::vector<Wide>> rows;
         for (std::int64_t l = 0; l < table.length; ++l)
           rows.push_back(encoded<Wide>({table.d, l, table.rule, table.layout}, subject));
         holds_exactly(rank_of(rows, negligible) == std::min(rows.size(), table.d));
       },
       {"repeats_the_first_half", "subtracts_position_zero", "slices_halves_wrongly"},
       10},

      // Squared singular values of the table over L, against the eigenvalues of the closed form.
      {effective_rank,
       "directions_hold_what_the_closed_form_says",
       [](const Primitives& subject) {
         const auto table = any_table({2, 16}, {1, 64});
         covers_variants(table);
         auto measured = singular_values_of(rows_of(table, subject));
         for (double& x : measured) x = x * x / static_cast<double>(table.length);
         measured.resize(table.d);  // as many as channels: the others are 0
         const auto stated = eigenvalues_of(stated_moments(table, Moments::raw), table.d);
         holds(energies_apart(measured, stated) / energy_bound(table.d, moment_bound(table)));
       },
       {"repeats_the_first_half", "spaces_by_a_smaller_base", "centres_each_vector",
        "rounds_entries_to_binary16", "turns_faster_by_40_digits"},
       5},
  };
}

Beliefs table_beliefs() {
  return {
      // In its own words, up to rounding: nothing is common to two positions or more.
      {constant_share, "that_nothing_is_the_same_everywhere",
       [] {
         const auto table = any_table({2, 64}, {2, 128});
         holds_exactly(measured_constant_share(table, Primitives{}) <= constant_share_bound(table));
       }},

      // At d = 4, whose last frequency is 1/100 by the paper's rule.
      {early_channels_move, "that_the_last_always_move_less",
       [] {
         const auto length = named("L", positions({2, 1024}));
         holds_exactly(has_quiet_end(measured_ends({.d = 4, .length = length}, Primitives{})));
       }},

      // A long table of few channels fills its space: 99 % of the energy in half of the directions?
      {effective_rank, "that_half_the_space_is_always_enough",
       [] {
         const auto table = any_table({4, 16}, {1, 512});
         const auto values = eigenvalues_of(stated_moments(table, Moments::raw), table.d);
         holds_exactly(2 * directions_for(values, 0.99) <= table.d);
       }},
  };
}

}  // namespace embedscale::properties::sinusoidal
