// The claims of conventions.hpp against the library, against wrong programs, and the beliefs
// against their counterexamples. Read as a list: each line is one test.
#include "testing/conventions.hpp"

#include "mutants/conventions.hpp"
#include "mutants/conventions_frequencies.hpp"
#include "mutants/conventions_limits.hpp"
#include "mutants/conventions_spellings.hpp"

namespace embedscale::properties::testing {

using conventions::Library;

HOLDS(conventions, multiplier_sets_the_scale, ratio_is_root_two_m_sigma, Library)
HOLDS(conventions, multiplier_sets_the_scale, the_law_decides_balance, Library)
HOLDS(conventions, multiplier_sets_the_scale, one_factor_for_two_laws_within_four, Library)
REJECTS(conventions, multiplier_sets_the_scale, ratio_is_root_two_m_sigma, divides_the_table)
REJECTS(conventions, multiplier_sets_the_scale, ratio_is_root_two_m_sigma, multiplies_twice)
REJECTS(conventions, multiplier_sets_the_scale, ratio_is_root_two_m_sigma, leaves_the_table_alone)
REJECTS(conventions, multiplier_sets_the_scale, ratio_is_root_two_m_sigma, normalises_the_token)
REJECTS(conventions, multiplier_sets_the_scale, ratio_is_root_two_m_sigma, encodes_sines_twice)
REJECTS(conventions, multiplier_sets_the_scale, ratio_is_root_two_m_sigma, forgets_the_last_channel)
REJECTS(conventions, multiplier_sets_the_scale, ratio_is_root_two_m_sigma,
        multiplies_by_one_percent_more)
REJECTS(conventions, multiplier_sets_the_scale, ratio_is_root_two_m_sigma, multiplies_by_bfloat16)
REJECTS(conventions, multiplier_sets_the_scale, ratio_is_root_two_m_sigma,
        keeps_positions_in_binary16)
REJECTS(conventions, multiplier_sets_the_scale, the_law_decides_balance, leaves_the_table_alone)
REJECTS(conventions, multiplier_sets_the_scale, the_law_decides_balance, normalises_the_token)
REJECTS(conventions, multiplier_sets_the_scale, the_law_decides_balance, multiplies_by_bfloat16)
REJECTS(conventions, multiplier_sets_the_scale, the_law_decides_balance,
        keeps_positions_in_binary16)
REJECTS(conventions, multiplier_sets_the_scale, one_factor_for_two_laws_within_four,
        normalises_the_token)
REJECTS(conventions, multiplier_sets_the_scale, one_factor_for_two_laws_within_four,
        keeps_positions_in_binary16)
REJECTS(conventions, multiplier_sets_the_scale, ratio_is_root_two_m_sigma,
        looks_up_high_by_48_digits)
REJECTS(conventions, multiplier_sets_the_scale, ratio_is_root_two_m_sigma,
        looks_up_the_last_channel_high)
REJECTS(conventions, multiplier_sets_the_scale, the_law_decides_balance, looks_up_high_by_39_digits)
REJECTS(conventions, multiplier_sets_the_scale, one_factor_for_two_laws_within_four,
        looks_up_high_by_40_digits)

/// The four frameworks' default tables times √d, at position 0.
REFUTES(conventions, multiplier_sets_the_scale, that_root_d_always_balances) {
  const auto d = generators::named("d", generators::even_widths(1, 2048));
  const auto framework = generators::named("framework", generators::frameworks());
  const double ratio =
      conventions::start_of(conventions::default_laws(d)[framework.index],
                            root_multiplier<double>(d), {.d = d, .position = 0}, Library{});
  const double least = 1.0 - conventions::doubt_of_balance(d);
  holds_exactly(conventions::is_balanced(ratio * least) || conventions::is_balanced(ratio / least));
}

HOLDS(conventions, one_text_one_start, variance_is_the_second_moment, Library)
HOLDS(conventions, one_text_one_start, quotient_is_that_of_the_deviations, Library)
HOLDS(conventions, one_text_one_start, default_laws_have_four_second_moments, Library)
REJECTS(conventions, one_text_one_start, variance_is_the_second_moment,
        takes_the_half_range_for_sigma)
REJECTS(conventions, one_text_one_start, variance_is_the_second_moment,
        takes_the_fan_from_the_wrong_axis)
REJECTS(conventions, one_text_one_start, variance_is_the_second_moment, forgets_the_cut)
REJECTS(conventions, one_text_one_start, variance_is_the_second_moment,
        quotes_four_digits_of_the_cut)
REJECTS(conventions, one_text_one_start, quotient_is_that_of_the_deviations,
        takes_the_half_range_for_sigma)
REJECTS(conventions, one_text_one_start, quotient_is_that_of_the_deviations,
        quotes_four_digits_of_the_cut)
REJECTS(conventions, one_text_one_start, quotient_is_that_of_the_deviations,
        multiplies_small_entries_alone)
REJECTS(conventions, one_text_one_start, quotient_is_that_of_the_deviations,
        keeps_the_table_in_bfloat16)
REJECTS(conventions, one_text_one_start, default_laws_have_four_second_moments,
        takes_the_half_range_for_sigma)
REJECTS(conventions, one_text_one_start, variance_is_the_second_moment, varies_by_50_digits)
REJECTS(conventions, one_text_one_start, quotient_is_that_of_the_deviations,
        varies_the_cut_by_46_digits)
REJECTS(conventions, one_text_one_start, default_laws_have_four_second_moments, varies_by_49_digits)

/// Any two of the frameworks, at one width and position 0.
REFUTES(conventions, one_text_one_start, that_one_formula_gives_one_start) {
  const auto d = generators::named("d", generators::even_widths(1, 2048));
  const auto one = generators::named("framework", generators::frameworks());
  const auto other = generators::named("beside", generators::frameworks());
  const auto laws = conventions::default_laws(d);
  const auto start = [&](const Initializer& law) {
    return conventions::start_of(law, root_multiplier<double>(d), {.d = d, .position = 0},
                                 Library{});
  };
  holds_exactly(std::abs(start(laws[one.index]) / start(laws[other.index]) - 1.0) <=
                2.0 * conventions::doubt_of_balance(d));
}

HOLDS(conventions, paper_and_code_agree, raised_base_gives_the_codes_frequencies, Library)
HOLDS(conventions, paper_and_code_agree, rules_meet_at_zero_alone, Library)
HOLDS(conventions, paper_and_code_agree, vectors_differ_as_in_closed_form, Library)
REJECTS(conventions, paper_and_code_agree, raised_base_gives_the_codes_frequencies,
        has_the_papers_frequencies_alone)
REJECTS(conventions, paper_and_code_agree, raised_base_gives_the_codes_frequencies,
        halves_the_exponent)
REJECTS(conventions, paper_and_code_agree, raised_base_gives_the_codes_frequencies, counts_from_one)
REJECTS(conventions, paper_and_code_agree, raised_base_gives_the_codes_frequencies, stops_one_short)
REJECTS(conventions, paper_and_code_agree, raised_base_gives_the_codes_frequencies,
        keeps_frequencies_in_binary32)
REJECTS(conventions, paper_and_code_agree, rules_meet_at_zero_alone,
        has_the_papers_frequencies_alone)
REJECTS(conventions, paper_and_code_agree, rules_meet_at_zero_alone, counts_from_one)
REJECTS(conventions, paper_and_code_agree, vectors_differ_as_in_closed_form,
        has_the_papers_frequencies_alone)
REJECTS(conventions, paper_and_code_agree, vectors_differ_as_in_closed_form, halves_the_exponent)
REJECTS(conventions, paper_and_code_agree, vectors_differ_as_in_closed_form, encodes_sines_twice)
REJECTS(conventions, paper_and_code_agree, vectors_differ_as_in_closed_form,
        encodes_the_next_position)
REJECTS(conventions, paper_and_code_agree, vectors_differ_as_in_closed_form,
        keeps_angles_in_binary32)
REJECTS(conventions, paper_and_code_agree, raised_base_gives_the_codes_frequencies,
        ends_high_by_49_digits)
REJECTS(conventions, paper_and_code_agree, raised_base_gives_the_codes_frequencies,
        raises_a_larger_base)
REJECTS(conventions, paper_and_code_agree, rules_meet_at_zero_alone, ends_above_the_paper)
REJECTS(conventions, paper_and_code_agree, rules_meet_at_zero_alone, starts_one_ulp_high)
REJECTS(conventions, paper_and_code_agree, vectors_differ_as_in_closed_form, turns_too_far)

REFUTES(conventions, paper_and_code_agree, that_both_rules_give_one_vector) {
  const auto d = generators::named("d", generators::even_widths(2, 512));
  const auto p = generators::named("position", generators::in_range<std::int64_t>(0, 1 << 17));
  holds_exactly(conventions::measured_rms_difference(d, p, 10000, SinusoidalLayout::interleaved,
                                                     Library{}) == 0.0);
}

HOLDS(conventions, two_spellings_one_model, one_function, Library)
HOLDS(conventions, two_spellings_one_model, gradient_steps_follow_m_squared, Library)
HOLDS(conventions, two_spellings_one_model, sign_steps_follow_the_size_of_m, Library)
REJECTS(conventions, two_spellings_one_model, one_function, forgets_the_logit_factor)
REJECTS(conventions, two_spellings_one_model, one_function, multiplies_the_logit)
REJECTS(conventions, two_spellings_one_model, one_function, multiplies_the_sum)
REJECTS(conventions, two_spellings_one_model, one_function, adds_a_bias_to_the_product)
REJECTS(conventions, two_spellings_one_model, gradient_steps_follow_m_squared,
        forgets_the_multiplier_backwards)
REJECTS(conventions, two_spellings_one_model, gradient_steps_follow_m_squared, detaches_the_output)
REJECTS(conventions, two_spellings_one_model, gradient_steps_follow_m_squared,
        divides_the_rate_once)
REJECTS(conventions, two_spellings_one_model, gradient_steps_follow_m_squared, decays_the_weights)
REJECTS(conventions, two_spellings_one_model, sign_steps_follow_the_size_of_m,
        divides_the_rate_twice)
REJECTS(conventions, two_spellings_one_model, sign_steps_follow_the_size_of_m,
        follows_the_sign_of_m)
REJECTS(conventions, two_spellings_one_model, sign_steps_follow_the_size_of_m, guards_the_quotient)
REJECTS(conventions, two_spellings_one_model, one_function, errs_at_one_logit_factor)
REJECTS(conventions, two_spellings_one_model, gradient_steps_follow_m_squared,
        errs_at_one_rate_factor)
REJECTS(conventions, two_spellings_one_model, sign_steps_follow_the_size_of_m,
        errs_at_one_rate_factor)

/// One channel that is looked up, at one rate; the counterexample is checked by hand:
/// e − r·m·g beside (m·e − r·g)/m = e − r·g/m.
REFUTES(conventions, two_spellings_one_model, that_gradient_descent_takes_one_step) {
  const auto e = generators::named("e", generators::rationals());
  const auto slope = generators::named("dL/dx", generators::rationals());
  const auto m = generators::named("m", generators::nonzero_rationals());
  const auto rate = generators::named("rate", generators::rationals());
  const conventions::Upstream<Rational> from{slope, Rational(0), Rational(0)};
  using conventions::Step;
  holds_exactly(
      conventions::two_steps(Step::by_gradient, e, from, m, rate, rate, Library{}).agree());
}

}  // namespace embedscale::properties::testing
