// The claims of concatenation.hpp against the library, against wrong primitives, and the beliefs
// against their counterexamples. Read as a list: each line is one test.
#include "testing/concatenation.hpp"

#include "mutants/concatenation.hpp"
#include "mutants/concatenation_reader.hpp"
#include "testing/concatenation_reader.hpp"

namespace embedscale::properties::testing {

using concatenation::Library;

HOLDS(concatenation, is_a_padded_sum, at_every_token_and_position, Library)
HOLDS(concatenation, is_a_padded_sum, to_the_bit_in_every_format, Library)
REJECTS(concatenation, is_a_padded_sum, at_every_token_and_position, appends_the_token)
REJECTS(concatenation, is_a_padded_sum, at_every_token_and_position, pads_both_on_the_right)
REJECTS(concatenation, is_a_padded_sum, at_every_token_and_position, begins_one_channel_early)
REJECTS(concatenation, is_a_padded_sum, at_every_token_and_position, pads_with_almost_nothing)
REJECTS(concatenation, is_a_padded_sum, to_the_bit_in_every_format, flushes_sums_to_zero)
REJECTS(concatenation, is_a_padded_sum, to_the_bit_in_every_format, sums_zeros_to_minus_zero)
REJECTS(concatenation, is_a_padded_sum, to_the_bit_in_every_format, copies_zeros_as_plus)

HOLDS(concatenation, sum_is_a_tied_concatenation, at_any_weights, Library)
HOLDS(concatenation, sum_is_a_tied_concatenation, within_the_bound_of_two_sums, Library)
HOLDS(concatenation, sum_is_a_tied_concatenation, within_the_bound_at_every_size, Library)
REJECTS(concatenation, sum_is_a_tied_concatenation, at_any_weights, forgets_the_second_copy)
REJECTS(concatenation, sum_is_a_tied_concatenation, at_any_weights, ties_in_reverse)
REJECTS(concatenation, sum_is_a_tied_concatenation, at_any_weights, leaves_the_last_term_out)
REJECTS(concatenation, sum_is_a_tied_concatenation, at_any_weights, ties_almost)
REJECTS(concatenation, sum_is_a_tied_concatenation, within_the_bound_of_two_sums,
        projects_in_six_digits)
REJECTS(concatenation, sum_is_a_tied_concatenation, within_the_bound_of_two_sums,
        adds_eight_ulps_to_long_sums)
REJECTS(concatenation, sum_is_a_tied_concatenation, within_the_bound_at_every_size,
        projects_in_six_digits)
REJECTS(concatenation, sum_is_a_tied_concatenation, within_the_bound_at_every_size,
        flushes_sums_to_zero)

/// The belief: no weights of a concatenated layer give what the summed one gives.
REFUTES(concatenation, sum_is_a_tied_concatenation, that_no_concatenated_layer_gives_the_same) {
  const auto w = generators::named("w", generators::channels(1));
  const auto e = generators::named("e", generators::channels(1));
  const auto p = generators::named("p", generators::channels(1));
  const auto [of_sum, of_tied] = concatenation::both_outputs(w, e, p, Library{});
  holds_exactly(of_sum != of_tied);
}

/// That the two agree to the bit, in bfloat16 and small whole numbers.
REFUTES(concatenation, sum_is_a_tied_concatenation, that_it_always_rounds_alike) {
  const auto number = [](const char* name) {
    return std::vector{bfloat16(generators::named(name, generators::in_range(0, 256)))};
  };
  const auto w = number("w"), e = number("e"), p = number("p");
  const auto [of_sum, of_tied] = concatenation::both_outputs(w, e, p, Library{});
  holds_exactly(of_sum == of_tied);
}

HOLDS(concatenation, first_channels_unusable, with_the_position_none_is_misread, Library)
HOLDS(concatenation, first_channels_unusable, without_it_where_another_row_is_nearer, Library)
HOLDS(concatenation, first_channels_unusable, rounding_is_harmless_on_its_condition, Library)
REJECTS(concatenation, first_channels_unusable, with_the_position_none_is_misread,
        keeps_the_position)
REJECTS(concatenation, first_channels_unusable, with_the_position_none_is_misread,
        takes_the_position_twice)
REJECTS(concatenation, first_channels_unusable, with_the_position_none_is_misread,
        takes_almost_the_position)
REJECTS(concatenation, first_channels_unusable, with_the_position_none_is_misread,
        overlooks_the_last_channel)
REJECTS(concatenation, first_channels_unusable, without_it_where_another_row_is_nearer,
        reads_by_inner_product)
REJECTS(concatenation, first_channels_unusable, without_it_where_another_row_is_nearer,
        adds_sizes_of_gaps)
REJECTS(concatenation, first_channels_unusable, without_it_where_another_row_is_nearer,
        overlooks_the_last_channel)
REJECTS(concatenation, first_channels_unusable, rounding_is_harmless_on_its_condition,
        keeps_the_position)
REJECTS(concatenation, first_channels_unusable, rounding_is_harmless_on_its_condition,
        sums_in_few_digits)
REJECTS(concatenation, first_channels_unusable, rounding_is_harmless_on_its_condition,
        sums_one_ulp_high)

/// The belief: the first channel, under the position of index 0 (sine 0, cosine 1), never tells two
/// words apart. Channels are (sine, cosine), read with the position known.
REFUTES(concatenation, first_channels_unusable, that_the_first_channel_tells_no_word) {
  const auto first = generators::named("word 0", generators::rationals());
  const auto second = generators::named("word 1", generators::rationals());
  const auto p = generators::named("p", generators::channels(1));
  const EmbeddingTable<Rational> table(2, 1, {first, second});
  holds_exactly(!(concatenation::reads_with_position(table, 0, p, Library{}) &&
                  concatenation::reads_with_position(table, 1, p, Library{})));
}

/// That a known position is always enough: in bfloat16 rows one ulp apart fall together beside a
/// position that is larger.
REFUTES(concatenation, first_channels_unusable, that_no_rounding_hides_a_word) {
  const auto first = generators::named("word 0", generators::in_range(0, 256));
  const auto second = generators::named("word 1", generators::in_range(0, 256));
  const auto p = generators::named("p", generators::in_range(0, 256));
  const EmbeddingTable<bfloat16> table(2, 1, {bfloat16(first), bfloat16(second)});
  for (const std::size_t token : {0u, 1u})
    if (first != second)
      holds_exactly(concatenation::reads_rounded(table, token, {bfloat16(p)}, Library{}).right);
}

HOLDS(concatenation, parts_are_nearly_orthogonal, mean_square_over_symmetries_is_one_over_d,
      Library)
REJECTS(concatenation, parts_are_nearly_orthogonal, mean_square_over_symmetries_is_one_over_d,
        squares_one_length)
REJECTS(concatenation, parts_are_nearly_orthogonal, mean_square_over_symmetries_is_one_over_d,
        forgets_to_normalise)
REJECTS(concatenation, parts_are_nearly_orthogonal, mean_square_over_symmetries_is_one_over_d,
        halves_what_starts_above_zero)
REJECTS(concatenation, parts_are_nearly_orthogonal, mean_square_over_symmetries_is_one_over_d,
        leans_to_the_first_channel)

/// The belief taken literally: at d = 2 the two are never far from orthogonal.
REFUTES(concatenation, parts_are_nearly_orthogonal, that_few_channels_are_enough) {
  const auto e = generators::named("e", generators::channels(2));
  const auto p = generators::named("p", generators::channels(2));
  const auto length = [](const auto& x) { return dot<Rational>(x, x); };
  if (length(e) == 0 || length(p) == 0) return holds_exactly(true);
  holds_exactly(Library::squared_cosine<Rational>(e, p) <= Rational(1) / 100);
}

HOLDS(concatenation, costs, are_those_of_a_count, Library)
HOLDS(concatenation, costs, differ_as_stated, Library)
REJECTS(concatenation, costs, are_those_of_a_count, counts_pairs_as_one)
REJECTS(concatenation, costs, are_those_of_a_count, keeps_the_whole_table)
REJECTS(concatenation, costs, are_those_of_a_count, forgets_the_output_projection)
REJECTS(concatenation, costs, are_those_of_a_count, attends_to_one_key_less)
REJECTS(concatenation, costs, are_those_of_a_count, multiplies_one_channel_less)
REJECTS(concatenation, costs, differ_as_stated, keeps_the_whole_table)
REJECTS(concatenation, costs, differ_as_stated, builds_a_narrow_block)

/// That appending always saves: not if the tokens keep their width.
REFUTES(concatenation, costs, that_appending_saves_at_any_width) {
  const auto d = generators::named("d", generators::in_range<std::uint64_t>(2, 1025));
  const auto vocabulary = generators::named("V", generators::in_range<std::uint64_t>(1, 65536));
  const auto family = concatenation::family_of(vocabulary, 1, d, 1);
  holds_exactly(Library::costs(family.equal_tokens).parameters() <
                Library::costs(family.sum).parameters());
}

}  // namespace embedscale::properties::testing
