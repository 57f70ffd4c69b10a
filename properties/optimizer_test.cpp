// That up and down train alike, and gradient descent on a folded table at m² times the rate:
// against the library, against wrong programs; and the beliefs against their counterexamples.
#include "testing/optimizer.hpp"

#include "mutants/optimizer_steps.hpp"

namespace embedscale::properties::testing {

using optimizer::Library;

HOLDS(optimizer, same_function_same_path, one_function_with_one_gradient, Library)
HOLDS(optimizer, same_function_same_path, exact_paths_agree, Library)
HOLDS(optimizer, same_function_same_path, within_the_thirtieth_digit, Library)
HOLDS(optimizer, same_function_same_path, same_bits_at_powers_of_two, Library)
REJECTS(optimizer, same_function_same_path, one_function_with_one_gradient, divides_positions_twice)
REJECTS(optimizer, same_function_same_path, one_function_with_one_gradient,
        trains_without_positions)
REJECTS(optimizer, same_function_same_path, one_function_with_one_gradient, detaches_the_multiplier)
REJECTS(optimizer, same_function_same_path, one_function_with_one_gradient,
        rounds_the_factor_on_the_way_back)
REJECTS(optimizer, same_function_same_path, one_function_with_one_gradient, loses_a_repeated_token)
REJECTS(optimizer, same_function_same_path, one_function_with_one_gradient,
        divides_positions_by_slightly_less)
REJECTS(optimizer, same_function_same_path, exact_paths_agree, detaches_the_multiplier)
REJECTS(optimizer, same_function_same_path, exact_paths_agree, divides_positions_by_slightly_less)
REJECTS(optimizer, same_function_same_path, within_the_thirtieth_digit,
        rounds_the_factor_on_the_way_back)
REJECTS(optimizer, same_function_same_path, within_the_thirtieth_digit, keeps_epsilon_of_pytorch)
REJECTS(optimizer, same_function_same_path, within_the_thirtieth_digit, keeps_epsilon_of_24_digits)
REJECTS(optimizer, same_function_same_path, within_the_thirtieth_digit,
        divides_positions_by_slightly_less)
REJECTS(optimizer, same_function_same_path, same_bits_at_powers_of_two, keeps_epsilon_of_pytorch)
REJECTS(optimizer, same_function_same_path, same_bits_at_powers_of_two,
        divides_positions_by_slightly_less)
REJECTS(optimizer, same_function_same_path, same_bits_at_powers_of_two, takes_the_factor_an_ulp_low)

/// A loss that sees the factor, one step of gradient descent at rate 1.
REFUTES(optimizer, same_function_same_path, that_it_does_whatever_follows) {
  const auto start = rational_start();
  const auto m = generators::named("m", generators::nonzero_rationals());
  const auto up = up_at(m, Sgd<Rational>{Rational(1)});
  holds_exactly(optimizer::path_deviation(start, up, with(up, optimizer::Placing::down),
                                          polynomial(), 1, Library{}) == Rational(0));
}

HOLDS(optimizer, folded_sgd_step, one_function_with_m_times_the_gradient, Library)
HOLDS(optimizer, folded_sgd_step, exact_paths_agree_at_m_squared, Library)
HOLDS(optimizer, folded_sgd_step, steps_follow_the_gradient_and_agree_at_no_other_rate, Library)
HOLDS(optimizer, folded_sgd_step, same_bits_at_powers_of_two, Library)
REJECTS(optimizer, folded_sgd_step, one_function_with_m_times_the_gradient, detaches_the_multiplier)
REJECTS(optimizer, folded_sgd_step, one_function_with_m_times_the_gradient,
        rounds_the_factor_on_the_way_back)
REJECTS(optimizer, folded_sgd_step, one_function_with_m_times_the_gradient,
        trains_without_positions)
REJECTS(optimizer, folded_sgd_step, exact_paths_agree_at_m_squared, leaves_the_settings)
REJECTS(optimizer, folded_sgd_step, exact_paths_agree_at_m_squared, folds_by_the_other_rule)
REJECTS(optimizer, folded_sgd_step, exact_paths_agree_at_m_squared, leaves_the_penalty)
REJECTS(optimizer, folded_sgd_step, exact_paths_agree_at_m_squared, clips_gradients)
REJECTS(optimizer, folded_sgd_step, exact_paths_agree_at_m_squared, clips_gradients_above_100)
REJECTS(optimizer, folded_sgd_step, exact_paths_agree_at_m_squared, folds_slightly_low)
REJECTS(optimizer, folded_sgd_step, steps_follow_the_gradient_and_agree_at_no_other_rate,
        descends_by_signs)
REJECTS(optimizer, folded_sgd_step, steps_follow_the_gradient_and_agree_at_no_other_rate,
        averages_the_velocity)
REJECTS(optimizer, folded_sgd_step, steps_follow_the_gradient_and_agree_at_no_other_rate,
        detaches_the_multiplier)
REJECTS(optimizer, folded_sgd_step, steps_follow_the_gradient_and_agree_at_no_other_rate,
        decays_a_little)
REJECTS(optimizer, folded_sgd_step, same_bits_at_powers_of_two, leaves_the_settings)
REJECTS(optimizer, folded_sgd_step, same_bits_at_powers_of_two, leaves_the_penalty)
REJECTS(optimizer, folded_sgd_step, same_bits_at_powers_of_two, takes_the_factor_an_ulp_low)

/// The rate as it was.
REFUTES(optimizer, folded_sgd_step, that_the_rate_may_stay) {
  const auto start = rational_start();
  const auto m = generators::named("m", generators::nonzero_rationals());
  const auto up = up_at(m, Sgd<Rational>{Rational(1)});
  holds_exactly(optimizer::path_deviation(start, up, with(up, optimizer::Placing::folded),
                                          polynomial(), 1, Library{}) == Rational(0));
}

}  // namespace embedscale::properties::testing
