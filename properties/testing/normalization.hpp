#pragma once
// The attempts to refute the claims of normalization.hpp, for any primitives of Library's shape.
#include <cmath>
#include <cstdint>
#include <vector>

#include "../normalization_exact.hpp"
#include "../normalization_rounding.hpp"
#include "generators/attention_input.hpp"
#include "generators/normalization.hpp"
#include "property.hpp"

namespace embedscale::properties::testing {

using domain::Rational, domain::Surd;

EXPENSIVE_PROPERTY(normalization, absorbs_the_factor, whatever_its_size_and_sign, 4) {
  const auto norm = generators::norm_with(Surd(0));
  const auto x = generators::uneven_channels("x", 3);
  const auto c = generators::named("c", generators::nonzero_rationals());
  covers("c below 0", c < 0, 0.25);
  covers("LayerNorm", norm.kind == normalization::LayerKind::layer_norm, 0.25);
  covers("RMSNorm", norm.kind == normalization::LayerKind::rms_norm, 0.25);
  holds_exactly(normalization::forgets_the_factor(x, norm, c, subject));
}

PROPERTY(normalization, absorbs_the_factor, bits_at_powers_of_two) {
  const auto i = generators::named("x", generators::draws());
  const auto k = generators::named("log2 c", generators::in_range(-20, 21));
  const Stream stream(0, "normalization bits");
  covers("c above 1", k > 0, 0.25);
  covers("c below 1", k < 0, 0.25);
  for (const auto kind :
       {normalization::LayerKind::layer_norm, normalization::LayerKind::rms_norm}) {
    const auto same = [&]<class Real>() {
      holds_exactly(normalization::has_bits_of_unscaled(
          normalization::drawn_channels<Real>(stream, i), kind, k, subject));
    };
    same.template operator()<double>();
    same.template operator()<float>();
    same.template operator()<bfloat16>();
  }
}

EXPENSIVE_PROPERTY(normalization, absorbs_the_factor, else_within_its_roundings, 4) {
  const auto i = generators::named("x", generators::draws());
  const double c = generators::factor();
  const Stream stream(1, "normalization rounding");
  for (const auto kind :
       {normalization::LayerKind::layer_norm, normalization::LayerKind::rms_norm}) {
    const auto within = [&]<class Real>() {
      holds(normalization::share_of_bound(normalization::drawn_channels<Real>(stream, i), kind,
                                          static_cast<Real>(c), subject));
    };
    within.template operator()<double>();
    within.template operator()<float>();
    within.template operator()<bfloat16>();
  }
}

EXPENSIVE_PROPERTY(normalization, epsilon_is_rescaled, by_the_square_or_by_the_factor, 4) {
  const auto epsilon = generators::named("epsilon", generators::positive_rationals());
  const auto norm = generators::norm_with(Surd(epsilon));
  const auto x = generators::named("x", generators::channels(3));
  const auto c = generators::named("c", generators::positive_rationals());
  covers("beside the root", norm.placement == EpsilonPlacement::standard_deviation, 0.25);
  covers("under the root", norm.placement == EpsilonPlacement::variance, 0.25);
  holds_exactly(normalization::epsilon_takes_the_factor(x, norm, c, subject));
}

EXPENSIVE_PROPERTY(normalization, epsilon_is_rescaled, it_only_shrinks, 4) {
  const auto epsilon = generators::named("epsilon", generators::positive_rationals());
  const auto norm = generators::norm_with(Surd(epsilon));
  const auto x = generators::named("x", generators::channels(3));
  holds_exactly(normalization::epsilon_only_shrinks(x, norm, subject));
}

/// ε from 2^−40 to 1 and c from √2 to 2^7, so that the deviation is far above the 50 digits'.
EXPENSIVE_PROPERTY(normalization, epsilon_is_rescaled, by_how_much_in_closed_form, 4) {
  const auto i = generators::named("x", generators::draws());
  const auto k = generators::named("-log2 epsilon", generators::in_range(0, 41));
  const auto d = generators::named("d for c", generators::widths_by_size({2, 1 << 14}));
  const auto norm = generators::norm_with(std::ldexp(1.0, -k));
  const auto x = normalization::drawn_channels<double>(Stream(2, "normalization epsilon"), i);
  covers("beside the root", norm.placement == EpsilonPlacement::standard_deviation, 0.25);
  holds(normalization::deviation_share(x, norm, std::sqrt(static_cast<double>(d)), subject));
}

}  // namespace embedscale::properties::testing
