// The attempts to refute the claim about rows that are merged with the tokens', with what each has
// to reject; and the belief where it fails.
#include <embedscale/embedding.hpp>

#include <array>
#include <vector>

#include "../domain/formats.hpp"
#include "../domain/widths.hpp"
#include "../testing/rows.hpp"
#include "claims.hpp"
#include "merged.hpp"
#include "trials.hpp"

namespace embedscale::properties::combination {

using namespace testing;

namespace {

constexpr std::array places{MultiplierPlace::look_up, MultiplierPlace::behind_merge};
constexpr int merged_widths = static_cast<int>(domain::swept_widths.highest);

}  // namespace

const Properties<Primitives> merged_properties{
    {condition_of(merged_rows_share_the_factor),
     "over_the_reals_just_behind_the_merge",
     [](const Primitives& subject) {
       using enum MultiplierPlace;
       using enum Features;
       const auto [e, q] = each_named(rationals(), "e", "q");
       const auto m = named("m", nonzero_rationals());
       const auto& of = subject.of<Rational>();
       const auto feature = [&, q = q](MultiplierPlace place, Features features) {
         return of.merged_feature(q, m, place, features);
       };
       for (const auto place : places) holds_exactly(of.merged_token(e, m, place) == m * e);
       holds_exactly(feature(behind_merge, divided) == q && feature(look_up, as_they_are) == q &&
                     feature(behind_merge, as_they_are) == m * q &&
                     m * feature(look_up, divided) == q);
       holds_exactly((feature(look_up, divided) == q) == (m == 1 || q == 0));
     },
     {"multiplies_tokens_at_both_places", "still_divides_features_at_the_look_up",
      "divides_features_at_one_factor"}},

    {merged_rows_share_the_factor,
     "within_two_u_at_every_size",
     [](const Primitives& subject) {
       const auto d = named("d", widths_by_size({1, 16384}));
       domain::for_each_format([&]<class Real>() {
         const std::string name = FormatTraits<Real>::name;
         const Real m = root_multiplier<Real>(d);
         const Real q = named("q in " + name, floats<Real>(domain::finite_floats));
         const auto back = divided_and_multiplied(q, m, subject);
         const bool inside = std::isfinite(static_cast<double>(back));
         covers("in range in " + name, inside, 0.5);
         covers("q/m subnormal in " + name,
                q != Real(0) && std::abs(static_cast<double>(q)) <
                                    static_cast<double>(m) * FormatTraits<Real>::min_normal,
                0.05);
         if (inside) holds(feature_share_of_bound(q, m, subject));
       });
     },
     {"multiplies_features_by_m_in_bfloat16", "takes_features_m_three_ulps_low"}},

    {merged_rows_share_the_factor,
     "same_bits_just_at_such_roots_of_every_swept_width",
     [](const Primitives& subject) {
       const std::uint64_t d = 1 + every("d - 1", merged_widths);
       domain::for_each_format([&]<class Real>() {
         const Real m = root_multiplier<Real>(d);
         const auto is_kept = [&](const Real& q) {
           return divided_and_multiplied(q, m, subject) == q;
         };
         const auto [one, other] = telling_features(m);
         holds_exactly((is_kept(one) && is_kept(other)) == keeps_every_bit(m));
         if (!keeps_every_bit(m)) return;
         for (std::uint64_t i = 0; i < 256; ++i)
           holds_exactly(is_kept(domain::critical_pair(Stream(d, "features"), i, m).p));
       });
     },
     {"multiplies_features_by_m_in_bfloat16", "takes_features_m_one_ulp_low"},
     Exhaustive{merged_widths}},

    {merged_rows_are_scaled,
     "in_each_format",
     of_one_format<double, float, binary16, bfloat16>([]<class Real>(const Operations<Real>& of) {
       using primitives::rounding_of, primitives::wide;
       const auto [e, q, m] = drawn_parts<Real>();
       const auto place = places.at(one_of("m", {"in the look-up", "behind the merge"}));
       judge("token", primitives::products(rounding_of<Real>(), {wide(e)}, wide(m)),
             [&, e = e, m = m] { return std::vector{of.merged_token(e, m, place)}; });
       if (m == Real(0)) return;
       const auto feature = [&, q = q, m = m](MultiplierPlace at, Features features) {
         return [=, &of] { return std::vector{of.merged_feature(q, m, at, features)}; };
       };
       judge("multiplied", primitives::products(rounding_of<Real>(), {wide(q)}, wide(m)),
             feature(MultiplierPlace::behind_merge, Features::as_they_are));
       judge("divided", primitives::quotient(rounding_of<Real>(), wide(q), wide(m)),
             feature(MultiplierPlace::look_up, Features::divided));
       holds_exactly(of.merged_feature(q, m, MultiplierPlace::look_up, Features::as_they_are) == q);
     }),
     {"merged_token_is_0", "merged_feature_is_0", "multiplies_tokens_at_both_places",
      "still_divides_features_at_the_look_up"}},
};

const Beliefs merged_beliefs{
    {merged_rows_share_the_factor, "that_it_makes_up_wherever_the_multiplier_stands",
     [] {
       const auto q = named("q", rationals());
       const auto m = named("m", positive_rationals());
       const auto place = places.at(one_of("m stands", {"in the look-up", "behind the merge"}));
       holds_exactly(merged_feature(q, m, place, Features::divided) == q);
     }},
};

}  // namespace embedscale::properties::combination
