// The claims of tied_output.hpp against the library, against wrong programs, and the beliefs
// against their counterexamples. Read as a list: each line is one test.
#include "testing/tied_output.hpp"

#include "evidence/bounded.hpp"
#include "mutants/tied_output.hpp"
#include "mutants/tied_output_expected.hpp"
#include "testing/statistical.hpp"

namespace embedscale::properties::testing {

using tied_output::Library;

HOLDS(tied_output, one_table_two_scales, scales_are_the_products, Library)
HOLDS(tied_output, one_table_two_scales, both_are_one_by_the_quotient_alone, Library)
HOLDS(tied_output, one_table_two_scales, unit_scales_in_floating_point, Library)
REJECTS(tied_output, one_table_two_scales, scales_are_the_products, looks_up_bare_rows)
REJECTS(tied_output, one_table_two_scales, scales_are_the_products, looks_up_times_m_twice)
REJECTS(tied_output, one_table_two_scales, scales_are_the_products, looks_up_divided_rows)
REJECTS(tied_output, one_table_two_scales, scales_are_the_products, forgets_the_output_factor)
REJECTS(tied_output, one_table_two_scales, scales_are_the_products, divides_by_the_output_factor)
REJECTS(tied_output, one_table_two_scales, scales_are_the_products, compares_all_but_one_channel)
REJECTS(tied_output, one_table_two_scales, scales_are_the_products, begins_with_a_bias)
REJECTS(tied_output, one_table_two_scales, scales_are_the_products, looks_up_a_trifle_high)
REJECTS(tied_output, one_table_two_scales, both_are_one_by_the_quotient_alone, looks_up_bare_rows)
REJECTS(tied_output, one_table_two_scales, both_are_one_by_the_quotient_alone,
        forgets_the_output_factor)
REJECTS(tied_output, one_table_two_scales, both_are_one_by_the_quotient_alone,
        looks_up_a_trifle_high)
REJECTS(tied_output, one_table_two_scales, unit_scales_in_floating_point, looks_up_times_m_twice)
REJECTS(tied_output, one_table_two_scales, unit_scales_in_floating_point,
        compares_all_but_one_channel)
REJECTS(tied_output, one_table_two_scales, unit_scales_in_floating_point, looks_up_by_bfloat16)
REJECTS(tied_output, one_table_two_scales, unit_scales_in_floating_point, looks_up_a_trifle_high)

/// Of a shared table with both scales 1; the counterexample is 1/√d on the logits.
REFUTES(tied_output, one_table_two_scales, that_only_root_d_gives_both) {
  const int k = generators::named("root d", generators::in_range(1, 4));
  const auto m = generators::named("m", generators::positive_rationals());
  const Rational sigma = 1 / m, c = m / k;
  const auto table = tied_output::uncorrelated_table(static_cast<std::size_t>(k * k), sigma);
  const bool both = tied_output::both_are_one(table, table, 0, m, c, Library{});
  holds_exactly(!both || m == k);
}

HOLDS(tied_output, initial_loss, lies_in_its_enclosure, Library)
REJECTS(tied_output, initial_loss, lies_in_its_enclosure, takes_d_for_its_root)
REJECTS(tied_output, initial_loss, lies_in_its_enclosure, counts_in_bits)
REJECTS(tied_output, initial_loss, lies_in_its_enclosure, forgets_the_output_factor)
REJECTS(tied_output, initial_loss, lies_in_its_enclosure, guesses_uniformly)
REJECTS(tied_output, initial_loss, lies_in_its_enclosure, takes_the_annealed_mean)
REJECTS(tied_output, initial_loss, lies_in_its_enclosure, leaves_a_word_out)
REJECTS(tied_output, initial_loss, lies_in_its_enclosure, loses_the_twelfth_digit)

/// 110 give or take a tenth, at T5's 32128 words and any width.
REFUTES(tied_output, initial_loss, that_every_width_starts_near_110) {
  const auto d = generators::named("d", generators::in_range<std::uint64_t>(1, 16385));
  holds_exactly(std::abs(Library::loss(1.0, d, 1.0, 32128).value - 110) <= 11);
}

// Table, state, logits and loss of the library. With all V·d entries of the table standard normals
// times σ, ln Z − z_target is Lipschitz in them with σ·‖h‖·‖w − 1_target‖ <= √2·s. The state and
// the target are drawn apart from the table, as the statement has it; RMSNorm makes the state's RMS
// 1.
struct Start {
  double sigma;
  std::size_t d, vocabulary;
  double proxy() const { return sigma * std::sqrt(2.0 * static_cast<double>(d)); }
};
evidence::SubGaussianMean::Data losses(const Start& at, const Stream& stream,
                                       const expected::Expectation& stated) {
  const auto& [sigma, d, vocabulary] = at;
  const double proxy = at.proxy();
  evidence::SubGaussianMean::Data data{.null = {-stated.error / proxy, stated.error / proxy}};
  std::vector<double> values(vocabulary * d), x(d), h(d), z(vocabulary);
  for (std::uint64_t draw = 0; draw < 4096; ++draw) {
    const std::uint64_t first = draw * (vocabulary + 2) * d;
    for (std::size_t i = 0; i < values.size(); ++i) values[i] = sigma * stream.normal(first + i);
    for (std::size_t j = 0; j < d; ++j) x[j] = stream.normal(first + values.size() + j);
    Library::normalise<double>(x, expected::Norm::Kind::rms_norm, h);
    Library::logits<double>(EmbeddingTable<double>(vocabulary, d, values), h, 1.0, z);
    double sum = 0;
    for (const double logit : z) sum += std::exp(logit);
    const double loss = std::log(sum) - z[stream.below(vocabulary, first + values.size() + d)];
    data.add((loss - stated.value) / proxy);
  }
  return data;
}
TEST(tied_output, initial_loss_is_that_of_draws) {
  testing::Assertion<"tied_output.initial_loss_is_that_of_draws", evidence::SubGaussianMean> mean(
      3);
  for (const Start& at : {Start{0.25, 16, 40}, Start{1, 16, 60}, Start{1, 4, 100}}) {
    const std::string name = "sigma = " + std::to_string(at.sigma) +
                             ", d = " + std::to_string(at.d) +
                             ", V = " + std::to_string(at.vocabulary);
    mean.judge(losses(at, mean.stream(name), Library::loss(at.sigma, at.d, 1.0, at.vocabulary)),
               name);
  }
}
TEST(tied_output, another_initial_loss_is_seen) {
  testing::Rejection<"tied_output.initial_loss_is_that_of_draws", evidence::SubGaussianMean>
      mutants(4, 3);
  constexpr Start at{1, 16, 60};  // logits of deviation 4
  const double right = Library::loss(at.sigma, at.d, 1.0, at.vocabulary).value;
  const auto judge = [&](const expected::Expectation& wrong, const char* name) {
    mutants.judge(losses(at, mutants.stream(name), wrong),
                  std::abs(wrong.value - right) / at.proxy(), name);
  };
  judge({std::log(60.0), 1e-12}, "a uniform guess");
  judge({std::log(60.0) + 8, 1e-12}, "the annealed mean");
  judge(Library::loss(1, 256, 1.0, at.vocabulary), "d for its root");
  judge(Library::loss(1.2, at.d, 1.0, at.vocabulary), "20 percent on the table");
}

HOLDS(tied_output, multipliers_trade_places, rescaled_tables_follow_the_quotient, Library)
HOLDS(tied_output, multipliers_trade_places, a_kept_table_turns_the_input, Library)
REJECTS(tied_output, multipliers_trade_places, rescaled_tables_follow_the_quotient,
        forgets_the_output_factor)
REJECTS(tied_output, multipliers_trade_places, rescaled_tables_follow_the_quotient,
        divides_by_the_output_factor)
REJECTS(tied_output, multipliers_trade_places, rescaled_tables_follow_the_quotient,
        multiplies_token_and_position)
REJECTS(tied_output, multipliers_trade_places, rescaled_tables_follow_the_quotient,
        scales_positions_down_too)
REJECTS(tied_output, multipliers_trade_places, rescaled_tables_follow_the_quotient,
        begins_with_a_bias)
REJECTS(tied_output, multipliers_trade_places, rescaled_tables_follow_the_quotient,
        adds_a_trifle_less)
REJECTS(tied_output, multipliers_trade_places, a_kept_table_turns_the_input,
        multiplies_token_and_position)
REJECTS(tied_output, multipliers_trade_places, a_kept_table_turns_the_input,
        scales_positions_down_too)
REJECTS(tied_output, multipliers_trade_places, a_kept_table_turns_the_input, adds_a_trifle_less)

/// One table, m at the input against 1/m at the output: the direction of the input is another.
REFUTES(tied_output, multipliers_trade_places, that_the_table_may_stay) {
  const auto at = generators::two_channels();
  const auto m = generators::named("m", generators::nonzero_rationals());
  const auto in = tied_output::behaviour(at, {m, Rational(1)}, Library{});
  const auto out = tied_output::behaviour(at, {Rational(1), Rational(1 / m)}, Library{});
  holds_exactly(tied_output::minor_of(in.x, out.x) == 0);
}

HOLDS(tied_output, sharing_is_not_needed, census_follows_its_rule, Library)
HOLDS(tied_output, sharing_is_not_needed, own_matrix_needs_no_factor, Library)
REJECTS(tied_output, sharing_is_not_needed, census_follows_its_rule, counts_the_unscaled)
REJECTS(tied_output, sharing_is_not_needed, census_follows_its_rule, takes_the_unknown_for_never)
REJECTS(tied_output, sharing_is_not_needed, census_follows_its_rule, counts_each_class_once)
REJECTS(tied_output, sharing_is_not_needed, census_follows_its_rule, counts_rounded_roots)
REJECTS(tied_output, sharing_is_not_needed, own_matrix_needs_no_factor, looks_up_bare_rows)
REJECTS(tied_output, sharing_is_not_needed, own_matrix_needs_no_factor, looks_up_times_m_twice)
REJECTS(tied_output, sharing_is_not_needed, own_matrix_needs_no_factor,
        compares_all_but_one_channel)
REJECTS(tied_output, sharing_is_not_needed, own_matrix_needs_no_factor, begins_with_a_bias)

HOLDS(tied_output, copies_its_input, own_overlap_is_m_d_sigma_squared, Library)
HOLDS(tied_output, copies_its_input, own_logit_is_root_d_times_the_cosine, Library)
HOLDS(tied_output, copies_its_input, mean_follows_the_law_of_the_length, Library)
REJECTS(tied_output, copies_its_input, own_overlap_is_m_d_sigma_squared, forgets_the_output_factor)
REJECTS(tied_output, copies_its_input, own_overlap_is_m_d_sigma_squared,
        compares_all_but_one_channel)
REJECTS(tied_output, copies_its_input, own_overlap_is_m_d_sigma_squared, begins_with_a_bias)
REJECTS(tied_output, copies_its_input, own_logit_is_root_d_times_the_cosine,
        leaves_the_state_as_it_is)
REJECTS(tied_output, copies_its_input, own_logit_is_root_d_times_the_cosine, does_not_centre)
REJECTS(tied_output, copies_its_input, own_logit_is_root_d_times_the_cosine,
        multiplies_token_and_position)
REJECTS(tied_output, copies_its_input, own_logit_is_root_d_times_the_cosine, divides_by_d_less_1)
REJECTS(tied_output, copies_its_input, own_logit_is_root_d_times_the_cosine, guards_the_norm)
REJECTS(tied_output, copies_its_input, own_logit_is_root_d_times_the_cosine, adds_a_trifle_less)
REJECTS(tied_output, copies_its_input, mean_follows_the_law_of_the_length, forgets_the_final_norm)
REJECTS(tied_output, copies_its_input, mean_follows_the_law_of_the_length, forgets_the_positions)
REJECTS(tied_output, copies_its_input, mean_follows_the_law_of_the_length, ignores_the_sign)
REJECTS(tied_output, copies_its_input, mean_follows_the_law_of_the_length, stops_at_leading_order)
REJECTS(tied_output, copies_its_input, mean_follows_the_law_of_the_length, keeps_the_dimension)
REJECTS(tied_output, copies_its_input, mean_follows_the_law_of_the_length, is_fonder_by_a_trifle)

/// The mean logits of a row and of all others, over an uncorrelated table.
REFUTES(tied_output, copies_its_input, that_no_token_is_preferred) {
  const auto p = generators::named("p", generators::channels(2));
  const auto m = generators::named("m", generators::positive_rationals());
  const auto found =
      tied_output::overlaps(Rational(1), p, m, Rational(1), tied_output::Norm::rms_norm, Library{});
  holds_exactly(found.own <= found.others);
}

}  // namespace embedscale::properties::testing
