// What is stated of Adam on a folded table and of steps relative to a table: against the library,
// against wrong programs; and the beliefs against their counterexamples.
#include "testing/optimizer_steps.hpp"

#include "mutants/optimizer_steps.hpp"

namespace embedscale::properties::testing {

using optimizer::Library;

HOLDS(optimizer, folded_adam_step, within_the_thirtieth_digit_at_m, Library)
HOLDS(optimizer, folded_adam_step, same_bits_at_powers_of_two, Library)
HOLDS(optimizer, folded_adam_step, first_steps_differ_as_stated, Library)
REJECTS(optimizer, folded_adam_step, within_the_thirtieth_digit_at_m, leaves_the_settings)
REJECTS(optimizer, folded_adam_step, within_the_thirtieth_digit_at_m, folds_by_the_other_rule)
REJECTS(optimizer, folded_adam_step, within_the_thirtieth_digit_at_m, leaves_the_penalty)
REJECTS(optimizer, folded_adam_step, within_the_thirtieth_digit_at_m, leaves_epsilon)
REJECTS(optimizer, folded_adam_step, within_the_thirtieth_digit_at_m, folds_the_decay_once_more)
REJECTS(optimizer, folded_adam_step, within_the_thirtieth_digit_at_m, puts_epsilon_inside_the_root)
REJECTS(optimizer, folded_adam_step, within_the_thirtieth_digit_at_m, couples_the_decay)
REJECTS(optimizer, folded_adam_step, within_the_thirtieth_digit_at_m, folds_slightly_low)
REJECTS(optimizer, folded_adam_step, same_bits_at_powers_of_two, leaves_epsilon)
REJECTS(optimizer, folded_adam_step, same_bits_at_powers_of_two, couples_the_decay)
REJECTS(optimizer, folded_adam_step, same_bits_at_powers_of_two, clips_gradients_of_adam)
REJECTS(optimizer, folded_adam_step, same_bits_at_powers_of_two, folds_slightly_low)
REJECTS(optimizer, folded_adam_step, first_steps_differ_as_stated, puts_epsilon_inside_the_root)
REJECTS(optimizer, folded_adam_step, first_steps_differ_as_stated, leaves_bias_correction_out)
REJECTS(optimizer, folded_adam_step, first_steps_differ_as_stated, corrects_the_mean_alone)
REJECTS(optimizer, folded_adam_step, first_steps_differ_as_stated, clips_gradients_of_adam)

/// One step of Adam from a table of one entry, at ∂L/∂x = 1 and rate 1/8, with and without m.
REFUTES(optimizer, folded_adam_step, that_equal_settings_do_the_same) {
  const double m = generators::named("m", generators::in_range(1, 64));
  const optimizer::Optimiser<double> adam = Adam<double>{0.125, 0.5, 0.75, 0.0};
  holds_exactly(optimizer::input_step_ratio(adam, 1.0, m, Library{}) == 1.0);
}

HOLDS(optimizer, relative_step, adam_ignores_a_factor_of_the_gradients, Library)
HOLDS(optimizer, relative_step, first_step_is_the_rate_over_sigma, Library)
HOLDS(optimizer, relative_step, descent_carries_a_factor_of_the_gradients, Library)
REJECTS(optimizer, relative_step, adam_ignores_a_factor_of_the_gradients, keeps_the_usual_epsilon)
REJECTS(optimizer, relative_step, adam_ignores_a_factor_of_the_gradients, clips_gradients_of_adam)
REJECTS(optimizer, relative_step, adam_ignores_a_factor_of_the_gradients, couples_the_decay)
REJECTS(optimizer, relative_step, first_step_is_the_rate_over_sigma, leaves_bias_correction_out)
REJECTS(optimizer, relative_step, first_step_is_the_rate_over_sigma, counts_a_step_too_many)
REJECTS(optimizer, relative_step, first_step_is_the_rate_over_sigma, corrects_the_mean_alone)
REJECTS(optimizer, relative_step, first_step_is_the_rate_over_sigma, keeps_the_usual_epsilon)
REJECTS(optimizer, relative_step, first_step_is_the_rate_over_sigma, steps_slightly_too_far)
REJECTS(optimizer, relative_step, descent_carries_a_factor_of_the_gradients, descends_by_signs)
REJECTS(optimizer, relative_step, descent_carries_a_factor_of_the_gradients, clips_gradients)
REJECTS(optimizer, relative_step, descent_carries_a_factor_of_the_gradients, decays_a_little)

/// With the factor the first step of Adam is longer.
REFUTES(optimizer, relative_step, that_the_factor_lengthens_a_step_of_adam) {
  const double m = generators::named("m", generators::in_range(2, 64));
  const optimizer::Optimiser<double> adam = Adam<double>{0.125, 0.5, 0.75, 0.0};
  holds_exactly(optimizer::relative_step_ratio(adam, 1.0, m, Library{}) > 1.0);
}

}  // namespace embedscale::properties::testing
