// The claims of embedding.hpp against the library, against wrong programs, and the beliefs against
// their counterexamples. Read as a list: each line is one test. What needs draws to be seen is in
// embedding_draws_test.cpp.
#include "testing/embedding.hpp"

#include "mutants/embedding.hpp"
#include "mutants/embedding_limits.hpp"
#include "mutants/embedding_sparse.hpp"

namespace embedscale::properties::testing {

using embedding::Library;

HOLDS(embedding, root_d_restores_unit_variance, moments_follow_m, Library)
HOLDS(embedding, root_d_restores_unit_variance, variance_is_1_for_every_family, Library)
HOLDS(embedding, root_d_restores_unit_variance, rows_gain_a_factor_root_d, Library)
REJECTS(embedding, root_d_restores_unit_variance, moments_follow_m, looks_up_with_d)
REJECTS(embedding, root_d_restores_unit_variance, moments_follow_m, looks_up_around_1)
REJECTS(embedding, root_d_restores_unit_variance, moments_follow_m, clips_the_row)
REJECTS(embedding, root_d_restores_unit_variance, moments_follow_m, looks_up_wrong_at_one_factor)
REJECTS(embedding, root_d_restores_unit_variance, variance_is_1_for_every_family,
        draws_tenths_for_normals)
REJECTS(embedding, root_d_restores_unit_variance, variance_is_1_for_every_family,
        takes_the_range_for_the_deviation)
REJECTS(embedding, root_d_restores_unit_variance, variance_is_1_for_every_family,
        takes_the_nominal_deviation)
REJECTS(embedding, root_d_restores_unit_variance, variance_is_1_for_every_family,
        takes_the_root_of_one_more)
REJECTS(embedding, root_d_restores_unit_variance, variance_is_1_for_every_family,
        takes_the_root_in_bfloat16)
REJECTS(embedding, root_d_restores_unit_variance, variance_is_1_for_every_family,
        takes_a_root_high_by_48_digits)
REJECTS(embedding, root_d_restores_unit_variance, variance_is_1_for_every_family,
        gives_a_variance_high_by_48_digits)
REJECTS(embedding, root_d_restores_unit_variance, rows_gain_a_factor_root_d, looks_up_bare)
REJECTS(embedding, root_d_restores_unit_variance, rows_gain_a_factor_root_d, looks_up_divided)
REJECTS(embedding, root_d_restores_unit_variance, rows_gain_a_factor_root_d,
        looks_up_all_but_the_last)
REJECTS(embedding, root_d_restores_unit_variance, rows_gain_a_factor_root_d,
        takes_the_root_in_bfloat16)

/// Exactly 1, in bfloat16: √2 is not in it.
REFUTES(embedding, root_d_restores_unit_variance, that_a_rounded_root_does_it_exactly) {
  const auto d = generators::named("d", generators::widths());
  const auto m = static_cast<double>(Library::root<bfloat16>(d));
  holds_exactly(m * m == static_cast<double>(d));
}

HOLDS(embedding, small_tables_stay_dominated, energy_is_two_m_squared_sigma_squared, Library)
HOLDS(embedding, small_tables_stay_dominated, positions_dominate_below_the_break_even, Library)
REJECTS(embedding, small_tables_stay_dominated, energy_is_two_m_squared_sigma_squared,
        looks_up_with_d)
REJECTS(embedding, small_tables_stay_dominated, energy_is_two_m_squared_sigma_squared,
        brings_tokens_to_1)
REJECTS(embedding, small_tables_stay_dominated, energy_is_two_m_squared_sigma_squared,
        positions_of_sines_alone)
REJECTS(embedding, small_tables_stay_dominated, energy_is_two_m_squared_sigma_squared,
        positions_scaled_down)
REJECTS(embedding, small_tables_stay_dominated, energy_is_two_m_squared_sigma_squared,
        scales_rows_high_by_45_digits)
REJECTS(embedding, small_tables_stay_dominated, positions_dominate_below_the_break_even,
        looks_up_bare)
REJECTS(embedding, small_tables_stay_dominated, positions_dominate_below_the_break_even,
        takes_the_root_in_bfloat16)
REJECTS(embedding, small_tables_stay_dominated, positions_dominate_below_the_break_even,
        takes_a_root_high_by_39_digits)

/// A table of 0.01 times √d beside a sinusoid at position 0.
REFUTES(embedding, small_tables_stay_dominated, that_the_factor_is_enough) {
  const auto d = generators::named("d", generators::even_widths(1, 1024));
  holds_exactly(embedding::energy_ratio(0.01, root_multiplier<double>(d), {d, 0}, Library{}) >=
                1.0);
}

HOLDS(embedding, balances_the_two_parts, the_factor_divides_the_positions_share, Library)
HOLDS(embedding, balances_the_two_parts, balanced_from_half_to_twice_the_quotient, Library)
HOLDS(embedding, balances_the_two_parts, equal_laws_are_balanced_up_to_width_4, Library)
REJECTS(embedding, balances_the_two_parts, the_factor_divides_the_positions_share,
        scales_positions_too)
REJECTS(embedding, balances_the_two_parts, the_factor_divides_the_positions_share, adds_bare_tokens)
REJECTS(embedding, balances_the_two_parts, the_factor_divides_the_positions_share,
        adds_with_the_size_of_m)
REJECTS(embedding, balances_the_two_parts, the_factor_divides_the_positions_share,
        adds_wrong_at_one_factor)
REJECTS(embedding, balances_the_two_parts, balanced_from_half_to_twice_the_quotient,
        brings_tokens_to_1)
REJECTS(embedding, balances_the_two_parts, balanced_from_half_to_twice_the_quotient,
        scales_positions_too)
REJECTS(embedding, balances_the_two_parts, balanced_from_half_to_twice_the_quotient,
        scales_rows_high_by_40_digits)
REJECTS(embedding, balances_the_two_parts, equal_laws_are_balanced_up_to_width_4, looks_up_with_d)
REJECTS(embedding, balances_the_two_parts, equal_laws_are_balanced_up_to_width_4,
        takes_the_root_of_one_more)
REJECTS(embedding, balances_the_two_parts, equal_laws_are_balanced_up_to_width_4,
        scales_rows_high_by_40_digits)

/// Learned positions of the tokens' own law, as BERT's and many others are.
REFUTES(embedding, balances_the_two_parts, that_root_d_balances_learned_positions) {
  const auto d = generators::named("d", generators::widths());
  const auto sigma = generators::named("sigma", generators::scales());
  holds_exactly(embedding::is_balanced(
      embedding::ratio_to_table(sigma, sigma, root_multiplier<double>(d), d, Library{})));
}

HOLDS(embedding, depends_on_initialisation, rms_is_that_of_the_family, Library)
HOLDS(embedding, depends_on_initialisation, two_families_meet_where_stated, Library)
REJECTS(embedding, depends_on_initialisation, rms_is_that_of_the_family, brings_tokens_to_1)
REJECTS(embedding, depends_on_initialisation, rms_is_that_of_the_family,
        counts_the_vocabulary_alone)
REJECTS(embedding, depends_on_initialisation, rms_is_that_of_the_family,
        takes_the_range_for_the_deviation)
REJECTS(embedding, depends_on_initialisation, rms_is_that_of_the_family,
        takes_the_nominal_deviation)
REJECTS(embedding, depends_on_initialisation, rms_is_that_of_the_family,
        gives_a_variance_high_by_48_digits)
REJECTS(embedding, depends_on_initialisation, two_families_meet_where_stated,
        takes_the_nominal_deviation)
REJECTS(embedding, depends_on_initialisation, two_families_meet_where_stated,
        counts_the_vocabulary_alone)
REJECTS(embedding, depends_on_initialisation, two_families_meet_where_stated,
        gives_uniform_tables_more)

/// Any two families, nominal σ = 1/50.
REFUTES(embedding, depends_on_initialisation, that_the_law_does_not_matter) {
  const auto d = generators::named("d", generators::widths());
  const auto vocabulary = generators::named("V", generators::integers(domain::vocabularies));
  const auto one = generators::named("family", generators::in_range<std::size_t>(0, 6));
  const auto other = generators::named("beside", generators::in_range<std::size_t>(0, 6));
  holds_exactly(embedding::families_meet(embedding::families[one], embedding::families[other],
                                         {vocabulary, d}, 0.02, Library{}));
}

HOLDS(embedding, lookup_has_unit_fan_in, one_hot_times_table_is_a_row, Library)
HOLDS(embedding, lookup_has_unit_fan_in, variance_is_sigma_squared_per_square, Library)
HOLDS(embedding, lookup_has_unit_fan_in, ones_are_counted_not_rows, Library)
REJECTS(embedding, lookup_has_unit_fan_in, one_hot_times_table_is_a_row,
        averages_over_the_vocabulary)
REJECTS(embedding, lookup_has_unit_fan_in, one_hot_times_table_is_a_row, adds_every_row)
REJECTS(embedding, lookup_has_unit_fan_in, one_hot_times_table_is_a_row, leaves_the_first_token_out)
REJECTS(embedding, lookup_has_unit_fan_in, one_hot_times_table_is_a_row, smooths_the_input)
REJECTS(embedding, lookup_has_unit_fan_in, one_hot_times_table_is_a_row, multiplies_one_ulp_high)
REJECTS(embedding, lookup_has_unit_fan_in, variance_is_sigma_squared_per_square,
        averages_over_the_vocabulary)
REJECTS(embedding, lookup_has_unit_fan_in, variance_is_sigma_squared_per_square, smooths_the_input)
REJECTS(embedding, lookup_has_unit_fan_in, variance_is_sigma_squared_per_square,
        loses_a_little_of_the_fourth_row)
REJECTS(embedding, lookup_has_unit_fan_in, ones_are_counted_not_rows, adds_every_row)
REJECTS(embedding, lookup_has_unit_fan_in, ones_are_counted_not_rows, leaves_the_first_token_out)

/// A rule for dense layers, variance V·σ² of each output, read as one for tables.
REFUTES(embedding, lookup_has_unit_fan_in, that_the_variance_grows_with_the_vocabulary) {
  const auto vocabulary = generators::named("V", generators::in_range<std::size_t>(1, 5));
  std::vector<Rational> x(vocabulary, Rational(0));
  x[0] = Rational(1);
  holds_exactly(embedding::variance_over_tables(x, Rational(1), Library{}) ==
                Rational(static_cast<int>(vocabulary)));
}

HOLDS(embedding, norm_concentrates, squared_length_spreads_by_kurtosis, Library)
HOLDS(embedding, norm_concentrates, kurtosis_is_that_of_the_law, Library)
HOLDS(embedding, norm_concentrates, shorter_where_the_chi_squared_is_small, Library)
REJECTS(embedding, norm_concentrates, squared_length_spreads_by_kurtosis, looks_up_with_d)
REJECTS(embedding, norm_concentrates, squared_length_spreads_by_kurtosis, clips_the_row)
REJECTS(embedding, norm_concentrates, squared_length_spreads_by_kurtosis, looks_up_all_but_the_last)
REJECTS(embedding, norm_concentrates, squared_length_spreads_by_kurtosis,
        looks_up_wrong_at_one_factor)
REJECTS(embedding, norm_concentrates, kurtosis_is_that_of_the_law, takes_every_law_for_normal)
REJECTS(embedding, norm_concentrates, kurtosis_is_that_of_the_law, takes_the_nominal_deviation)
REJECTS(embedding, norm_concentrates, kurtosis_is_that_of_the_law, gives_a_fourth_moment_high)
REJECTS(embedding, norm_concentrates, shorter_where_the_chi_squared_is_small, looks_up_bare)
REJECTS(embedding, norm_concentrates, shorter_where_the_chi_squared_is_small, brings_tokens_to_1)
REJECTS(embedding, norm_concentrates, shorter_where_the_chi_squared_is_small,
        positions_of_sines_alone)
REJECTS(embedding, norm_concentrates, shorter_where_the_chi_squared_is_small,
        scales_rows_high_by_20_digits)
REJECTS(embedding, norm_concentrates, shorter_where_the_chi_squared_is_small,
        scales_rows_high_by_40_digits)

/// In its own words: the length deviates, relatively, as much as the size of an entry does.
REFUTES(embedding, norm_concentrates, that_lengths_are_as_random_as_entries) {
  const auto d = generators::named("d", generators::widths());
  holds_exactly(expected::relative_length_deviation(d) >= expected::relative_length_deviation(1));
}

HOLDS(embedding, gradient_scale, is_m_times_the_sum_of_slopes, Library)
HOLDS(embedding, gradient_scale, rounds_within_n_u, Library)
REJECTS(embedding, gradient_scale, is_m_times_the_sum_of_slopes, detaches_the_factor)
REJECTS(embedding, gradient_scale, is_m_times_the_sum_of_slopes, squares_the_factor)
REJECTS(embedding, gradient_scale, is_m_times_the_sum_of_slopes, keeps_the_last_position)
REJECTS(embedding, gradient_scale, is_m_times_the_sum_of_slopes, divides_by_the_frequency)
REJECTS(embedding, gradient_scale, is_m_times_the_sum_of_slopes, decays_every_row)
REJECTS(embedding, gradient_scale, is_m_times_the_sum_of_slopes, clips_large_slopes)
REJECTS(embedding, gradient_scale, is_m_times_the_sum_of_slopes, adds_two_positions_at_most)
REJECTS(embedding, gradient_scale, is_m_times_the_sum_of_slopes, gives_the_last_gradient_high)
REJECTS(embedding, gradient_scale, rounds_within_n_u, detaches_the_factor)
REJECTS(embedding, gradient_scale, rounds_within_n_u, keeps_the_last_position)
REJECTS(embedding, gradient_scale, rounds_within_n_u, sums_gradients_in_bfloat16)

/// In its own words, of the large ones: what is above 1 gets no larger by √d, d = k².
REFUTES(embedding, gradient_scale, that_large_gradients_get_no_larger) {
  const auto slope = generators::named("dL/dx", generators::in_range(1, 100));
  const auto k = generators::named("root d", generators::in_range(1, 128));
  const auto scaled =
      embedding::gradient_of_entry<Rational>({Rational(slope)}, Rational(k), Library{});
  holds_exactly(scaled <= Rational(slope));
}

}  // namespace embedscale::properties::testing
