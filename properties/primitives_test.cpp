// The facts of primitives.hpp against the library and against wrong primitives, most of which are
// defects that public programs had. Read as a list: each line is one test.
#include "testing/primitives.hpp"

#include "mutants/primitives.hpp"
#include "mutants/primitives_attention.hpp"
#include "mutants/primitives_sinusoidal.hpp"

namespace embedscale::properties::testing {

using primitives::Library;

HOLDS(primitives, multiplier_is_the_rounded_root, in_each_format, Library)
REJECTS(primitives, multiplier_is_the_rounded_root, in_each_format, forgets_the_root)
REJECTS(primitives, multiplier_is_the_rounded_root, in_each_format, keeps_the_root_in_bfloat16)
REJECTS(primitives, multiplier_is_the_rounded_root, in_each_format, keeps_the_root_in_binary32)
REJECTS(primitives, multiplier_is_the_rounded_root, in_each_format, cuts_the_root_off)

HOLDS(primitives, look_up_rounds_once, in_narrow_formats, Library)
REJECTS(primitives, look_up_rounds_once, in_narrow_formats, embeds_without_multiplier)
REJECTS(primitives, look_up_rounds_once, in_narrow_formats, scales_down_in_binary16)
REJECTS(primitives, look_up_rounds_once, in_narrow_formats, embeds_by_the_unrounded_root)
REJECTS(primitives, look_up_rounds_once, in_narrow_formats, saturates)

HOLDS(primitives, draws_are_of_their_law, of_two_laws, Library)
REJECTS(primitives, draws_are_of_their_law, of_two_laws, draws_a_tenth)
REJECTS(primitives, draws_are_of_their_law, of_two_laws, takes_the_scale_for_the_mean)
REJECTS(primitives, draws_are_of_their_law, of_two_laws, takes_the_vocabulary_for_the_fan_in)
REJECTS(primitives, draws_are_of_their_law, of_two_laws, swaps_the_laws)
REJECTS(primitives, draws_are_of_their_law, of_two_laws, clamps_the_cut)
REJECTS(primitives, draws_are_of_their_law, of_two_laws, draws_slightly_more)

HOLDS(primitives, positions_are_sines_and_cosines, at_any_width_and_position, Library)
REJECTS(primitives, positions_are_sines_and_cosines, at_any_width_and_position,
        divides_positions_by_the_root)
REJECTS(primitives, positions_are_sines_and_cosines, at_any_width_and_position,
        slices_the_other_way)
REJECTS(primitives, positions_are_sines_and_cosines, at_any_width_and_position,
        exchanges_the_last_pair)
REJECTS(primitives, positions_are_sines_and_cosines, at_any_width_and_position,
        computes_positions_in_binary16)
REJECTS(primitives, positions_are_sines_and_cosines, at_any_width_and_position,
        raises_the_base_in_bfloat16)
REJECTS(primitives, positions_are_sines_and_cosines, at_any_width_and_position,
        rounds_inverse_frequencies)
REJECTS(primitives, positions_are_sines_and_cosines, at_any_width_and_position,
        computes_positions_in_binary32)
REJECTS(primitives, positions_are_sines_and_cosines, at_any_width_and_position, adds_two_roundings)

HOLDS(primitives, scale_is_that_of_a_head, in_each_format, Library)
REJECTS(primitives, scale_is_that_of_a_head, in_each_format, divides_by_the_width_of_a_head)
REJECTS(primitives, scale_is_that_of_a_head, in_each_format, scales_by_the_whole_width)
REJECTS(primitives, scale_is_that_of_a_head, in_each_format, scales_logits_by_one_percent_more)
REJECTS(primitives, scale_is_that_of_a_head, in_each_format, guards_the_root)
REJECTS(primitives, scale_is_that_of_a_head, in_each_format, scales_slightly_more)

HOLDS(primitives, logits_are_scaled_products, in_binary32, Library)
REJECTS(primitives, logits_are_scaled_products, in_binary32, forgets_the_scale_of_logits)
REJECTS(primitives, logits_are_scaled_products, in_binary32, sums_products_in_binary16)
REJECTS(primitives, logits_are_scaled_products, in_binary32, sums_products_in_bfloat16)
REJECTS(primitives, logits_are_scaled_products, in_binary32, forgets_the_last_product)
REJECTS(primitives, logits_are_scaled_products, in_binary32, sums_products_in_23_digits)
REJECTS(primitives, logits_are_scaled_products, in_binary32, scales_the_logit_slightly_more)

}  // namespace embedscale::properties::testing
