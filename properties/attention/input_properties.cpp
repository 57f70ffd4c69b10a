// The attempts to refute the claims about the first attention's input, with what each has to
// reject; and the beliefs that fail.
#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include "../conventions/draws.hpp"
#include "claims.hpp"
#include "input_logits.hpp"
#include "input_scales.hpp"
#include "input_terms.hpp"
#include "trials.hpp"

namespace embedscale::properties::attention {

using namespace testing;
using namespace input;

namespace {

/// A head of 2 channels, 2 of them in q and k, and 2 keys, in rationals, with biases.
Head<Rational> rational_head() {
  // In braces, so that they are drawn in this order.
  return {2,
          2,
          named("scale", nonzero_rationals()),
          named("W_Q", channels(4)),
          named("W_K", channels(4)),
          named("W_V", channels(4)),
          named("b_Q", channels(2)),
          named("b_K", channels(2)),
          {named("x_0", channels(2)), named("x_1", channels(2))}};
}

constexpr auto values = {&Head<Rational>::w_v};

/// Two channels of whole numbers.
Parts<double> whole_channels(const std::string& of) {
  return {two_whole_numbers("e_" + of), two_whole_numbers("p_" + of)};
}

Pairing drawn_pairing() {
  constexpr Pairing all[] = {Pairing::different_tokens, Pairing::one_token, Pairing::one_position};
  return all[named("in common: nothing, token, position", in_range(0, 3))];
}

/// An even width up to 2·largest_half, a position, a table's deviation and a multiplier: √d or any.
struct InputScale {
  std::size_t d;
  std::int64_t position;
  double sigma, m;
};
InputScale input_scale(std::size_t largest_half) {
  const auto d = named("d", even_widths(1, largest_half));
  const auto position = named("position", in_range<std::int64_t>(0, 1 << 17));
  const auto sigma = named("sigma", scales());
  return {d, position, sigma, conventions::multiplier(d)};
}

/// Whether of(head, c) in binary64, binary32 and bfloat16, of drawn heads and powers of two c.
template <class Of>
void holds_at_powers_of_two(const char* stream_name, const Of& of) {
  const auto i = named("head", draws());
  const auto k = named("log2 c", in_range(-20, 21));
  const Stream stream(0, stream_name);
  covers("c above 1", k > 0, 0.25);
  covers("c below 1", k < 0, 0.25);
  const auto in = [&]<class Real>(Real c) { holds_exactly(of(drawn_head<Real>(stream, i), c)); };
  in(std::ldexp(1.0, k));
  in(std::ldexp(1.0f, k));
  in(bfloat16(std::ldexp(1.0, k)));
}

/// A law of a projection on d channels.
Setting drawn_setting(std::size_t d) {
  using expected::ProjectionLaw;
  constexpr ProjectionLaw laws[] = {ProjectionLaw::xavier,        ProjectionLaw::xavier_per_head,
                                    ProjectionLaw::packed_xavier, ProjectionLaw::nn_linear,
                                    ProjectionLaw::normal,        ProjectionLaw::normal_by_width};
  const auto law =
      named("law: Xavier, per head, packed, nn.Linear, normal, by width", in_range(0, 6));
  const auto d_k = named("d_k", widths_by_size({1, 1 << 10}));
  const auto heads = named("heads", widths_by_size({1, 64}));
  return {laws[law], {d, d_k, heads}, named("sigma of W", scales())};
}

}  // namespace

const Table input_properties{
    // A polynomial identity that holds for all rationals holds for all reals, √d_model among them.
    {root_d_model_does_not_cancel,
     "factors_multiply_the_parts",
     [](const Primitives& subject) {
       auto head = without_biases(rational_head());
       const Parts<Rational> query{named("e_i", channels(2)), named("p_i", channels(2))};
       const Parts<Rational> key{named("e_j", channels(2)), named("p_j", channels(2))};
       const auto m = named("m", rationals());
       const auto s = named("s", rationals());
       const auto logit = [&](const auto& q, const auto& k, const Rational& by,
                              const Rational& scale) {
         head.scale = scale;
         return logit_between<Rational>(head, q, k, by, subject);
       };
       const auto token = query.token(), other = key.token();
       holds_exactly(logit(token, other, m, s) == m * m * s * logit(token, other, 1, 1));
       holds_exactly(logit(query, key, m, s) == s * logit(query, key, m, 1));
     },
     {"adds_tokens_unscaled", "caps_the_logits", "lifts_every_logit", "bends_the_projection"}},
    {root_d_model_does_not_cancel,
     "mean_square_is_that_of_lengths",
     [](const Primitives& subject) {
       const auto query = whole_channels("i");
       const auto key = whole_channels("j");
       const double m = named("m", in_range(0, 9));
       const double s = named("s", in_range(0, 9));
       holds_exactly(moments_over_weights_are_stated(query, key, m, s, subject));
     },
     {"multiplies_tokens_and_positions", "forgets_the_last_channel", "looks_at_the_query",
      "lifts_every_logit"},
     3},
    /// All four cells, d_model and d_k each from 1 to 2^14 and wider by 2 to 16 times.
    {root_d_model_does_not_cancel,
     "exponents_are_those_of_the_table",
     [](const Primitives& subject) {
       const auto d = named("d", widths_by_size({1, 1 << 14}));
       const auto d_k = named("d_k", widths_by_size({1, 1 << 14}));
       const auto times = named("times", in_range<std::size_t>(2, 17));
       for (const Cell& cell : cells) {
         holds(exponents_share_of_bound<double>(d, d_k, times, cell, subject));
         holds(exponents_share_of_bound<float>(d, d_k, times, cell, subject));
       }
     },
     {"multiplies_tokens_by_the_width", "scales_logits_by_the_model_width", "forgets_the_root",
      "guards_the_root_by_46_digits"}},
    /// Every even d_model to 2^14 with every d_k to 256 that it has room for. With sinusoids and a
    /// table of deviation d^−½ both factors make 3d/((d + 2)·√d_k) of a first logit's deviation,
    /// whose square is the quotient of 9d² and d_k·(d + 2)² and so, for d <= 2^14, either 1 or
    /// 2^−33 off it; rounding is below 2^−48.
    {root_d_model_does_not_cancel,
     "whole_logits_agree_at_one_shape_alone",
     [](const Primitives& subject) {
       const auto d = 2 + 2 * every("d_model/2 - 1", 1 << 13);
       const auto& of = subject.of<double>();
       const double sigma = 1 / std::sqrt(static_cast<double>(d));
       const double with = of.input(sigma, 0.0, of.multiplier(d));
       const double without = of.input(sigma, 0.0, 1.0);
       const double effect = (with * with + 0.5) / (without * without + 0.5);
       for (std::uint64_t d_k = 1; d_k <= std::min<std::uint64_t>(d, 256); ++d_k)
         holds_exactly((std::abs(effect * of.scale(d, d_k) - 1) < 0x1p-40) == (d == 4 && d_k == 4));
     },
     {"multiplies_tokens_by_the_width", "scales_logits_by_the_model_width"},
     Exhaustive{1 << 13}},
    {factor_is_a_temperature,
     "logits_take_the_square",
     [](const Primitives& subject) {
       const auto head = rational_head();
       const auto c = named("c", rationals());
       holds_exactly(is_a_temperature(head, c, subject));
     },
     {"normalises_before_projecting", "caps_the_logits", "adds_a_small_bias",
      "bends_the_projection"}},
    {factor_is_a_temperature,
     "biases_add_terms_in_c_and_1",
     [](const Primitives& subject) {
       const auto head = rational_head();
       const auto c = named("c", rationals());
       const auto z = logits_of<Rational>(times(head, c), subject);
       for (std::size_t j = 0; j < z.size(); ++j) holds_exactly(z[j] == meant_logit(head, j, c));
     },
     {"forgets_the_biases", "adds_a_small_bias"}},
    {factor_is_a_temperature,
     "weights_stay_at_one_temperature_alone",
     [](const Primitives& subject) {
       const auto head = without_biases(rational_head());
       const auto c = named("c", rationals());
       const auto z = logits_of<Rational>(head, subject);
       const bool stay = c * c == 1 || z[0] == z[1];
       covers("not stated to stay", !stay, 0.4);
       holds_exactly(same_weights(logits_of<Rational>(times(head, c), subject), z) == stay);
     },
     {"normalises_before_projecting"}},
    {factor_is_a_temperature,
     "bits_at_powers_of_two",
     [](const Primitives& subject) {
       holds_at_powers_of_two("temperature", [&]<class Real>(const Head<Real>& head, Real c) {
         return is_a_temperature(head, c, subject);
       });
     },
     {"normalises_before_projecting", "adds_a_small_bias", "bends_the_projection"}},
    {factor_is_a_temperature,
     "logits_within_gamma",
     [](const Primitives& subject) {
       const auto i = named("head", draws());
       const double c = factor();
       const Stream stream(1, "temperature");
       holds(temperature_share_of_bound(drawn_head<float>(stream, i), static_cast<float>(c),
                                        subject));
       holds(temperature_share_of_bound(drawn_head<bfloat16>(stream, i), bfloat16(c), subject));
     },
     {"normalises_before_projecting", "projects_in_bfloat16", "projects_in_20_digits"}},
    {factor_is_a_temperature,
     "small_inputs_attend_evenly",
     [](const Primitives& subject) {
       const auto i = named("head", draws());
       const auto k = named("-log2 c", in_range(0, 21));
       covers("nearly even weights", k > 4, 0.25);
       holds(entropy_share_of_bound(drawn_head<double>(Stream(2, "temperature"), i),
                                    std::ldexp(1.0, -k), subject));
     },
     {"sharpens_the_softmax", "sharpens_by_22_digits"}},
    {projections_absorb_the_factor,
     "logits_stay",
     [](const Primitives& subject) {
       const auto head = rational_head();
       const auto c = named("c", nonzero_rationals());
       holds_exactly(logits_are_absorbed(head, c, subject));
     },
     {"absorbs_the_wrong_way", "absorbs_large_factors_alone", "absorbs_slightly_more"}},
    {belief_of(projections_absorb_the_factor),
     "values_keep_it",
     [](const Primitives& subject) {
       const auto head = rational_head();
       const auto weights = named("weights", channels(2));
       const auto c = named("c", nonzero_rationals());
       const auto output = [&](const auto& of) {
         return output_of<Rational>(of, weights, subject);
       };
       const auto scaled = times(head, c);
       holds_exactly(output(scaled) == product(c, output(head)));
       holds_exactly(output(absorbing<Rational>(scaled, c, subject, values)) == output(head));
     },
     {"normalises_the_output", "absorbs_slightly_more"}},
    // The output stays only where c is 1 or nothing is mixed; and input plus output with W_V/c,
    // too, only where c is 1 or the input is 0.
    {necessity_of(projections_absorb_the_factor),
     "outputs_change_without_values_and_behind_a_residual",
     [](const Primitives& subject) {
       const auto head = rational_head();
       const auto weights = named("weights", channels(2));
       const auto c = named("c", nonzero_rationals());
       covers("another factor than 1", c != 1, 0.5);
       const auto output = [&](const auto& of) {
         return output_of<Rational>(of, weights, subject);
       };
       const auto behind_residual = [&](const auto& of) {
         auto out = output(of);
         for (std::size_t a = 0; a < out.size(); ++a) out[a] += of.x[0][a];
         return out;
       };
       const auto is_zero = [](const auto& x) { return x == std::vector<Rational>(x.size()); };
       const auto undone = absorbing<Rational>(times(head, c), c, subject);
       const auto all_undone = absorbing<Rational>(undone, c, subject, values);
       holds_exactly((output(undone) == output(head)) == (c == 1 || is_zero(output(head))));
       holds_exactly((behind_residual(all_undone) == behind_residual(head)) ==
                     (c == 1 || is_zero(head.x[0])));
     },
     {"normalises_the_output"}},
    {projections_absorb_the_factor,
     "bits_at_powers_of_two",
     [](const Primitives& subject) {
       holds_at_powers_of_two("absorbed", [&]<class Real>(const Head<Real>& head, Real c) {
         return logits_are_absorbed(head, c, subject);
       });
     },
     {"absorbs_the_wrong_way", "absorbs_slightly_more", "normalises_before_projecting"}},
    {projections_absorb_the_factor,
     "logits_within_gamma",
     [](const Primitives& subject) {
       const auto i = named("head", draws());
       const double c = factor();
       const Stream stream(1, "absorbed");
       holds(absorbed_share_of_bound(drawn_head<double>(stream, i), c, subject));
       holds(absorbed_share_of_bound(drawn_head<float>(stream, i), static_cast<float>(c), subject));
       holds(absorbed_share_of_bound(drawn_head<bfloat16>(stream, i), bfloat16(c), subject));
     },
     {"absorbs_the_wrong_way", "absorbs_slightly_more"}},
    {first_layer_terms,
     "mean_squares_are_those_of_lengths",
     [](const Primitives& subject) {
       const auto query = whole_channels("i");
       const auto key = whole_channels("j");
       const double m = named("m", in_range(0, 9));
       const double s = named("s", in_range(0, 9));
       const auto pairing = drawn_pairing();
       covers("different tokens", pairing == Pairing::different_tokens, 0.2);
       covers("one token", pairing == Pairing::one_token, 0.2);
       covers("one position", pairing == Pairing::one_position, 0.2);
       holds_exactly(terms_are_stated(query, key, pairing, m, s, subject));
     },
     {"adds_the_position_twice", "loses_lonely_positions", "looks_at_the_query",
      "enters_tokens_high_by_41_digits"},
     10},
    /// Any table, any multiplier, any position: the four shares from measured parts against the
    /// closed form of T = m²σ², P = ½, which has 3 roundings in T and 6 after it. Numerator and
    /// denominator are products of two mean squares each.
    {first_layer_terms,
     "shares_are_those_of_the_ratio",
     [](const Primitives& subject) {
       const auto at = input_scale(128);
       const auto got = mean_squares(at.d, at.position, at.sigma, at.m, subject);
       const auto stated = expected::term_shares(at.m * at.m * at.sigma * at.sigma, 0.5);
       const double bound = 4 * rounding_of_mean_square(at.d) + 16 * unit_roundoff<double>;
       const auto is_share = [&](double a, double b, double share) {
         holds(std::abs(a * b / (got.all * got.all) / share - 1) / bound);
       };
       is_share(got.token, got.token, stated.token_token);
       is_share(got.token, got.position, stated.token_position);
       is_share(got.position, got.token, stated.position_token);
       is_share(got.position, got.position, stated.position_position);
     },
     {"adds_tokens_unscaled", "multiplies_tokens_and_positions",
      "enters_tokens_high_by_48_digits"}},
    /// T/P around 1 + √2 and off it by a part in 2^j, either way: T/P = 2m²σ².
    {first_layer_terms,
     "tokens_lead_above_one_plus_root_two",
     [](const Primitives& subject) {
       const auto d = named("d", even_widths(1, 64));
       const auto position = named("position", in_range<std::int64_t>(0, 1 << 17));
       const auto j = named("-log2 off", in_range(-2, 41));
       const bool above = named("above", in_range(0, 2)) != 0;
       const double off = std::ldexp(1.0, -j);
       const double ratio = (1 + std::sqrt(2.0)) * (above ? 1 + off : 1 / (1 + off));
       const double m = std::sqrt(static_cast<double>(d)), sigma = std::sqrt(ratio / 2) / m;
       covers("above", above, 0.3);
       covers("below", !above, 0.3);
       holds_exactly(tokens_lead(d, position, sigma, m, subject) == above);
     },
     {"adds_the_position_twice", "enters_tokens_high_by_41_digits"}},
    /// The mean of (W·x)_a² over all signs of W and of the token is ‖t‖² + ‖p‖².
    {first_projection_range,
     "mean_square_is_that_of_the_input",
     [](const Primitives& subject) {
       const auto [e, p] = whole_channels("x");
       const double m = named("m", in_range(0, 9));
       const std::vector<double> ones(2, 1.0), none{0};
       std::vector<double> out(1);
       double sum = 0;
       for (std::uint64_t pattern = 0; pattern < 16; ++pattern) {
         const auto x = input_of<double>({signed_by(pattern, 2, e), p}, m, subject);
         subject.of<double>().project(signed_by(pattern, 0, ones), none, x, out);
         sum += square_of(out);
       }
       holds_exactly(sum == 16 * (m * m * square_of(e) + square_of(p)));
     },
     {"projects_without_the_last_channel", "adds_a_small_bias"}},
    /// σ_W²·d·(m²σ² + ½). A variance of the library has 6 roundings (√(6/(V+d)) squared, over 3),
    /// the stated one 3; products 6 more.
    {first_projection_range,
     "variance_is_in_closed_form",
     [](const Primitives& subject) {
       const auto at = input_scale(128);
       const auto setting = drawn_setting(at.d);
       const double stated = stated_input_variance(setting, at.m * at.m * at.sigma * at.sigma, 0.5);
       const double measured =
           measured_projection_variance(setting, at.position, at.sigma, at.m, subject);
       const double bound = rounding_of_mean_square(at.d) + 16 * unit_roundoff<double>;
       holds(std::abs(measured / stated - 1) / bound);
     },
     {"forgets_that_three_are_packed", "counts_one_head", "takes_root_five_for_a_gain",
      "projects_high_by_47_digits"}},
    /// Any distribution at any width, of the tokens alone or beside sinusoids; two of three are
    /// normal ones whose variance is an end of the range, with the factor or without, off it by a
    /// part in 2^j on either side. But for what rounding may put on either: see is_at_an_end.
    {condition_of(first_projection_range),
     "the_factor_decides_where_the_closed_form_says",
     [](const Primitives& subject) {
       const auto d = named("d", widths_by_size({1, 1 << 14}));
       auto at = drawn_setting(d);
       const double position = one_of("beside", {"nothing", "sinusoids"}) == 0 ? 0 : 0.5;
       const double tokens[] = {1 / static_cast<double>(d), 1};  // mean squares
       if (const auto end = one_of("at an end", {"neither", "without the factor", "with it"})) {
         const double off = std::ldexp(1.0, -named("-log2 off", in_range(-2, 45)));
         const double variance =
             (one_of("which end", {"1/4", "4"}) == 0 ? 0.25 : 4) *
             (one_of("side", {"above", "below"}) == 0 ? 1 + off : 1 / (1 + off));
         at.law = expected::ProjectionLaw::normal;
         at.weight_sigma =
             std::sqrt(variance / (static_cast<double>(d) * (tokens[end - 1] + position)));
       }
       const auto without = stated_input_variance(at, tokens[0], position);
       const auto with = stated_input_variance(at, tokens[1], position);
       const bool stated = is_in_range(with) && !is_in_range(without);
       covers("the factor decides", stated, 0.1);
       covers("kept without it, too", is_in_range(with) && is_in_range(without), 0.05);
       covers("not kept with it", !is_in_range(with), 0.1);
       if (!is_at_an_end(with) && !is_at_an_end(without))
         holds_exactly(factor_decides(at, position, subject) == stated);
     },
     {"takes_root_five_for_a_gain", "adds_tokens_unscaled", "multiplies_tokens_by_the_width",
      "enters_tokens_high_by_41_digits"}},
    /// With sinusoids and a table of deviation d^−½ √d makes 3d/(d + 2) of it. σ² and m² have 3
    /// roundings each, twice two of the bound.
    {first_projection_range,
     "factor_makes_less_than_three_of_it",
     [](const Primitives& subject) {
       const auto d = named("d", even_widths(1, 256));
       const auto position = named("position", in_range<std::int64_t>(0, 1 << 17));
       const double width = static_cast<double>(d), sigma = 1 / std::sqrt(width);
       const auto variance = [&](double m) {
         return mean_squares(d, position, sigma, m, subject).all;
       };
       const double effect = variance(subject.of<double>().multiplier(d)) / variance(1.0);
       const double bound = 2 * rounding_of_mean_square(d) + 16 * unit_roundoff<double>;
       holds(std::abs(effect / (3 * width / (width + 2)) - 1) / bound);
     },
     {"multiplies_tokens_by_the_width", "adds_tokens_unscaled", "enters_tokens_high_by_41_digits"}},
};

const Beliefs input_beliefs{
    /// The two factors, as they multiply the token·token part: m²·s = 1?
    {root_d_model_does_not_cancel, "that_they_cancel",
     [] {
       const auto d_k = named("d_k", widths_by_size({1, 256}));
       const auto heads = named("heads", widths_by_size({2, 64}));
       const double m = library<double>.multiplier(heads * d_k);
       const double s = library<double>.scale(heads * d_k, d_k);
       holds_exactly(std::abs(m * m * s - 1) <= 8 * unit_roundoff<double>);
     }},
    /// One query, two keys, a factor: the weights stay if the difference of the logits does.
    {factor_is_a_temperature, "that_a_common_factor_does_nothing",
     [] {
       const auto head = without_biases(rational_head());
       const auto c = named("c", positive_rationals());
       holds_exactly(
           same_weights(logits_of(times(head, c), Primitives{}), logits_of(head, Primitives{})));
     }},
    /// W_Q and W_K divided, W_V not: is the output what it was?
    {beside(projections_absorb_the_factor), "that_dividing_queries_and_keys_is_enough",
     [] {
       const auto head = rational_head();
       const auto weights = named("weights", channels(2));
       const auto c = named("c", nonzero_rationals());
       const auto undone = absorbing(times(head, c), c, Primitives{});
       holds_exactly(output_of(undone, weights, Primitives{}) ==
                     output_of(head, weights, Primitives{}));
     }},
    /// A table of deviation d^−½, √d, sinusoids: what the paper has.
    {first_layer_terms, "that_tokens_lead",
     [] {
       const auto d = named("d", even_widths(1, 512));
       const double m = library<double>.multiplier(d);
       holds_exactly(tokens_lead(d, 0, 1 / std::sqrt(static_cast<double>(d)), m, Primitives{}));
     }},
    /// Xavier projections: is the deviation within a factor 2 of 1 with √d and beyond it without?
    {first_projection_range, "that_the_factor_keeps_it",
     [] {
       const auto d = named("d", even_widths(1, 512));
       const Setting at{expected::ProjectionLaw::xavier, {d, d, 1}, 1};
       const double sigma = 1 / std::sqrt(static_cast<double>(d));
       const double m = library<double>.multiplier(d);
       const auto variance = [&](double by) {
         return measured_projection_variance(at, 0, sigma, by, Primitives{});
       };
       holds_exactly(is_in_range(variance(m)) && !is_in_range(variance(1)));
     }},
};

}  // namespace embedscale::properties::attention
