// The claims of normalization_block.hpp against the library, against wrong blocks and wrong ways to
// undo a factor, and the beliefs against their counterexamples. Each line is one test.
#include "testing/normalization_block.hpp"

#include "mutants/normalization_block.hpp"

namespace embedscale::properties::testing {

using normalization::BlockLibrary;

HOLDS(normalization, post_norm_block, compensated_to_the_bit, BlockLibrary)
HOLDS(normalization, post_norm_block, compensated_in_50_digits, BlockLibrary)
HOLDS(normalization, post_norm_block, otherwise_a_temperature, BlockLibrary)
REJECTS(normalization, post_norm_block, compensated_to_the_bit, divides_the_queries_alone)
REJECTS(normalization, post_norm_block, compensated_to_the_bit, divides_the_values)
REJECTS(normalization, post_norm_block, compensated_to_the_bit, forgets_the_value_bias)
REJECTS(normalization, post_norm_block, compensated_to_the_bit, forgets_the_output_bias)
REJECTS(normalization, post_norm_block, compensated_to_the_bit, forgets_the_query_bias)
REJECTS(normalization, post_norm_block, compensated_to_the_bit, scales_the_network_bias)
REJECTS(normalization, post_norm_block, compensated_to_the_bit, scales_one_bias_high_by_6_digits)
REJECTS(normalization, post_norm_block, compensated_to_the_bit, puts_norms_on_the_other_side)
REJECTS(normalization, post_norm_block, compensated_to_the_bit,
        adds_an_epsilon_of_10_to_the_minus_5)
REJECTS(normalization, post_norm_block, compensated_to_the_bit, leaks_past_the_norm)
REJECTS(normalization, post_norm_block, compensated_in_50_digits, divides_the_queries_alone)
REJECTS(normalization, post_norm_block, compensated_in_50_digits, forgets_the_query_bias)
REJECTS(normalization, post_norm_block, compensated_in_50_digits, scales_one_bias_high_by_60_digits)
REJECTS(normalization, post_norm_block, compensated_in_50_digits,
        adds_an_epsilon_of_2_to_the_minus_100)
REJECTS(normalization, post_norm_block, compensated_in_50_digits,
        leaks_2_to_the_minus_90_past_the_norm)
REJECTS(normalization, post_norm_block, otherwise_a_temperature, puts_norms_on_the_other_side)
REJECTS(normalization, post_norm_block, otherwise_a_temperature,
        adds_an_epsilon_of_10_to_the_minus_5)
REJECTS(normalization, post_norm_block, otherwise_a_temperature, leaks_past_the_norm)

/// Two tokens, the factor 2, a hundredth of the output as what one would notice.
REFUTES(normalization, post_norm_block, that_it_notices_nothing) {
  const auto [block, x] = simple_block(NormPlacement::post, 2, {1, 0, 0, 1});
  const auto out = normalization::through(block, x, BlockLibrary{});
  const auto doubled =
      normalization::through(block, normalization::product(2.0, x), BlockLibrary{});
  holds(normalization::relative_deviation(doubled, out) / 0.01);
}

HOLDS(normalization, pre_norm_block, skip_carries_it_and_branch_does_not, BlockLibrary)
HOLDS(normalization, pre_norm_block, branch_stays_in_50_digits, BlockLibrary)
HOLDS(normalization, pre_norm_block, absorbed_where_branches_carry_it, BlockLibrary)
REJECTS(normalization, pre_norm_block, skip_carries_it_and_branch_does_not,
        puts_norms_on_the_other_side)
REJECTS(normalization, pre_norm_block, skip_carries_it_and_branch_does_not, forgets_the_skip)
REJECTS(normalization, pre_norm_block, skip_carries_it_and_branch_does_not, adds_a_constant)
REJECTS(normalization, pre_norm_block, skip_carries_it_and_branch_does_not, reads_without_the_norm)
REJECTS(normalization, pre_norm_block, skip_carries_it_and_branch_does_not,
        leaks_the_input_into_the_branch)
REJECTS(normalization, pre_norm_block, skip_carries_it_and_branch_does_not,
        adds_an_epsilon_of_10_to_the_minus_5)
REJECTS(normalization, pre_norm_block, branch_stays_in_50_digits, reads_without_the_norm)
REJECTS(normalization, pre_norm_block, branch_stays_in_50_digits,
        leaks_2_to_the_minus_90_into_the_branch)
REJECTS(normalization, pre_norm_block, branch_stays_in_50_digits,
        adds_an_epsilon_of_2_to_the_minus_100)
REJECTS(normalization, pre_norm_block, absorbed_where_branches_carry_it, scales_attention_alone)
REJECTS(normalization, pre_norm_block, absorbed_where_branches_carry_it, forgets_the_outer_bias)
REJECTS(normalization, pre_norm_block, absorbed_where_branches_carry_it, scales_the_inner_bias)
REJECTS(normalization, pre_norm_block, absorbed_where_branches_carry_it,
        scales_one_output_bias_high)
REJECTS(normalization, pre_norm_block, absorbed_where_branches_carry_it, adds_a_constant)
REJECTS(normalization, pre_norm_block, absorbed_where_branches_carry_it,
        adds_an_epsilon_of_10_to_the_minus_5)

/// One token, values with their channels swapped, a final norm, and a hundredth of its output.
REFUTES(normalization, pre_norm_block, that_a_later_norm_absorbs_it) {
  const auto [block, x] = simple_block(NormPlacement::pre, 1, {0, 1, 1, 0});
  const auto out = normalization::final_output<double>({block}, x, BlockLibrary{});
  const auto doubled =
      normalization::final_output<double>({block}, normalization::product(2.0, x), BlockLibrary{});
  holds(normalization::relative_deviation(doubled, out) / 0.01);
}

}  // namespace embedscale::properties::testing
