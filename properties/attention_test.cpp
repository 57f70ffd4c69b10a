// The claims of attention.hpp against the library, against wrong programs, and the beliefs against
// their counterexamples. Read as a list: each line is one test.
#include "testing/attention.hpp"

#include "mutants/attention.hpp"
#include "mutants/attention_softmax.hpp"

namespace embedscale::properties::testing {

using attention::Library;

HOLDS(attention, dot_variance_is_d_k, moments_are_those_of_independent_entries, Library)
HOLDS(attention, dot_variance_is_d_k, at_any_width, Library)
REJECTS(attention, dot_variance_is_d_k, moments_are_those_of_independent_entries,
        adds_absolute_products)
REJECTS(attention, dot_variance_is_d_k, moments_are_those_of_independent_entries,
        averages_the_products)
REJECTS(attention, dot_variance_is_d_k, moments_are_those_of_independent_entries,
        forgets_the_last_channel)
REJECTS(attention, dot_variance_is_d_k, moments_are_those_of_independent_entries,
        leans_on_the_first_channel)
REJECTS(attention, dot_variance_is_d_k, moments_are_those_of_independent_entries, errs_at_one_entry)
REJECTS(attention, dot_variance_is_d_k, at_any_width, averages_the_products)
REJECTS(attention, dot_variance_is_d_k, at_any_width, forgets_the_last_channel)
REJECTS(attention, dot_variance_is_d_k, at_any_width, drops_what_is_left_of_blocks)
REJECTS(attention, dot_variance_is_d_k, at_any_width, leans_on_the_first_channel)

HOLDS(attention, scaling_gives_unit_variance, exactly_if_the_products_square_so, Library)
HOLDS(attention, scaling_gives_unit_variance, with_the_rounded_scale, Library)
HOLDS(attention, scaling_gives_unit_variance, over_keys_it_is_the_length_of_the_query, Library)
HOLDS(attention, scaling_gives_unit_variance, of_one_input_and_of_two, Library)
REJECTS(attention, scaling_gives_unit_variance, exactly_if_the_products_square_so,
        adds_absolute_products)
REJECTS(attention, scaling_gives_unit_variance, exactly_if_the_products_square_so,
        forgets_the_last_channel)
REJECTS(attention, scaling_gives_unit_variance, exactly_if_the_products_square_so,
        errs_at_one_entry)
REJECTS(attention, scaling_gives_unit_variance, with_the_rounded_scale, leaves_the_scale_out)
REJECTS(attention, scaling_gives_unit_variance, with_the_rounded_scale, forgets_the_root)
REJECTS(attention, scaling_gives_unit_variance, with_the_rounded_scale, scales_by_all_heads)
REJECTS(attention, scaling_gives_unit_variance, with_the_rounded_scale, keeps_the_scale_in_bfloat16)
REJECTS(attention, scaling_gives_unit_variance, with_the_rounded_scale, guards_the_scale)
REJECTS(attention, scaling_gives_unit_variance, with_the_rounded_scale, scales_four_units_more)
REJECTS(attention, scaling_gives_unit_variance, over_keys_it_is_the_length_of_the_query,
        averages_the_products)
REJECTS(attention, scaling_gives_unit_variance, over_keys_it_is_the_length_of_the_query,
        leans_on_the_first_channel)
REJECTS(attention, scaling_gives_unit_variance, of_one_input_and_of_two, forgets_the_last_channel)
REJECTS(attention, scaling_gives_unit_variance, of_one_input_and_of_two, adds_absolute_products)

/// Entries +1 and −1 that are alike more often than not.
REFUTES(attention, scaling_gives_unit_variance, that_it_always_does) {
  const auto d = generators::named("d_k", generators::in_range<std::size_t>(1, 4));
  const int eighths = generators::named("eighths", generators::in_range(0, 9));
  const Rational one(1);
  const attention::ChannelLaw<Rational> law{one, one, Rational(eighths) / Rational(32)};
  holds_exactly(attention::dot_moments(law, d, Library{}).variance() ==
                Rational(static_cast<int>(d)));
}

HOLDS(attention, unscaled_softmax_saturates, larger_logits_are_sharper, Library)
HOLDS(attention, unscaled_softmax_saturates, over_two_keys_as_the_integrals_say, Library)
REJECTS(attention, unscaled_softmax_saturates, larger_logits_are_sharper, wraps_large_logits)
REJECTS(attention, unscaled_softmax_saturates, larger_logits_are_sharper, forgets_the_sign)
REJECTS(attention, unscaled_softmax_saturates, larger_logits_are_sharper, keeps_weights_in_bfloat16)
REJECTS(attention, unscaled_softmax_saturates, over_two_keys_as_the_integrals_say, raises_two)
REJECTS(attention, unscaled_softmax_saturates, over_two_keys_as_the_integrals_say,
        adds_one_to_the_sum)
REJECTS(attention, unscaled_softmax_saturates, over_two_keys_as_the_integrals_say, measures_in_bits)
REJECTS(attention, unscaled_softmax_saturates, over_two_keys_as_the_integrals_say,
        keeps_weights_in_binary32)
REJECTS(attention, unscaled_softmax_saturates, over_two_keys_as_the_integrals_say,
        drops_small_terms)
REJECTS(attention, unscaled_softmax_saturates, over_two_keys_as_the_integrals_say, cools_slightly)

/// Whatever the number of keys, at a head of 8 channels without the scale.
REFUTES(attention, unscaled_softmax_saturates, that_one_key_has_most_at_every_number_of_keys) {
  const auto n = generators::named("n", generators::in_range<std::uint64_t>(2, 1025));
  holds_exactly(expected::largest_weight(std::sqrt(8.0), n).value >= 0.5);
}

HOLDS(attention, gradients_vanish_unscaled, norm_and_trace_are_sums_of_powers, Library)
HOLDS(attention, gradients_vanish_unscaled, gradient_is_the_derivative, Library)
HOLDS(attention, gradients_vanish_unscaled, vanishes_with_the_gap, Library)
REJECTS(attention, gradients_vanish_unscaled, norm_and_trace_are_sums_of_powers, forgets_the_mean)
REJECTS(attention, gradients_vanish_unscaled, norm_and_trace_are_sums_of_powers, forgets_the_weight)
REJECTS(attention, gradients_vanish_unscaled, norm_and_trace_are_sums_of_powers, averages_plainly)
REJECTS(attention, gradients_vanish_unscaled, norm_and_trace_are_sums_of_powers, grows_slightly)
REJECTS(attention, gradients_vanish_unscaled, gradient_is_the_derivative, forgets_the_mean)
REJECTS(attention, gradients_vanish_unscaled, gradient_is_the_derivative, raises_two)
REJECTS(attention, gradients_vanish_unscaled, gradient_is_the_derivative, grows_slightly)
REJECTS(attention, gradients_vanish_unscaled, vanishes_with_the_gap, forgets_the_mean)
REJECTS(attention, gradients_vanish_unscaled, vanishes_with_the_gap, leaks_straight_through)

/// A head of 8 channels without the scale: the norm of the Jacobian is larger than with it, for
/// some logits.
REFUTES(attention, gradients_vanish_unscaled, that_no_jacobian_grows_with_the_logits) {
  const auto n = generators::named("n", generators::in_range<std::size_t>(2, 9));
  const auto i = generators::named("logits", generators::draws());
  const auto xi = generators::normals(n, i);
  const auto norm = [&](double s) {
    auto a = attention::scaled(xi, s);
    Library::softmax(std::span<double>(a));
    return std::sqrt(attention::jacobian_size(std::span<const double>(a)).square);
  };
  holds_exactly(norm(std::sqrt(8.0)) <= norm(1.0));
}

HOLDS(attention, key_constant_cancels, differences_of_logits_stay, Library)
HOLDS(attention, key_constant_cancels, softmax_sees_differences_alone, Library)
HOLDS(attention, key_constant_cancels, in_floats_within_the_bound, Library)
REJECTS(attention, key_constant_cancels, differences_of_logits_stay, normalises_keys)
REJECTS(attention, key_constant_cancels, differences_of_logits_stay, caps_the_logits)
REJECTS(attention, key_constant_cancels, differences_of_logits_stay, bends_at_zero)
REJECTS(attention, key_constant_cancels, softmax_sees_differences_alone, adds_one_to_the_sum)
REJECTS(attention, key_constant_cancels, softmax_sees_differences_alone, guards_the_sum)
REJECTS(attention, key_constant_cancels, softmax_sees_differences_alone, wraps_large_logits)
REJECTS(attention, key_constant_cancels, in_floats_within_the_bound, adds_one_to_the_sum)
REJECTS(attention, key_constant_cancels, in_floats_within_the_bound, exponentiates_directly)
REJECTS(attention, key_constant_cancels, in_floats_within_the_bound, sums_logits_in_binary16)
REJECTS(attention, key_constant_cancels, in_floats_within_the_bound, sums_logits_in_21_digits)
REJECTS(attention, key_constant_cancels, in_floats_within_the_bound, scales_by_all_heads)

REFUTES(attention, key_constant_cancels, that_it_changes_which_key_is_nearer) {
  const auto q = generators::named("q", generators::channels(1));
  const auto keys = generators::named("k1, k2", generators::channels(2));
  const auto c = generators::named("c", generators::channels(1));
  holds_exactly(!attention::logit_differences_stay<Rational>(q, {keys[0]}, {keys[1]}, c,
                                                             Rational(1), Library{}));
}

HOLDS(attention, aligned_vectors_need_one_over_d_k, mean_is_rho_d_k, Library)
HOLDS(attention, aligned_vectors_need_one_over_d_k, logit_is_rho_root_d_k, Library)
REJECTS(attention, aligned_vectors_need_one_over_d_k, mean_is_rho_d_k, adds_absolute_products)
REJECTS(attention, aligned_vectors_need_one_over_d_k, mean_is_rho_d_k, averages_the_products)
REJECTS(attention, aligned_vectors_need_one_over_d_k, mean_is_rho_d_k, forgets_the_last_channel)
REJECTS(attention, aligned_vectors_need_one_over_d_k, mean_is_rho_d_k, leans_on_the_first_channel)
REJECTS(attention, aligned_vectors_need_one_over_d_k, logit_is_rho_root_d_k, forgets_the_root)
REJECTS(attention, aligned_vectors_need_one_over_d_k, logit_is_rho_root_d_k, scales_by_all_heads)
REJECTS(attention, aligned_vectors_need_one_over_d_k, logit_is_rho_root_d_k, guards_the_scale)
REJECTS(attention, aligned_vectors_need_one_over_d_k, logit_is_rho_root_d_k, scales_four_units_more)
REJECTS(attention, aligned_vectors_need_one_over_d_k, logit_is_rho_root_d_k,
        forgets_the_last_channel)

/// Perfectly aligned entries +1 and −1, whose mean logit is √d_k.
REFUTES(attention, aligned_vectors_need_one_over_d_k, that_the_logit_is_the_same_at_every_width) {
  const auto d = generators::named("d_k", generators::in_range<std::size_t>(1, 257));
  const std::vector<double> ones(d, 1.0);
  const std::span<const double> q(ones);
  holds_exactly(Library::logit(q, q, Library::scale<double>(d)) <= 2.0);
}

}  // namespace embedscale::properties::testing
