// The claims of sinusoidal.hpp about one position and about two: against the library, against
// wrong primitives, and the beliefs against their counterexamples. Each line is one test.
#include "testing/sinusoidal.hpp"

#include "mutants/sinusoidal.hpp"
#include "mutants/sinusoidal_limits.hpp"

namespace embedscale::properties::testing {

using sinusoidal::Library;

HOLDS(sinusoidal, stays_within_one, in_each_format, Library)
REJECTS(sinusoidal, stays_within_one, in_each_format, has_unit_rms)
REJECTS(sinusoidal, stays_within_one, in_each_format, approximates_sines)
REJECTS(sinusoidal, stays_within_one, in_each_format, turns_by_powers)
REJECTS(sinusoidal, stays_within_one, in_each_format, is_one_ulp_too_large)

HOLDS(sinusoidal, mean_square_is_half, at_every_position, Library)
HOLDS(sinusoidal, mean_square_is_half, odd_widths_lose_a_channel, Library)
REJECTS(sinusoidal, mean_square_is_half, at_every_position, divides_positions_by_root_width)
REJECTS(sinusoidal, mean_square_is_half, at_every_position, slices_halves_wrongly)
REJECTS(sinusoidal, mean_square_is_half, at_every_position, pairs_two_frequencies)
REJECTS(sinusoidal, mean_square_is_half, at_every_position, rounds_entries_to_binary16)
REJECTS(sinusoidal, mean_square_is_half, at_every_position, turns_by_powers)
REJECTS(sinusoidal, mean_square_is_half, at_every_position, grows_by_52_digits)
REJECTS(sinusoidal, mean_square_is_half, odd_widths_lose_a_channel, has_unit_rms)
REJECTS(sinusoidal, mean_square_is_half, odd_widths_lose_a_channel, pairs_two_frequencies)
REJECTS(sinusoidal, mean_square_is_half, odd_widths_lose_a_channel, counts_positions_from_one)
REJECTS(sinusoidal, mean_square_is_half, odd_widths_lose_a_channel, grows_by_52_digits)

/// A program's token of RMS 1, as the paper's are at the start: as large as its position?
REFUTES(sinusoidal, mean_square_is_half, that_tokens_of_rms_1_are_as_large) {
  const auto at = generators::place(512);
  const auto square = sinusoidal::square_of(sinusoidal::encoded<double>(at, Library{}));
  holds_exactly(std::abs(square - static_cast<long double>(at.d)) <=
                sinusoidal::square_bound<double>(at.d, static_cast<double>(at.d)));
}

/// tensor2tensor's odd widths: the last channel is 0.
REFUTES(sinusoidal, mean_square_is_half, that_it_is_so_at_odd_widths) {
  const std::size_t d = generators::even_width(4, 256, "d - 1") + 1;
  const auto position = generators::named("position", generators::positions());
  const auto p =
      sinusoidal::encoded_odd<double>(d, position, sinusoidal::OddWidth::zero_channel, Library{});
  const double half = static_cast<double>(d) / 2.0;
  holds_exactly(std::abs(sinusoidal::square_of(p) - half) <=
                sinusoidal::square_bound<double>(d, half));
}

HOLDS(sinusoidal, is_not_zero_mean, variance_is_half_less_the_squared_mean, Library)
HOLDS(sinusoidal, is_not_zero_mean, mean_tends_to_the_integral, Library)
REJECTS(sinusoidal, is_not_zero_mean, variance_is_half_less_the_squared_mean, centres_each_vector)
REJECTS(sinusoidal, is_not_zero_mean, variance_is_half_less_the_squared_mean, slices_halves_wrongly)
REJECTS(sinusoidal, is_not_zero_mean, variance_is_half_less_the_squared_mean,
        rounds_entries_to_binary16)
REJECTS(sinusoidal, is_not_zero_mean, variance_is_half_less_the_squared_mean, grows_by_50_digits)
REJECTS(sinusoidal, is_not_zero_mean, mean_tends_to_the_integral, standardises_each_vector)
REJECTS(sinusoidal, is_not_zero_mean, mean_tends_to_the_integral, spaces_by_a_smaller_base)
REJECTS(sinusoidal, is_not_zero_mean, mean_tends_to_the_integral, counts_positions_from_one)
REJECTS(sinusoidal, is_not_zero_mean, mean_tends_to_the_integral, adds_52_digits_to_the_last)

/// In its own words; within a hundredth.
REFUTES(sinusoidal, is_not_zero_mean, that_its_mean_is_zero) {
  const auto at = generators::place(512);
  holds_exactly(std::abs(sinusoidal::mean_of(sinusoidal::encoded<double>(at, Library{}))) <= 0.01L);
}

HOLDS(sinusoidal, shift_is_linear, by_the_rotation_of_the_shift, Library)
HOLDS(sinusoidal, shift_is_linear, to_forty_digits, Library)
REJECTS(sinusoidal, shift_is_linear, by_the_rotation_of_the_shift, pairs_two_frequencies)
REJECTS(sinusoidal, shift_is_linear, by_the_rotation_of_the_shift, subtracts_position_zero)
REJECTS(sinusoidal, shift_is_linear, by_the_rotation_of_the_shift, clips_positions)
REJECTS(sinusoidal, shift_is_linear, by_the_rotation_of_the_shift, centres_each_vector)
REJECTS(sinusoidal, shift_is_linear, by_the_rotation_of_the_shift, counts_positions_from_one)
REJECTS(sinusoidal, shift_is_linear, by_the_rotation_of_the_shift, rounds_entries_to_binary16)
REJECTS(sinusoidal, shift_is_linear, by_the_rotation_of_the_shift, turns_odd_positions_by_52_digits)
REJECTS(sinusoidal, shift_is_linear, by_the_rotation_of_the_shift, adds_51_digits_to_the_last)
REJECTS(sinusoidal, shift_is_linear, to_forty_digits, clips_positions)
REJECTS(sinusoidal, shift_is_linear, to_forty_digits, subtracts_position_zero)
REJECTS(sinusoidal, shift_is_linear, to_forty_digits, turns_odd_positions_by_150_digits)

HOLDS(sinusoidal, product_depends_on_offset, is_a_sum_of_cosines, Library)
HOLDS(sinusoidal, product_depends_on_offset, with_an_exchange_it_depends_on_the_sum, Library)
REJECTS(sinusoidal, product_depends_on_offset, is_a_sum_of_cosines, has_unit_rms)
REJECTS(sinusoidal, product_depends_on_offset, is_a_sum_of_cosines, clips_positions)
REJECTS(sinusoidal, product_depends_on_offset, is_a_sum_of_cosines, pairs_two_frequencies)
REJECTS(sinusoidal, product_depends_on_offset, is_a_sum_of_cosines, centres_each_vector)
REJECTS(sinusoidal, product_depends_on_offset, is_a_sum_of_cosines, knows_one_rule)
REJECTS(sinusoidal, product_depends_on_offset, is_a_sum_of_cosines, rounds_frequencies_to_binary32)
REJECTS(sinusoidal, product_depends_on_offset, is_a_sum_of_cosines, grows_by_52_digits)
REJECTS(sinusoidal, product_depends_on_offset, is_a_sum_of_cosines, turns_faster_by_51_digits)
REJECTS(sinusoidal, product_depends_on_offset, with_an_exchange_it_depends_on_the_sum,
        counts_positions_from_one)
REJECTS(sinusoidal, product_depends_on_offset, with_an_exchange_it_depends_on_the_sum,
        slices_halves_wrongly)
REJECTS(sinusoidal, product_depends_on_offset, with_an_exchange_it_depends_on_the_sum,
        rounds_frequencies_to_binary32)
REJECTS(sinusoidal, product_depends_on_offset, with_an_exchange_it_depends_on_the_sum,
        adds_51_digits_to_the_last)

/// Two products at one distance, 1, with the exchange between them, at d = 2.
REFUTES(sinusoidal, product_depends_on_offset, that_it_does_through_any_matrix) {
  const auto i = generators::named("position", generators::positions());
  const auto between = [](std::int64_t from) {
    const auto p = sinusoidal::encoded<double>({.d = 2, .position = from}, Library{});
    const auto q = sinusoidal::encoded<double>({.d = 2, .position = from + 1}, Library{});
    return sinusoidal::product(p, sinusoidal::exchanged(q, SinusoidalLayout::interleaved));
  };
  holds_exactly(std::abs(between(i) - between(0)) <= 0.01L);
}

HOLDS(sinusoidal, layouts_are_permutations, of_the_same_bits, Library)
HOLDS(sinusoidal, layouts_are_permutations, rules_are_none_of_each_other, Library)
HOLDS(sinusoidal, layouts_are_permutations, rules_differ_as_in_closed_form, Library)
REJECTS(sinusoidal, layouts_are_permutations, of_the_same_bits, slices_halves_wrongly)
REJECTS(sinusoidal, layouts_are_permutations, of_the_same_bits, swaps_the_last_pair_of_halves)
REJECTS(sinusoidal, layouts_are_permutations, of_the_same_bits, halves_err_by_an_ulp)
REJECTS(sinusoidal, layouts_are_permutations, rules_are_none_of_each_other, knows_one_rule)
REJECTS(sinusoidal, layouts_are_permutations, rules_are_none_of_each_other, rules_meet_to_38_digits)
REJECTS(sinusoidal, layouts_are_permutations, rules_differ_as_in_closed_form, knows_one_rule)
REJECTS(sinusoidal, layouts_are_permutations, rules_differ_as_in_closed_form,
        spaces_by_a_smaller_base)
REJECTS(sinusoidal, layouts_are_permutations, rules_differ_as_in_closed_form, slices_halves_wrongly)
REJECTS(sinusoidal, layouts_are_permutations, rules_differ_as_in_closed_form,
        rounds_frequencies_to_binary32)
REJECTS(sinusoidal, layouts_are_permutations, rules_differ_as_in_closed_form,
        turns_faster_by_50_digits)

/// One permutation for both rules, of the vectors of position 1.
REFUTES(sinusoidal, layouts_are_permutations, that_the_rules_are_one_up_to_order) {
  const auto d = generators::even_width(4, 2048);
  holds_exactly(!sinusoidal::rules_are_no_permutation(d, Library{}));
}

}  // namespace embedscale::properties::testing
