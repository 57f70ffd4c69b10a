// The facts of block.hpp against the library and against wrong blocks and gradients. Read as a
// list: each line is one test.
#include "testing/block.hpp"

#include "mutants/block.hpp"
#include "mutants/block_attention.hpp"
#include "mutants/block_gradient.hpp"
#include "mutants/block_sublayers.hpp"

namespace embedscale::properties::testing {

using block::Library;

HOLDS(block, forward_is_the_formula, in_double, Library)
REJECTS(block, forward_is_the_formula, in_double, normalizes_on_the_other_side)
REJECTS(block, forward_is_the_formula, in_double, attends_with_one_head)
REJECTS(block, forward_is_the_formula, in_double, keeps_negative_units)
REJECTS(block, forward_is_the_formula, in_double, exchanges_queries_and_keys)
REJECTS(block, forward_is_the_formula, in_double, scales_logits_by_all_heads)
REJECTS(block, forward_is_the_formula, in_double, forgets_the_output_bias)
REJECTS(block, forward_is_the_formula, in_double, bends_one_weight)

HOLDS(block, layer_norm_gradient_is_transposed, in_double, Library)
REJECTS(block, layer_norm_gradient_is_transposed, in_double, detaches_the_divisor)
REJECTS(block, layer_norm_gradient_is_transposed, in_double, exchanges_the_norms)
REJECTS(block, layer_norm_gradient_is_transposed, in_double, misplaces_epsilon)
REJECTS(block, layer_norm_gradient_is_transposed, in_double, squares_the_divisor)
REJECTS(block, layer_norm_gradient_is_transposed, in_double, adds_a_bit_to_the_gradient_of_norms)

HOLDS(block, rms_norm_gradient_is_transposed, in_double, Library)
REJECTS(block, rms_norm_gradient_is_transposed, in_double, detaches_the_divisor)
REJECTS(block, rms_norm_gradient_is_transposed, in_double, exchanges_the_norms)
REJECTS(block, rms_norm_gradient_is_transposed, in_double, misplaces_epsilon)
REJECTS(block, rms_norm_gradient_is_transposed, in_double, squares_the_divisor)
REJECTS(block, rms_norm_gradient_is_transposed, in_double, adds_a_bit_to_the_gradient_of_norms)

HOLDS(block, feed_forward_gradient_is_transposed, in_double, Library)
REJECTS(block, feed_forward_gradient_is_transposed, in_double, forgets_the_kink)
REJECTS(block, feed_forward_gradient_is_transposed, in_double, opens_by_the_gradient)
REJECTS(block, feed_forward_gradient_is_transposed, in_double, opens_without_the_bias)
REJECTS(block, feed_forward_gradient_is_transposed, in_double, leaks_below_the_kink)

HOLDS(block, self_attention_gradient_is_transposed, in_double, Library)
REJECTS(block, self_attention_gradient_is_transposed, in_double, takes_weights_for_constants)
REJECTS(block, self_attention_gradient_is_transposed, in_double, forgets_the_way_by_values)
REJECTS(block, self_attention_gradient_is_transposed, in_double, forgets_the_way_by_keys)
REJECTS(block, self_attention_gradient_is_transposed, in_double, forgets_the_way_by_queries)
REJECTS(block, self_attention_gradient_is_transposed, in_double, leaves_the_outer_product_out)
REJECTS(block, self_attention_gradient_is_transposed, in_double, goes_back_unscaled)
REJECTS(block, self_attention_gradient_is_transposed, in_double, goes_back_by_the_whole_width)
REJECTS(block, self_attention_gradient_is_transposed, in_double, weighs_keys_slightly_more)

HOLDS(block, block_gradient_is_transposed, in_double, Library)
REJECTS(block, block_gradient_is_transposed, in_double, goes_back_on_the_other_side)
REJECTS(block, block_gradient_is_transposed, in_double, forgets_the_skip_of_attention)
REJECTS(block, block_gradient_is_transposed, in_double, forgets_the_skip_of_the_network)
REJECTS(block, block_gradient_is_transposed, in_double, takes_the_divisor_for_a_constant)
REJECTS(block, block_gradient_is_transposed, in_double, passes_slightly_more)

HOLDS(block, token_gradient_is_transposed, in_double, Library)
REJECTS(block, token_gradient_is_transposed, in_double, forgets_the_multiplier_of_the_table)
REJECTS(block, token_gradient_is_transposed, in_double, multiplies_the_slopes_twice)
REJECTS(block, token_gradient_is_transposed, in_double, keeps_the_last_place_of_a_token)
REJECTS(block, token_gradient_is_transposed, in_double, averages_over_the_places_of_a_token)
REJECTS(block, token_gradient_is_transposed, in_double, forgets_the_skip_of_attention)
REJECTS(block, token_gradient_is_transposed, in_double, goes_back_by_a_multiplier_in_binary32)

}  // namespace embedscale::properties::testing
