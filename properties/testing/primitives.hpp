#pragma once
// The attempts to refute the facts of primitives.hpp, for any primitives of Library's shape.
#include <embedscale/random.hpp>

#include <cmath>
#include <cstddef>
#include <cstdint>

#include "../domain/formats.hpp"
#include "../primitives_rounding.hpp"
#include "generators/conventions.hpp"
#include "property.hpp"

namespace embedscale::properties::testing {

PROPERTY(primitives, multiplier_is_the_rounded_root, in_each_format) {
  const auto d = generators::named("d", generators::widths({1, std::uint64_t{1} << 20}));
  domain::for_each_format(
      [&]<class Real>() { holds_exactly(primitives::is_nearest_to_the_root<Real>(d, subject)); });
}

/// Entries of 2^−16 to 2^16: the largest overflow binary16 when they are multiplied.
PROPERTY(primitives, look_up_rounds_once, in_narrow_formats) {
  const auto d = generators::named("d", generators::widths({1, 64}));
  const auto i = generators::named("row", generators::draws());
  const int exponent = generators::named("exponent", generators::in_range(-16, 16));
  const Stream stream(i, "a row");
  const auto look_up = [&]<class Real>() {
    std::vector<Real> row;
    for (std::size_t j = 0; j < d; ++j)
      row.push_back(static_cast<Real>(std::ldexp(2.0 * stream.uniform(j) - 1.0, exponent)));
    holds_exactly(primitives::rounds_once(EmbeddingTable<Real>(1, d, row), 0, subject));
  };
  covers("may overflow binary16", std::ldexp(std::sqrt(static_cast<double>(d)), exponent) > 65520.0,
         0.02);
  look_up.template operator()<float>();
  look_up.template operator()<binary16>();
  look_up.template operator()<bfloat16>();
}

PROPERTY(primitives, positions_are_sines_and_cosines, at_any_width_and_position) {
  const auto at = generators::start(64);
  covers("rule of the paper", at.rule == FrequencyRule::paper, 0.25);
  covers("rule of tensor2tensor", at.rule == FrequencyRule::tensor2tensor, 0.25);
  covers("interleaved", at.layout == SinusoidalLayout::interleaved, 0.25);
  covers("halves", at.layout == SinusoidalLayout::halves, 0.25);
  holds(primitives::channels_share_of_bound<float>(at.position, at.d, at.rule, at.layout, subject));
  holds(
      primitives::channels_share_of_bound<double>(at.position, at.d, at.rule, at.layout, subject));
}

PROPERTY(primitives, draws_are_of_their_law, of_two_laws) {
  const auto of_tokens = generators::named("tokens", generators::laws());
  const auto of_positions = generators::named("positions", generators::laws());
  const auto i = generators::named("draw", generators::draws());
  covers("cut", std::holds_alternative<TruncatedNormal>(of_tokens.initializer), 0.1);
  covers("of a fan", of_tokens.initializer.index() > 2, 0.2);
  holds(primitives::draws_share_of_bound(of_tokens.initializer, of_positions.initializer,
                                         Stream(0, "draws"), i, subject));
}

PROPERTY(primitives, scale_is_that_of_a_head, in_each_format) {
  const auto d_k = generators::named("d_k", generators::in_range<std::size_t>(1, 1025));
  const auto heads = generators::named("heads", generators::in_range<std::size_t>(1, 65));
  domain::for_each_format(
      [&]<class Real>() { holds(primitives::scale_share_of_bound<Real>(d_k, heads, subject)); });
}

/// Queries and keys of deviations up to 2^6: the sum of some products is beyond binary16.
PROPERTY(primitives, logits_are_scaled_products, in_binary32) {
  const auto d_k = generators::named("d_k", generators::in_range<std::size_t>(1, 65));
  const auto i = generators::named("pair", generators::draws());
  const int exponent = generators::named("exponent", generators::in_range(-4, 7));
  const Stream stream(i, "query and key");
  std::vector<float> q, k;
  for (std::size_t j = 0; j < d_k; ++j) {
    q.push_back(static_cast<float>(std::ldexp(2.0 * stream.uniform(2 * j) - 1.0, exponent)));
    k.push_back(static_cast<float>(std::ldexp(2.0 * stream.uniform(2 * j + 1) - 1.0, exponent)));
  }
  covers("large", exponent >= 4, 0.1);
  holds(primitives::logit_share_of_bound(q, k, attention_scale<float>(d_k), subject));
}

}  // namespace embedscale::properties::testing
