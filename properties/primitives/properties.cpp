// The attempts to refute the facts about primitives, with what each has to reject.
#include <embedscale/random.hpp>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <variant>
#include <vector>

#include "../conventions/draws.hpp"
#include "../domain/formats.hpp"
#include "claims.hpp"
#include "rounding.hpp"
#include "trials.hpp"

namespace embedscale::properties::primitives {

using namespace testing;

const Properties<Primitives> properties{

    {multiplier_is_the_rounded_root,
     "in_each_format",
     [](const Primitives& subject) {
       const auto d = named("d", widths({1, std::uint64_t{1} << 20}));
       domain::for_each_format(
           [&]<class Real>() { holds_exactly(is_nearest_to_the_root<Real>(d, subject)); });
     },
     {"forgets_the_root", "keeps_the_root_in_bfloat16", "keeps_the_root_in_binary32",
      "cuts_the_root_off"}},

    /// Entries of 2^−16 to 2^16: the largest overflow binary16 when they are multiplied.
    {look_up_rounds_once,
     "in_narrow_formats",
     [](const Primitives& subject) {
       const auto d = named("d", widths({1, 64}));
       const auto i = named("row", draws());
       const int exponent = named("exponent", in_range(-16, 16));
       const Stream stream(i, "a row");
       const auto look_up = [&]<class Real>() {
         std::vector<Real> row;
         for (std::size_t j = 0; j < d; ++j)
           row.push_back(static_cast<Real>(std::ldexp(2.0 * stream.uniform(j) - 1.0, exponent)));
         holds_exactly(rounds_once(EmbeddingTable<Real>(1, d, row), 0, subject));
       };
       covers("may overflow binary16",
              std::ldexp(std::sqrt(static_cast<double>(d)), exponent) > 65520.0, 0.02);
       look_up.template operator()<float>();
       look_up.template operator()<binary16>();
       look_up.template operator()<bfloat16>();
     },
     {"embeds_without_multiplier", "scales_down_in_binary16", "embeds_by_the_unrounded_root",
      "saturates"}},

    {positions_are_sines_and_cosines,
     "at_any_width_and_position",
     [](const Primitives& subject) {
       const auto at = conventions::start(64);
       covers("rule of the paper", at.rule == FrequencyRule::paper, 0.25);
       covers("rule of tensor2tensor", at.rule == FrequencyRule::tensor2tensor, 0.25);
       covers("interleaved", at.layout == SinusoidalLayout::interleaved, 0.25);
       covers("halves", at.layout == SinusoidalLayout::halves, 0.25);
       holds(channels_share_of_bound<float>(at.position, at.d, at.rule, at.layout, subject));
       holds(channels_share_of_bound<double>(at.position, at.d, at.rule, at.layout, subject));
     },
     {"divides_positions_by_the_root", "slices_the_other_way", "exchanges_the_last_pair",
      "computes_positions_in_binary16", "raises_the_base_in_bfloat16", "rounds_inverse_frequencies",
      "computes_positions_in_binary32", "adds_two_roundings"}},

    {draws_are_of_their_law,
     "of_two_laws",
     [](const Primitives& subject) {
       const auto of_tokens = named("tokens", laws());
       const auto of_positions = named("positions", laws());
       const auto i = named("draw", draws());
       covers("cut", std::holds_alternative<TruncatedNormal>(of_tokens.initializer), 0.1);
       covers("of a fan", of_tokens.initializer.index() > 2, 0.2);
       holds(draws_share_of_bound(of_tokens.initializer, of_positions.initializer,
                                  Stream(0, "draws"), i, subject));
     },
     {"draws_a_tenth", "takes_the_scale_for_the_mean", "takes_the_vocabulary_for_the_fan_in",
      "swaps_the_laws", "clamps_the_cut", "draws_slightly_more"}},

    {scale_is_that_of_a_head,
     "in_each_format",
     [](const Primitives& subject) {
       const auto d_k = named("d_k", in_range<std::size_t>(1, 1025));
       const auto heads = named("heads", in_range<std::size_t>(1, 65));
       domain::for_each_format(
           [&]<class Real>() { holds(scale_share_of_bound<Real>(d_k, heads, subject)); });
     },
     {"divides_by_the_width_of_a_head", "scales_by_the_whole_width",
      "scales_logits_by_one_percent_more", "guards_the_root", "scales_slightly_more"}},

    /// Queries and keys of deviations up to 2^6: the sum of some products is beyond binary16.
    {logits_are_scaled_products,
     "in_binary32",
     [](const Primitives& subject) {
       const auto d_k = named("d_k", in_range<std::size_t>(1, 65));
       const auto i = named("pair", draws());
       const int exponent = named("exponent", in_range(-4, 7));
       const Stream stream(i, "query and key");
       std::vector<float> q, k;
       for (std::size_t j = 0; j < d_k; ++j) {
         q.push_back(static_cast<float>(std::ldexp(2.0 * stream.uniform(2 * j) - 1.0, exponent)));
         k.push_back(
             static_cast<float>(std::ldexp(2.0 * stream.uniform(2 * j + 1) - 1.0, exponent)));
       }
       covers("large", exponent >= 4, 0.1);
       holds(logit_share_of_bound(q, k, attention_scale<float>(d_k), subject));
     },
     {"forgets_the_scale_of_logits", "sums_products_in_binary16", "sums_products_in_bfloat16",
      "forgets_the_last_product", "sums_products_in_23_digits", "scales_the_logit_slightly_more"}},

};

const Beliefs beliefs{};

Trials trials() { return trials_of(properties, mutants, beliefs); }

}  // namespace embedscale::properties::primitives
