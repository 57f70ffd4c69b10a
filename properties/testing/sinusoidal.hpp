#pragma once
// The attempts to refute the claims of sinusoidal.hpp about one position and about two, for any
// primitives of Library's shape.

#include "../sinusoidal_pairs.hpp"
#include "../sinusoidal_size.hpp"
#include "generators/sinusoidal.hpp"
#include "properties/exact/decimal50.hpp"
#include "property.hpp"

namespace embedscale::properties::testing {

/// Both rules and both layouts: what every place has to be tested with.
template <class Where>
void covers_variants(const Where& at) {
  covers("rule of the paper", at.rule == FrequencyRule::paper, 0.25);
  covers("rule of tensor2tensor", at.rule == FrequencyRule::tensor2tensor, 0.25);
  covers("interleaved", at.layout == SinusoidalLayout::interleaved, 0.25);
  covers("halves", at.layout == SinusoidalLayout::halves, 0.25);
}

/// In the narrow formats where the position is a number of theirs.
PROPERTY(sinusoidal, stays_within_one, in_each_format) {
  const auto at = generators::place(256);
  covers_variants(at);
  covers("position 0", at.position == 0, 0.02);
  holds(sinusoidal::largest_magnitude<double>(at, subject));
  holds(sinusoidal::largest_magnitude<float>(at, subject));
  if (at.position >= 1 << 15) return;
  holds(sinusoidal::largest_magnitude<binary16>(at, subject));
  holds(sinusoidal::largest_magnitude<bfloat16>(at, subject));
}

PROPERTY(sinusoidal, mean_square_is_half, at_every_position) {
  const auto at = generators::place(512);
  covers_variants(at);
  holds(sinusoidal::square_share_of_bound<double>(at, subject));
  holds(sinusoidal::square_share_of_bound<float>(at, subject));
  if (at.position < 1 << 15) holds(sinusoidal::square_share_of_bound<binary16>(at, subject));
}

/// The three things that public programs do with an odd width.
PROPERTY(sinusoidal, mean_square_is_half, odd_widths_lose_a_channel) {
  const std::size_t d = generators::even_width(4, 256, "d - 1") + 1;
  const auto position = generators::named("position", generators::positions());
  using sinusoidal::OddWidth;
  for (const auto way :
       {OddWidth::zero_channel, OddWidth::sine_alone, OddWidth::cosine_overwritten})
    holds(sinusoidal::odd_square_share_of_bound<double>(d, position, way, subject));
}

PROPERTY(sinusoidal, is_not_zero_mean, variance_is_half_less_the_squared_mean) {
  const auto at = generators::place(512);
  covers_variants(at);
  holds(sinusoidal::variance_share_of_bound<double>(at, subject));
  holds(sinusoidal::variance_share_of_bound<float>(at, subject));
}

/// Positions that are small beside the width, where the bound says something.
PROPERTY(sinusoidal, is_not_zero_mean, mean_tends_to_the_integral) {
  const auto at = generators::place(1024, {0, 1 << 10});
  covers_variants(at);
  covers("bound below an eighth",
         expected::mean_distance_bound(static_cast<double>(at.position),
                                       static_cast<double>(at.d)) < 0.125,
         0.2);
  holds(sinusoidal::limit_share_of_bound<double>(at, subject));
  if (at.position == 0)
    holds_exactly(sinusoidal::mean_of(sinusoidal::encoded<double>(at, subject)) == 0.5L);
}

PROPERTY(sinusoidal, shift_is_linear, by_the_rotation_of_the_shift) {
  const auto at = generators::place(256);
  const auto shift = generators::named("shift", generators::positions());
  const bool back = generators::named("back", generators::in_range(0, 2)) != 0;
  covers_variants(at);
  covers("back", back, 0.25);
  covers("on", !back, 0.25);
  const std::int64_t delta = back ? -shift : shift;
  holds(sinusoidal::shift_share_of_bound<double>(at, delta, subject));
  holds(sinusoidal::shift_share_of_bound<float>(at, delta, subject));
}

/// In 50 decimal digits, of which an angle below 2^18 leaves at least 44 behind the point.
EXPENSIVE_PROPERTY(sinusoidal, shift_is_linear, to_forty_digits, 10) {
  using Wide = exact::Decimal50;
  const auto at = generators::place(8);
  const auto delta = generators::named("shift", generators::positions());
  static const Wide allowed("1e-40");
  for (const auto& off : sinusoidal::errors_of_the_shift<Wide, Wide>(at, delta, subject))
    holds_exactly(off <= allowed);
}

PROPERTY(sinusoidal, product_depends_on_offset, is_a_sum_of_cosines) {
  const auto at = generators::place(256);
  const auto other = generators::named("other position", generators::positions());
  covers_variants(at);
  using sinusoidal::Between;
  holds(sinusoidal::product_share_of_bound<double>(at, other, Between::nothing, subject));
  holds(sinusoidal::product_share_of_bound<float>(at, other, Between::nothing, subject));
}

PROPERTY(sinusoidal, product_depends_on_offset, with_an_exchange_it_depends_on_the_sum) {
  const auto at = generators::place(256);
  const auto other = generators::named("other position", generators::positions());
  covers_variants(at);
  using sinusoidal::Between;
  holds(sinusoidal::product_share_of_bound<double>(at, other, Between::exchange, subject));
}

PROPERTY(sinusoidal, layouts_are_permutations, of_the_same_bits) {
  const auto at = generators::place(512);
  covers_variants(at);
  holds_exactly(sinusoidal::layouts_are_permuted<double>(at, subject));
  holds_exactly(sinusoidal::layouts_are_permuted<float>(at, subject));
}

PROPERTY(sinusoidal, layouts_are_permutations, rules_are_none_of_each_other) {
  const auto d = generators::even_width(4, 2048);
  holds_exactly(sinusoidal::rules_are_no_permutation(d, subject));
}

EXPENSIVE_PROPERTY(sinusoidal, layouts_are_permutations, rules_differ_as_in_closed_form, 3) {
  const auto d = generators::even_width(4, 256);
  const auto position = generators::named("position", generators::positions());
  const auto layout = generators::layout();
  covers("interleaved", layout == SinusoidalLayout::interleaved, 0.25);
  covers("halves", layout == SinusoidalLayout::halves, 0.25);
  holds(conventions::rms_difference_share_of_bound(d, position, 10000, layout, subject));
}

}  // namespace embedscale::properties::testing
