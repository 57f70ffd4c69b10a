#pragma once
// The attempts to refute the claims of conventions.hpp, for any primitives of Library's shape.
#include <cmath>
#include <cstddef>
#include <cstdint>

#include "../conventions_defaults.hpp"
#include "../conventions_frequencies.hpp"
#include "../conventions_moments.hpp"
#include "../conventions_scale.hpp"
#include "../conventions_spellings.hpp"
#include "../conventions_vectors.hpp"
#include "generators/conventions.hpp"
#include "property.hpp"

namespace embedscale::properties::testing {

using domain::Rational;

/// Both rules and both layouts: what a start has to be tested with.
inline void covers_starts(const conventions::Start& at) {
  covers("rule of the paper", at.rule == FrequencyRule::paper, 0.25);
  covers("rule of tensor2tensor", at.rule == FrequencyRule::tensor2tensor, 0.25);
  covers("interleaved", at.layout == SinusoidalLayout::interleaved, 0.25);
  covers("halves", at.layout == SinusoidalLayout::halves, 0.25);
}

PROPERTY(conventions, multiplier_sets_the_scale, ratio_is_root_two_m_sigma) {
  const auto at = generators::start(512);
  covers_starts(at);
  const auto sigma = generators::named("sigma", generators::scales());
  const double m = generators::multiplier(at.d);
  holds(conventions::ratio_share_of_bound<double>(sigma, m, at, subject));
  holds(conventions::ratio_share_of_bound<float>(static_cast<float>(sigma), static_cast<float>(m),
                                                 at, subject));
}

/// σ√d around √2·2^k and off it by a part in 2^j, either way: balance ends at k = −2 and at k = 0.
PROPERTY(conventions, multiplier_sets_the_scale, the_law_decides_balance) {
  const auto at = generators::start(256);
  covers_starts(at);
  const int k = generators::named("k", generators::in_range(-4, 3));
  const int j = generators::named("j", generators::in_range(1, 41));
  const bool below = generators::named("below", generators::in_range(0, 2)) != 0;
  const double off = std::ldexp(below ? -1.0 : 1.0, -j);
  covers("at an end of balance, below", below && (k == -2 || k == 0), 0.05);
  covers("at an end of balance, above", !below && (k == -2 || k == 0), 0.05);
  const double sigma = std::ldexp(std::sqrt(2.0 / static_cast<double>(at.d)) * (1.0 + off), k);
  holds_exactly(conventions::law_decides_balance(sigma, at, subject));
}

/// σ and σ′ a factor 2^k apart, less or more by a part in 2^j; k = 2 is where it ends.
PROPERTY(conventions, multiplier_sets_the_scale, one_factor_for_two_laws_within_four) {
  const auto at = generators::start(128);
  covers_starts(at);
  const auto sigma = generators::named("sigma", generators::scales());
  const int k = generators::named("k", generators::in_range(0, 5));
  const int j = generators::named("j", generators::in_range(1, 41));
  const bool below = generators::named("below", generators::in_range(0, 2)) != 0;
  const auto times = generators::named("times", generators::scales());
  covers("just within a factor four", below && k == 2, 0.05);
  covers("just beyond a factor four", !below && k == 2, 0.05);
  const double other = std::ldexp(sigma * (1.0 + std::ldexp(below ? -1.0 : 1.0, -j)), k);
  holds_exactly(conventions::factor_four_decides(sigma, other, times, at, subject));
}

EXPENSIVE_PROPERTY(conventions, one_text_one_start, variance_is_the_second_moment, 5) {
  const auto law = generators::named("law", generators::laws());
  covers("truncated", std::holds_alternative<TruncatedNormal>(law.initializer), 0.1);
  covers("of a fan", law.initializer.index() > 2, 0.2);
  holds(conventions::variance_share_of_bound(law.initializer, subject));
}

EXPENSIVE_PROPERTY(conventions, one_text_one_start, quotient_is_that_of_the_deviations, 10) {
  const auto at = generators::start(64);
  covers_starts(at);
  const auto law = generators::named("law", generators::laws());
  const auto other = generators::named("other law", generators::laws());
  const double m = generators::multiplier(at.d);
  holds(conventions::quotient_share_of_bound(law.initializer, other.initializer, m, at, subject));
}

/// Any width up to 2^14, and the two at which they are three.
PROPERTY(conventions, one_text_one_start, default_laws_have_four_second_moments) {
  const auto any = generators::named("d", generators::in_range<std::size_t>(1, (1 << 14) + 1));
  for (const std::size_t d : {any, std::size_t{1}, std::size_t{1200}}) {
    holds(conventions::default_moments_share_of_bound(d, subject));
    holds_exactly(conventions::second_moments(d, subject) == conventions::stated_second_moments(d));
  }
}

EXPENSIVE_PROPERTY(conventions, paper_and_code_agree, raised_base_gives_the_codes_frequencies, 5) {
  const auto d = generators::named("d", generators::even_widths(2, 512));
  const auto base = generators::named("base", generators::in_range(2, 1000001));
  holds(conventions::frequencies_share_of_bound<double>(d, base, subject));
  holds(conventions::frequencies_share_of_bound<float>(d, static_cast<float>(base), subject));
}

PROPERTY(conventions, paper_and_code_agree, rules_meet_at_zero_alone) {
  const auto d = generators::named("d", generators::even_widths(2, 2048));
  const auto base = generators::named("base", generators::in_range(2, 1000001));
  holds_exactly(conventions::rules_meet_at_zero_alone(d, base, subject));
}

EXPENSIVE_PROPERTY(conventions, paper_and_code_agree, vectors_differ_as_in_closed_form, 5) {
  const auto d = generators::named("d", generators::even_widths(2, 256));
  const auto p = generators::named("position", generators::in_range<std::int64_t>(0, 1 << 17));
  const auto base = generators::named("base", generators::in_range(2, 1000001));
  const bool halves = generators::named("halves", generators::in_range(0, 2)) != 0;
  const auto layout = halves ? SinusoidalLayout::halves : SinusoidalLayout::interleaved;
  covers("interleaved", !halves, 0.25);
  covers("halves", halves, 0.25);
  for (const double b : {static_cast<double>(base), 10000.0})
    holds(conventions::rms_difference_share_of_bound(d, p, b, layout, subject));
}

// Over the rationals an identity that holds for all of them holds for all reals, √d too.
PROPERTY(conventions, two_spellings_one_model, one_function) {
  const auto e = generators::named("e", generators::channels(2));
  const auto p = generators::named("p", generators::rationals());
  const auto h = generators::named("h", generators::channels(2));
  const auto m = generators::named("m", generators::nonzero_rationals());
  holds_exactly(conventions::inputs_agree(e[0], p, m, subject));
  holds_exactly(conventions::logits_agree_by_the_factor(e, h, m, subject));
}

PROPERTY(conventions, two_spellings_one_model, gradient_steps_follow_m_squared) {
  const auto e = generators::named("e", generators::rationals());
  const auto from = generators::upstream();
  const auto m = generators::named("m", generators::nonzero_rationals());
  const auto rate = generators::named("rate", generators::rationals());
  covers("m above 0", m > 0, 0.25);
  covers("m below 0", m < 0, 0.25);
  holds_exactly(conventions::steps_are_what_they_say(e, from.of_input, rate, subject));
  for (const auto& spelling : {conventions::first_spelling(m), conventions::second_spelling(m)})
    holds_exactly(conventions::gradient_is_of_the_function(e, rate, from, spelling, subject));
  using conventions::Step;
  holds_exactly(conventions::steps_agree_by_rate(Step::by_gradient, e, from, m, rate, subject));
}

PROPERTY(conventions, two_spellings_one_model, sign_steps_follow_the_size_of_m) {
  const auto e = generators::named("e", generators::rationals());
  const auto from = generators::upstream();
  const auto m = generators::named("m", generators::nonzero_rationals());
  const auto rate = generators::named("rate", generators::rationals());
  covers("m above 0", m > 0, 0.25);
  covers("m below 0", m < 0, 0.25);
  holds_exactly(conventions::steps_are_what_they_say(e, from.of_input, rate, subject));
  using conventions::Step;
  holds_exactly(conventions::steps_agree_by_rate(Step::by_sign, e, from, m, rate, subject));
}

}  // namespace embedscale::properties::testing
