// The claims of attention_input.hpp against the library, against wrong programs, and the beliefs
// against their counterexamples. Read as a list: each line is one test.
#include "testing/attention_input.hpp"
#include "testing/attention_input_draws.hpp"

#include "mutants/attention_input.hpp"
#include "mutants/attention_input_scales.hpp"

namespace embedscale::properties::testing {

using attention::InputLibrary;

HOLDS(attention, root_d_model_does_not_cancel, factors_multiply_the_parts, InputLibrary)
HOLDS(attention, root_d_model_does_not_cancel, mean_square_is_that_of_lengths, InputLibrary)
HOLDS(attention, root_d_model_does_not_cancel, exponents_are_those_of_the_table, InputLibrary)
REJECTS(attention, root_d_model_does_not_cancel, factors_multiply_the_parts, adds_tokens_unscaled)
REJECTS(attention, root_d_model_does_not_cancel, factors_multiply_the_parts, caps_the_logits)
REJECTS(attention, root_d_model_does_not_cancel, factors_multiply_the_parts, lifts_every_logit)
REJECTS(attention, root_d_model_does_not_cancel, factors_multiply_the_parts, bends_the_projection)
REJECTS(attention, root_d_model_does_not_cancel, mean_square_is_that_of_lengths,
        multiplies_tokens_and_positions)
REJECTS(attention, root_d_model_does_not_cancel, mean_square_is_that_of_lengths,
        drops_the_last_channel)
REJECTS(attention, root_d_model_does_not_cancel, mean_square_is_that_of_lengths, looks_at_the_query)
REJECTS(attention, root_d_model_does_not_cancel, mean_square_is_that_of_lengths, lifts_every_logit)
REJECTS(attention, root_d_model_does_not_cancel, exponents_are_those_of_the_table,
        divides_tokens_by_the_root)
REJECTS(attention, root_d_model_does_not_cancel, exponents_are_those_of_the_table,
        multiplies_tokens_by_the_width)
REJECTS(attention, root_d_model_does_not_cancel, exponents_are_those_of_the_table,
        scales_logits_by_the_model_width)
REJECTS(attention, root_d_model_does_not_cancel, exponents_are_those_of_the_table,
        scales_logits_by_d_k)
REJECTS(attention, root_d_model_does_not_cancel, exponents_are_those_of_the_table,
        guards_the_root_by_20_digits)
REJECTS(attention, root_d_model_does_not_cancel, exponents_are_those_of_the_table,
        guards_the_root_by_46_digits)

/// The two factors, as they multiply the token·token part: m²·s = 1?
REFUTES(attention, root_d_model_does_not_cancel, that_they_cancel) {
  const auto d_k = generators::named("d_k", generators::widths_by_size({1, 256}));
  const auto heads = generators::named("heads", generators::widths_by_size({2, 64}));
  const double m = InputLibrary::multiplier<double>(heads * d_k);
  const double s = InputLibrary::scale<double>(heads * d_k, d_k);
  holds_exactly(std::abs(m * m * s - 1) <= 8 * unit_roundoff<double>);
}

/// Both factors of a drawn logit, along d_model and along d_k, in all four cells.
TEST(attention_root_d_model_does_not_cancel, draws_have_the_exponents) {
  Assertion<"attention.logit_std_exponents", draws::Exponent> exponents(16);
  const auto n = draws::Exponent::draws_for(0.1, exponents.rates());
  for (const auto along : {draws::Along::d_model, draws::Along::d_k}) {
    const std::string name = along == draws::Along::d_model ? "d_model" : "d_k";
    for (const auto& [of_q, of_g] :
         draws::drawn_exponents(along, n, exponents.stream(name), InputLibrary{})) {
      exponents.judge(of_q, name);
      exponents.judge(of_g, name);
    }
  }
}

/// d^0.62 for the root: off by little more than what has to be seen.
struct another_power : InputLibrary {
  template <AnalyticScalar Real>
  static Real multiplier(std::size_t d) {
    return static_cast<Real>(std::pow(static_cast<double>(d), 0.62));
  }
};

TEST(attention_root_d_model_does_not_cancel, draws_reject_other_exponents) {
  using draws::Along;
  Rejection<"attention.logit_std_exponents", draws::Exponent> exponents(5, 16);
  const auto n = draws::Exponent::draws_for(0.1, exponents.rates());
  const auto with_both = [&](Along along, const auto& mutant, const char* name) {
    return draws::drawn_exponents(along, n, exponents.stream(name), mutant)[3];
  };
  const auto of_g = [&](Along along, const auto& mutant, const char* name) {
    exponents.judge(with_both(along, mutant, name).of_g, 0.5, name);
  };
  of_g(Along::d_model, mutants::scales_logits_by_the_model_width{}, "scale of the model width");
  of_g(Along::d_model, mutants::multiplies_tokens_by_the_width{}, "d for its root");
  of_g(Along::d_model, mutants::adds_tokens_unscaled{}, "no multiplier");
  of_g(Along::d_k, mutants::scales_logits_by_d_k{}, "d_k for its root");
  exponents.judge(with_both(Along::d_model, another_power{}, "another power").of_q, 0.12,
                  "another power");
}

HOLDS(attention, factor_is_a_temperature, logits_take_the_square, InputLibrary)
HOLDS(attention, factor_is_a_temperature, biases_add_terms_in_c_and_1, InputLibrary)
HOLDS(attention, factor_is_a_temperature, bits_at_powers_of_two, InputLibrary)
HOLDS(attention, factor_is_a_temperature, logits_within_gamma, InputLibrary)
HOLDS(attention, factor_is_a_temperature, small_inputs_attend_evenly, InputLibrary)
REJECTS(attention, factor_is_a_temperature, logits_take_the_square, normalises_before_projecting)
REJECTS(attention, factor_is_a_temperature, logits_take_the_square, caps_the_logits)
REJECTS(attention, factor_is_a_temperature, logits_take_the_square, adds_a_small_bias)
REJECTS(attention, factor_is_a_temperature, logits_take_the_square, bends_the_projection)
REJECTS(attention, factor_is_a_temperature, biases_add_terms_in_c_and_1, forgets_the_biases)
REJECTS(attention, factor_is_a_temperature, biases_add_terms_in_c_and_1, adds_the_biases_twice)
REJECTS(attention, factor_is_a_temperature, biases_add_terms_in_c_and_1, adds_a_small_bias)
REJECTS(attention, factor_is_a_temperature, bits_at_powers_of_two, normalises_before_projecting)
REJECTS(attention, factor_is_a_temperature, bits_at_powers_of_two, adds_a_small_bias)
REJECTS(attention, factor_is_a_temperature, bits_at_powers_of_two, bends_the_projection)
REJECTS(attention, factor_is_a_temperature, logits_within_gamma, normalises_before_projecting)
REJECTS(attention, factor_is_a_temperature, logits_within_gamma, projects_in_bfloat16)
REJECTS(attention, factor_is_a_temperature, logits_within_gamma, projects_in_20_digits)
REJECTS(attention, factor_is_a_temperature, small_inputs_attend_evenly, sharpens_the_softmax)
REJECTS(attention, factor_is_a_temperature, small_inputs_attend_evenly, sharpens_by_22_digits)

/// One query, two keys, a factor: the weights stay if the difference of the logits does.
REFUTES(attention, factor_is_a_temperature, that_a_common_factor_does_nothing) {
  const auto head = input::without_biases(generators::head(2));
  const auto c = generators::named("c", generators::positive_rationals());
  holds_exactly(input::same_weights(input::logits_of(input::times(head, c), InputLibrary{}),
                                    input::logits_of(head, InputLibrary{})));
}

HOLDS(attention, projections_absorb_the_factor, logits_stay, InputLibrary)
HOLDS(attention, projections_absorb_the_factor, values_keep_it, InputLibrary)
HOLDS(attention, projections_absorb_the_factor, bits_at_powers_of_two, InputLibrary)
HOLDS(attention, projections_absorb_the_factor, logits_within_gamma, InputLibrary)
REJECTS(attention, projections_absorb_the_factor, logits_stay, absorbs_nothing)
REJECTS(attention, projections_absorb_the_factor, logits_stay, absorbs_the_wrong_way)
REJECTS(attention, projections_absorb_the_factor, logits_stay, absorbs_the_square)
REJECTS(attention, projections_absorb_the_factor, logits_stay, absorbs_large_factors_alone)
REJECTS(attention, projections_absorb_the_factor, logits_stay, absorbs_slightly_more)
REJECTS(attention, projections_absorb_the_factor, values_keep_it, normalises_the_output)
REJECTS(attention, projections_absorb_the_factor, values_keep_it, lifts_the_output)
REJECTS(attention, projections_absorb_the_factor, values_keep_it, absorbs_slightly_more)
REJECTS(attention, projections_absorb_the_factor, bits_at_powers_of_two, absorbs_the_square)
REJECTS(attention, projections_absorb_the_factor, bits_at_powers_of_two, absorbs_slightly_more)
REJECTS(attention, projections_absorb_the_factor, bits_at_powers_of_two,
        normalises_before_projecting)
REJECTS(attention, projections_absorb_the_factor, logits_within_gamma, absorbs_nothing)
REJECTS(attention, projections_absorb_the_factor, logits_within_gamma, absorbs_a_rounded_factor)
REJECTS(attention, projections_absorb_the_factor, logits_within_gamma, absorbs_slightly_more)

/// W_Q and W_K divided, W_V not: is the output what it was?
REFUTES(attention, projections_absorb_the_factor, that_dividing_queries_and_keys_is_enough) {
  const auto head = generators::head(2);
  const auto weights = generators::named("weights", generators::channels(2));
  const auto c = generators::named("c", generators::nonzero_rationals());
  const auto undone = input::absorbed(input::times(head, c), c, InputLibrary{});
  holds_exactly(input::output_of(undone, weights, InputLibrary{}) ==
                input::output_of(head, weights, InputLibrary{}));
}

HOLDS(attention, first_layer_terms, mean_squares_are_those_of_lengths, InputLibrary)
HOLDS(attention, first_layer_terms, shares_are_those_of_the_ratio, InputLibrary)
HOLDS(attention, first_layer_terms, tokens_lead_above_one_plus_root_two, InputLibrary)
REJECTS(attention, first_layer_terms, mean_squares_are_those_of_lengths, leaves_the_position_out)
REJECTS(attention, first_layer_terms, mean_squares_are_those_of_lengths, adds_the_position_twice)
REJECTS(attention, first_layer_terms, mean_squares_are_those_of_lengths, loses_lonely_positions)
REJECTS(attention, first_layer_terms, mean_squares_are_those_of_lengths, looks_at_the_query)
REJECTS(attention, first_layer_terms, mean_squares_are_those_of_lengths,
        enters_tokens_high_by_20_digits)
REJECTS(attention, first_layer_terms, shares_are_those_of_the_ratio, adds_tokens_unscaled)
REJECTS(attention, first_layer_terms, shares_are_those_of_the_ratio,
        multiplies_tokens_and_positions)
REJECTS(attention, first_layer_terms, shares_are_those_of_the_ratio,
        multiplies_the_input_by_bfloat16)
REJECTS(attention, first_layer_terms, shares_are_those_of_the_ratio,
        enters_tokens_high_by_48_digits)
REJECTS(attention, first_layer_terms, tokens_lead_above_one_plus_root_two, adds_the_position_twice)
REJECTS(attention, first_layer_terms, tokens_lead_above_one_plus_root_two,
        enters_tokens_high_by_41_digits)

/// A table of deviation d^−½, √d, sinusoids: what the paper has.
REFUTES(attention, first_layer_terms, that_tokens_lead) {
  const auto d = generators::named("d", generators::even_widths(1, 512));
  const double m = InputLibrary::multiplier<double>(d);
  holds_exactly(input::tokens_lead(d, 0, 1 / std::sqrt(static_cast<double>(d)), m, InputLibrary{}));
}

HOLDS(attention, first_projection_range, mean_square_is_that_of_the_input, InputLibrary)
HOLDS(attention, first_projection_range, variance_is_in_closed_form, InputLibrary)
HOLDS(attention, first_projection_range, factor_makes_less_than_three_of_it, InputLibrary)
REJECTS(attention, first_projection_range, mean_square_is_that_of_the_input,
        leaves_the_position_out)
REJECTS(attention, first_projection_range, mean_square_is_that_of_the_input,
        projects_without_the_last_channel)
REJECTS(attention, first_projection_range, mean_square_is_that_of_the_input, adds_a_small_bias)
REJECTS(attention, first_projection_range, variance_is_in_closed_form, takes_the_range_for_sigma)
REJECTS(attention, first_projection_range, variance_is_in_closed_form,
        forgets_that_three_are_packed)
REJECTS(attention, first_projection_range, variance_is_in_closed_form, counts_one_head)
REJECTS(attention, first_projection_range, variance_is_in_closed_form, reads_the_fan_in_alone)
REJECTS(attention, first_projection_range, variance_is_in_closed_form, projects_high_by_20_digits)
REJECTS(attention, first_projection_range, variance_is_in_closed_form, projects_high_by_47_digits)
REJECTS(attention, first_projection_range, factor_makes_less_than_three_of_it,
        multiplies_tokens_by_the_width)
REJECTS(attention, first_projection_range, factor_makes_less_than_three_of_it, adds_tokens_unscaled)
REJECTS(attention, first_projection_range, factor_makes_less_than_three_of_it,
        enters_tokens_high_by_44_digits)

/// Given x, a channel of W·x is normal where W is: in units of 0.3·‖x‖.
evidence::NormalVariance::Data normal_projections(double sigma, const draws::Drawn& at,
                                                  std::uint64_t n, const Stream& stream) {
  draws::Sequence numbers(stream);
  evidence::NormalVariance::Data data;
  for (std::uint64_t i = 0; i < n; ++i) {
    const auto [y, square] = draws::drawn_projection(Normal{sigma}, at, numbers, InputLibrary{});
    data.add(y / (0.3 * std::sqrt(square)));
  }
  return data;
}
TEST(attention_first_projection_range, normal_draws_have_the_variance) {
  using evidence::NormalVariance;
  Assertion<"attention.variance_under_normal_weights", NormalVariance> grid(
      draws::drawn_inputs.size());
  const auto n = NormalVariance::draws_for(0.05, grid.rates());
  for (const auto& at : draws::drawn_inputs)
    grid.judge(normal_projections(0.3, at, n, grid.stream(at.name)), at.name);
}
TEST(attention_first_projection_range, normal_draws_of_another_law_are_seen) {
  using evidence::NormalVariance;
  Rejection<"attention.variance_under_normal_weights", NormalVariance> mutants(
      3, draws::drawn_inputs.size());
  const auto n = NormalVariance::draws_for(0.05, mutants.rates());
  const auto judge = [&](double sigma, const char* name) {
    mutants.judge(normal_projections(sigma, draws::drawn_inputs[0], n, mutants.stream(name)),
                  std::abs(sigma / 0.3 - 1), name);
  };
  judge(0.3 * 0.3, "variance for deviation");
  judge(0.3 / std::sqrt(2.0), "as if packed");
  judge(0.3 * 1.06, "6 percent high");
}

using expected::ProjectionLaw;
constexpr std::array xavier_laws{ProjectionLaw::xavier, ProjectionLaw::packed_xavier,
                                 ProjectionLaw::xavier_per_head};

/// 64 batches of the squares of 4096 channels, in units of what is stated.
template <class Primitives>
evidence::BatchMean::Data uniform_projections(ProjectionLaw which, const draws::Drawn& at,
                                              const Stream& stream, const Primitives& primitives) {
  const input::Setting setting{which, {draws::drawn_width, 4, 2}, 1};
  const auto law = primitives.projection_law(setting.law, setting.shape, 1);
  const double stated =
      expected::projection_variance(input::stated_weight_variance(setting), draws::drawn_width,
                                    at.m * at.m * at.sigma * at.sigma + 0.5);
  draws::Sequence numbers(stream);
  evidence::BatchMean::Data data{.sample = {}, .null = {1 - 1e-12, 1 + 1e-12}};
  for (int batch = 0; batch < 64; ++batch) {
    double mean = 0;
    for (int i = 0; i < 4096; ++i) {
      const double y = draws::drawn_projection(law, at, numbers, primitives).y;
      mean += y * y / stated / 4096;
    }
    data.add(mean);
  }
  return data;
}

/// Over the tokens, too: σ_W²·d·(m²σ² + ½) under uniform weights, of each of the Xavier laws.
TEST(attention_first_projection_range, uniform_draws_have_the_variance_in_closed_form) {
  Assertion<"attention.variance_under_uniform_weights", evidence::BatchMean> grid(
      xavier_laws.size());
  for (std::size_t k = 0; k < xavier_laws.size(); ++k) {
    const auto& at = draws::drawn_inputs[k];
    grid.judge(uniform_projections(xavier_laws[k], at, grid.stream(at.name), InputLibrary{}),
               at.name);
  }
}
struct takes_sigma_for_the_range : InputLibrary {
  static Initializer projection_law(ProjectionLaw law, const expected::ProjectionShape& shape,
                                    double sigma) {
    return Uniform{std::sqrt(variance(InputLibrary::projection_law(law, shape, sigma)))};
  }
};
/// y² has a variance of at most 3·E‖x‖⁴/(E‖x‖²)² − 1 <= 3·(1 + 2/8) − 1 of its squared mean, as a
/// sum of uniform ones has less kurtosis than a normal one: a batch deviates by 2.6 % or less.
TEST(attention_first_projection_range, uniform_draws_of_another_law_are_seen) {
  Rejection<"attention.variance_under_uniform_weights", evidence::BatchMean> mutants(
      4, xavier_laws.size());
  const auto judge = [&](ProjectionLaw law, const auto& mutant, double factor, const char* name) {
    mutants.judge(uniform_projections(law, draws::drawn_inputs[0], mutants.stream(name), mutant),
                  std::abs(factor - 1) / (factor * 0.026), name);
  };
  judge(ProjectionLaw::packed_xavier, mutants::forgets_that_three_are_packed{}, 2, "not packed");
  judge(ProjectionLaw::xavier, takes_sigma_for_the_range{}, 1.0 / 3, "half range");
  judge(ProjectionLaw::xavier, mutants::counts_one_head{}, 4.0 / 3, "one head");
  judge(ProjectionLaw::packed_xavier, mutants::reads_the_fan_in_alone{}, 2, "fan-in alone");
}

/// Xavier projections: is the deviation within a factor 2 of 1 with √d and beyond it without?
REFUTES(attention, first_projection_range, that_the_factor_keeps_it) {
  const auto d = generators::named("d", generators::even_widths(1, 512));
  const input::Setting at{expected::ProjectionLaw::xavier, {d, d, 1}, 1};
  const double sigma = 1 / std::sqrt(static_cast<double>(d));
  const double m = InputLibrary::multiplier<double>(d);
  const auto variance = [&](double by) {
    return input::measured_projection_variance(at, 0, sigma, by, InputLibrary{});
  };
  holds_exactly(input::in_range(variance(m)) && !input::in_range(variance(1)));
}

}  // namespace embedscale::properties::testing
