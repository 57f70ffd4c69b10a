// The claims of normalization.hpp against the library, against wrong norms, and the beliefs against
// their counterexamples. Read as a list: each line is one test.
#include "testing/normalization.hpp"

#include "mutants/normalization.hpp"

namespace embedscale::properties::testing {

using normalization::Library;

HOLDS(normalization, absorbs_the_factor, whatever_its_size_and_sign, Library)
HOLDS(normalization, absorbs_the_factor, bits_at_powers_of_two, Library)
HOLDS(normalization, absorbs_the_factor, else_within_its_roundings, Library)
REJECTS(normalization, absorbs_the_factor, whatever_its_size_and_sign, only_centres)
REJECTS(normalization, absorbs_the_factor, whatever_its_size_and_sign, forgets_the_root)
REJECTS(normalization, absorbs_the_factor, whatever_its_size_and_sign, returns_nothing)
REJECTS(normalization, absorbs_the_factor, whatever_its_size_and_sign,
        turns_along_the_first_channel)
REJECTS(normalization, absorbs_the_factor, whatever_its_size_and_sign, adds_an_epsilon_of_its_own)
REJECTS(normalization, absorbs_the_factor, whatever_its_size_and_sign, leaks_a_part_in_2_to_the_60)
REJECTS(normalization, absorbs_the_factor, whatever_its_size_and_sign,
        adds_an_epsilon_of_2_to_the_minus_300)
REJECTS(normalization, absorbs_the_factor, bits_at_powers_of_two, forgets_the_root)
REJECTS(normalization, absorbs_the_factor, bits_at_powers_of_two, leaks_the_input)
REJECTS(normalization, absorbs_the_factor, bits_at_powers_of_two, adds_an_epsilon_of_its_own)
REJECTS(normalization, absorbs_the_factor, bits_at_powers_of_two,
        adds_an_epsilon_of_2_to_the_minus_90)
REJECTS(normalization, absorbs_the_factor, else_within_its_roundings, only_centres)
REJECTS(normalization, absorbs_the_factor, else_within_its_roundings, leaks_the_input)
REJECTS(normalization, absorbs_the_factor, else_within_its_roundings, leaks_a_part_in_2_to_the_44)
REJECTS(normalization, absorbs_the_factor, else_within_its_roundings, divides_by_a_fast_root)
REJECTS(normalization, absorbs_the_factor, else_within_its_roundings, adds_an_epsilon_of_its_own)
REJECTS(normalization, absorbs_the_factor, else_within_its_roundings, keeps_the_root_in_binary32)
REJECTS(normalization, absorbs_the_factor, else_within_its_roundings, keeps_the_root_in_bfloat16)

/// A residual connection around the norm: what leaves it points elsewhere for c·x.
REFUTES(normalization, absorbs_the_factor, that_nothing_else_sees_it) {
  const auto x = generators::uneven_channels("x", 2);
  const auto w = generators::named("W", generators::channels(4));
  const auto c = generators::named("c", generators::positive_rationals());
  const normalization::NormOf<Surd> norm{normalization::LayerKind::rms_norm};
  holds_exactly(normalization::skip_forgets_the_factor(x, w, norm, c, Library{}));
}

HOLDS(normalization, epsilon_is_rescaled, by_the_square_or_by_the_factor, Library)
HOLDS(normalization, epsilon_is_rescaled, it_only_shrinks, Library)
HOLDS(normalization, epsilon_is_rescaled, by_how_much_in_closed_form, Library)
REJECTS(normalization, epsilon_is_rescaled, by_the_square_or_by_the_factor, forgets_to_rescale)
REJECTS(normalization, epsilon_is_rescaled, by_the_square_or_by_the_factor, multiplies_epsilon)
REJECTS(normalization, epsilon_is_rescaled, by_the_square_or_by_the_factor, divides_epsilon_by_c)
REJECTS(normalization, epsilon_is_rescaled, by_the_square_or_by_the_factor,
        divides_epsilon_by_the_square)
REJECTS(normalization, epsilon_is_rescaled, by_the_square_or_by_the_factor,
        adds_epsilon_on_the_other_side)
REJECTS(normalization, epsilon_is_rescaled, by_the_square_or_by_the_factor, rescales_slightly_less)
REJECTS(normalization, epsilon_is_rescaled, by_the_square_or_by_the_factor,
        adds_an_epsilon_of_2_to_the_minus_300)
REJECTS(normalization, epsilon_is_rescaled, it_only_shrinks, forgets_epsilon)
REJECTS(normalization, epsilon_is_rescaled, it_only_shrinks, adds_epsilon_on_the_other_side)
REJECTS(normalization, epsilon_is_rescaled, it_only_shrinks, adds_epsilon_twice)
REJECTS(normalization, epsilon_is_rescaled, it_only_shrinks, adds_epsilon_high_by_40_digits)
REJECTS(normalization, epsilon_is_rescaled, by_how_much_in_closed_form, forgets_epsilon)
REJECTS(normalization, epsilon_is_rescaled, by_how_much_in_closed_form,
        adds_epsilon_on_the_other_side)
REJECTS(normalization, epsilon_is_rescaled, by_how_much_in_closed_form,
        adds_epsilon_high_by_49_digits)

/// The usual ε of 10^−6, and inputs of RMS 1, ½, ¼ …: what it takes from them against a hundredth.
REFUTES(normalization, epsilon_is_rescaled, that_it_is_too_small_at_any_scale) {
  const auto k = generators::named("-log2 RMS", generators::in_range(0, 30));
  const expected::Norm norm{.epsilon = 1e-6};
  holds(expected::epsilon_shrinkage(std::ldexp(1.0, -2 * k), norm) / 0.01);
}

}  // namespace embedscale::properties::testing
