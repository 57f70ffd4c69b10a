#pragma once
// The attempts to refute the claims of attention_input.hpp, for any primitives of InputLibrary's
// shape.
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string>

#include "../attention_input_exact.hpp"
#include "../attention_input_rounding.hpp"
#include "../attention_input_scales.hpp"
#include "../attention_input_terms.hpp"
#include "../domain/rationals.hpp"
#include "generators/attention_input.hpp"
#include "property.hpp"

namespace embedscale::properties::testing {

using domain::Rational;
namespace input = attention::input;

// A polynomial identity that holds for all rationals holds for all reals, √d_model among them.
PROPERTY(attention, root_d_model_does_not_cancel, factors_multiply_the_parts) {
  const auto head = generators::head(2);
  const input::Parts<Rational> query{generators::named("e_i", generators::channels(2)),
                                     generators::named("p_i", generators::channels(2))};
  const input::Parts<Rational> key{generators::named("e_j", generators::channels(2)),
                                   generators::named("p_j", generators::channels(2))};
  const auto m = generators::named("m", generators::rationals());
  const auto s = generators::named("s", generators::rationals());
  holds_exactly(input::factors_multiply_as_stated(head, query, key, m, s, subject));
}

EXPENSIVE_PROPERTY(attention, root_d_model_does_not_cancel, mean_square_is_that_of_lengths, 3) {
  const auto query = generators::whole_channels("i");
  const auto key = generators::whole_channels("j");
  const double m = generators::named("m", generators::in_range(0, 9));
  const double s = generators::named("s", generators::in_range(0, 9));
  holds_exactly(input::moments_over_weights_are_stated(query, key, m, s, subject));
}

/// All four cells, d_model and d_k each from 1 to 2^14 and wider by 2 to 16 times.
PROPERTY(attention, root_d_model_does_not_cancel, exponents_are_those_of_the_table) {
  const auto d = generators::named("d", generators::widths_by_size({1, 1 << 14}));
  const auto d_k = generators::named("d_k", generators::widths_by_size({1, 1 << 14}));
  const auto times = generators::named("times", generators::in_range<std::size_t>(2, 17));
  using input::Factor;
  for (const Factor root_d_model : {Factor::absent, Factor::present})
    for (const Factor root_d_k : {Factor::absent, Factor::present}) {
      const input::Cell cell{root_d_model, root_d_k};
      holds(input::exponents_share_of_bound<double>(d, d_k, times, cell, subject));
      holds(input::exponents_share_of_bound<float>(d, d_k, times, cell, subject));
    }
}

PROPERTY(attention, factor_is_a_temperature, logits_take_the_square) {
  const auto head = generators::head(2);
  const auto c = generators::named("c", generators::rationals());
  holds_exactly(input::is_a_temperature(head, c, subject));
}

PROPERTY(attention, factor_is_a_temperature, biases_add_terms_in_c_and_1) {
  const auto head = generators::head(2);
  const auto c = generators::named("c", generators::rationals());
  holds_exactly(input::logits_are_meant(head, c, subject));
}

PROPERTY(attention, factor_is_a_temperature, bits_at_powers_of_two) {
  const auto i = generators::named("head", generators::draws());
  const auto k = generators::named("log2 c", generators::in_range(-20, 21));
  const double c = std::ldexp(1.0, k);
  const Stream stream(0, "temperature");
  covers("c above 1", k > 0, 0.25);
  covers("c below 1", k < 0, 0.25);
  holds_exactly(input::has_bits_of_temperature(input::drawn_head<double>(stream, i), c, subject));
  holds_exactly(input::has_bits_of_temperature(input::drawn_head<float>(stream, i),
                                               static_cast<float>(c), subject));
  holds_exactly(
      input::has_bits_of_temperature(input::drawn_head<bfloat16>(stream, i), bfloat16(c), subject));
}

PROPERTY(attention, factor_is_a_temperature, logits_within_gamma) {
  const auto i = generators::named("head", generators::draws());
  const double c = generators::factor();
  const Stream stream(1, "temperature");
  holds(input::temperature_share_of_bound(input::drawn_head<float>(stream, i),
                                          static_cast<float>(c), subject));
  holds(input::temperature_share_of_bound(input::drawn_head<bfloat16>(stream, i), bfloat16(c),
                                          subject));
}

PROPERTY(attention, factor_is_a_temperature, small_inputs_attend_evenly) {
  const auto i = generators::named("head", generators::draws());
  const auto k = generators::named("-log2 c", generators::in_range(0, 21));
  covers("nearly even weights", k > 4, 0.25);
  holds(input::entropy_share_of_bound(input::drawn_head<double>(Stream(2, "temperature"), i),
                                      std::ldexp(1.0, -k), subject));
}

PROPERTY(attention, projections_absorb_the_factor, logits_stay) {
  const auto head = generators::head(2);
  const auto c = generators::named("c", generators::nonzero_rationals());
  holds_exactly(input::logits_are_absorbed(head, c, subject));
}

PROPERTY(attention, projections_absorb_the_factor, values_keep_it) {
  const auto head = generators::head(2);
  const auto weights = generators::named("weights", generators::channels(2));
  const auto c = generators::named("c", generators::nonzero_rationals());
  holds_exactly(input::values_keep_the_factor(head, weights, c, subject));
}

PROPERTY(attention, projections_absorb_the_factor, bits_at_powers_of_two) {
  const auto i = generators::named("head", generators::draws());
  const auto k = generators::named("log2 c", generators::in_range(-20, 21));
  const double c = std::ldexp(1.0, k);
  const Stream stream(0, "absorbed");
  covers("c above 1", k > 0, 0.25);
  covers("c below 1", k < 0, 0.25);
  holds_exactly(input::has_bits_when_absorbed(input::drawn_head<double>(stream, i), c, subject));
  holds_exactly(input::has_bits_when_absorbed(input::drawn_head<float>(stream, i),
                                              static_cast<float>(c), subject));
  holds_exactly(
      input::has_bits_when_absorbed(input::drawn_head<bfloat16>(stream, i), bfloat16(c), subject));
}

PROPERTY(attention, projections_absorb_the_factor, logits_within_gamma) {
  const auto i = generators::named("head", generators::draws());
  const double c = generators::factor();
  const Stream stream(1, "absorbed");
  holds(input::absorbed_share_of_bound(input::drawn_head<double>(stream, i), c, subject));
  holds(input::absorbed_share_of_bound(input::drawn_head<float>(stream, i), static_cast<float>(c),
                                       subject));
  holds(
      input::absorbed_share_of_bound(input::drawn_head<bfloat16>(stream, i), bfloat16(c), subject));
}

EXPENSIVE_PROPERTY(attention, first_layer_terms, mean_squares_are_those_of_lengths, 10) {
  const auto query = generators::whole_channels("i");
  const auto key = generators::whole_channels("j");
  const double m = generators::named("m", generators::in_range(0, 9));
  const double s = generators::named("s", generators::in_range(0, 9));
  const auto pairing = generators::pairing();
  using input::Pairing;
  covers("different tokens", pairing == Pairing::different_tokens, 0.2);
  covers("one token", pairing == Pairing::one_token, 0.2);
  covers("one position", pairing == Pairing::one_position, 0.2);
  holds_exactly(input::terms_are_stated(query, key, pairing, m, s, subject));
}

/// Any table, any multiplier, any position.
PROPERTY(attention, first_layer_terms, shares_are_those_of_the_ratio) {
  const auto at = generators::input_scale(128);
  holds(input::shares_share_of_bound(at.d, at.position, at.sigma, at.m, subject));
}

/// T/P around 1 + √2 and off it by a part in 2^j, either way: T/P = 2m²σ².
PROPERTY(attention, first_layer_terms, tokens_lead_above_one_plus_root_two) {
  const auto d = generators::named("d", generators::even_widths(1, 64));
  const auto position =
      generators::named("position", generators::in_range<std::int64_t>(0, 1 << 17));
  const auto j = generators::named("-log2 off", generators::in_range(-2, 41));
  const bool above = generators::named("above", generators::in_range(0, 2)) != 0;
  const double off = std::ldexp(1.0, -j);
  const double ratio = (1 + std::sqrt(2.0)) * (above ? 1 + off : 1 / (1 + off));
  const double m = std::sqrt(static_cast<double>(d)), sigma = std::sqrt(ratio / 2) / m;
  covers("above", above, 0.3);
  covers("below", !above, 0.3);
  holds_exactly(input::tokens_lead(d, position, sigma, m, subject) == above);
}

PROPERTY(attention, first_projection_range, mean_square_is_that_of_the_input) {
  const auto channels = generators::whole_channels("x");
  const double m = generators::named("m", generators::in_range(0, 9));
  holds_exactly(input::projection_moment_is_stated(channels, m, subject));
}

PROPERTY(attention, first_projection_range, variance_is_in_closed_form) {
  const auto at = generators::input_scale(128);
  const auto setting = generators::setting(at.d);
  holds(input::variance_share_of_bound(setting, at.position, at.sigma, at.m, subject));
}

PROPERTY(attention, first_projection_range, factor_makes_less_than_three_of_it) {
  const auto d = generators::named("d", generators::even_widths(1, 256));
  const auto position =
      generators::named("position", generators::in_range<std::int64_t>(0, 1 << 17));
  holds(input::effect_share_of_bound(d, position, subject));
}

}  // namespace embedscale::properties::testing
