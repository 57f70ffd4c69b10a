// The attempts to refute the claims about products of queries and keys, their softmax and its
// gradient, with what each has to reject; and the beliefs that fail.
#include <embedscale/random.hpp>

#include <algorithm>
#include <cmath>
#include <functional>

#include "../domain/formats.hpp"
#include "claims.hpp"
#include "gradient.hpp"
#include "key_constant.hpp"
#include "moments.hpp"
#include "trials.hpp"

namespace embedscale::properties::attention {

using namespace testing;

namespace {

/// The upper value a of an entry that is a or −1/a: fractions of 1 to 4. Simplified to 1.
Domain<Rational> atoms() {
  return mapped<Rational>(in_range(1, 5), in_range(1, 5),
                          [](int n, int k) { return Rational(n) / Rational(k); });
}

/// 1, 2 or, once in eight, 3: so many channels have 4, 16 or 64 outcomes. Simplified to 1.
Domain<std::uint64_t> few_channels() {
  return mapped<std::uint64_t, int>(in_range(0, 8), [](const int& i) -> std::uint64_t {
    return i < 4 ? 1 : i < 7 ? 2 : 3;
  });
}

/// A channel's law: independent (a third), coupled by so many eighths of the most (a third), or
/// coupled so that the variance is 1 all the same, E[q²k²] = 1 + E[qk]² (a third), as is possible
/// near a = b = 1. No probability is below 0 up to a coupling of min(p(1−r), (1−p)r).
ChannelLaw channel_law() {
  const int kind = named("coupled", in_range(0, 3));
  if (kind == 2) {
    const auto near_one = [](const char* name) {
      return 1 + Rational(1) / named(name, in_range(2, 6));
    };
    const Rational a = near_one("1/(a - 1)"), b = near_one("1/(b - 1)");
    return {a, b, (a - 1 / a) * (b - 1 / b) / ((a + 1 / a) * (b + 1 / b))};
  }
  const auto a = named("a", atoms()), b = named("b", atoms());
  if (kind == 0) return {a, b};
  const auto points = points_of({a, b});
  return {a, b,
          std::min(points[1].probability, points[2].probability) *
              named("eighths", in_range(1, 9)) / 8};
}

/// n = least … end − 1 standard normal numbers.
std::vector<double> normals(std::uint64_t least, std::uint64_t end) {
  const auto n = named("n", in_range<std::uint64_t>(least, end));
  const Stream stream(named("logits", draws()), "normals");
  std::vector<double> x;
  for (std::uint64_t j = 0; j < n; ++j) x.push_back(stream.normal(j));
  return x;
}

/// The sign of draw j, ±1.
int sign(const Stream& stream, std::uint64_t j) { return (stream.bits(j) & 1) != 0 ? 1 : -1; }

}  // namespace

const Properties<Primitives> properties{
    {belief_of(dot_variance_is_d_k),
     "moments_are_those_of_independent_entries",
     [](const Primitives& subject) {
       const auto d = named("d_k", few_channels());
       std::vector<Points> channels;
       Rational fourth = 3 * d * (d - 1);  // odd moments vanish
       for (std::size_t i = 0; i < d; ++i) {
         const ChannelLaw law{named("a", atoms()), named("b", atoms())};
         channels.push_back(points_of(law));
         fourth += moment(law, 4, 0) * moment(law, 0, 4);
       }
       covers("more than one channel", d > 1, 0.4);
       const auto moments = dot_moments(channels, subject);
       holds_exactly(moments.mean == 0 && moments.variance() == Rational(d) &&
                     moments.fourth == fourth);
     },
     {"adds_absolute_products", "averages_the_products", "forgets_the_last_channel",
      "leans_on_the_first_channel", "errs_at_one_entry"}},
    /// For queries of entries +1 and -1, where it is the same for each: sums of squares below 2^53.
    {dot_variance_is_d_k,
     "at_any_width",
     [](const Primitives& subject) {
       const auto d = named("d_k", widths_by_size({1, 256}));
       const auto i = named("query", draws());
       const Stream stream(i, "signs");
       std::vector<double> q;
       for (std::size_t j = 0; j < d; ++j) q.push_back(sign(stream, j));
       covers("wider than 32", d > 32, 0.1);
       holds_exactly(variance_over_keys(q, subject) == static_cast<double>(d));
     },
     {"averages_the_products", "forgets_the_last_channel", "leans_on_the_first_channel"}},
    {condition_of(scaling_gives_unit_variance),
     "exactly_if_the_products_square_so",
     [](const Primitives& subject) {
       const auto d = named("d_k", few_channels());
       const auto law = channel_law();
       const Rational rho = moment(law, 1, 1);
       const bool stated = moment(law, 2, 2) == 1 + rho * rho;
       covers("independent", law.coupling == 0, 0.1);
       covers("correlated, on the condition", stated && law.coupling != 0, 0.02);
       covers("off the condition", !stated, 0.25);
       const auto moments = dot_moments(law, d, subject);
       holds_exactly(are_as_stated(moments, law, d));
       holds_exactly((moments.variance() == Rational(d)) == stated);
     },
     {"adds_absolute_products", "forgets_the_last_channel", "errs_at_one_entry"}},
    /// s has a rounding of Real and, of double, root and quotient, 2.01 units: s² is off by a
    /// factor within (1 + u)²(1 + 2.01u′)², so by no more than 4.1u of binary64, where alone u′
    /// counts.
    {scaling_gives_unit_variance,
     "with_the_rounded_scale",
     [](const Primitives& subject) {
       const auto d = 1 + every("d_k - 1", 1024);
       domain::for_each_format([&]<class Real>() {
         const auto s = static_cast<double>(subject.of<Real>().scale(8 * d, d));
         const long double off = static_cast<long double>(d) * s * s - 1;
         holds(static_cast<double>(std::abs(off)) / (4.1 * unit_roundoff<Real>));
       });
     },
     {"forgets_the_root", "scales_logits_by_the_model_width", "guards_the_root_by_46_digits",
      "scales_four_units_more"},
     Exhaustive{1024}},
    {scaling_gives_unit_variance,
     "over_keys_it_is_the_length_of_the_query",
     [](const Primitives& subject) {
       const auto d = named("d_k", in_range<std::uint64_t>(1, 5));
       const auto q = named("q", channels(d));
       std::vector<Points> keys;
       for (const auto& x : q) {
         const Rational b = named("b", atoms()), p = 1 / (1 + b * b);
         keys.push_back({{x, -1 / b, 1 - p}, {x, b, p}});
       }
       const auto moments = dot_moments(keys, subject);
       holds_exactly(moments.mean == 0 && moments.second == embedscale::dot<Rational>(q, q));
     },
     {"averages_the_products", "leans_on_the_first_channel"}},
    {scaling_gives_unit_variance,
     "of_one_input_and_of_two",
     [](const Primitives& subject) {
       const auto d = named("d_k", in_range<std::uint64_t>(1, 4));
       const auto x = two_whole_numbers("x");
       const auto y = two_whole_numbers("y");
       const bool shared = named("shared", in_range(0, 2)) != 0;
       const auto projections = shared ? Projections::shared : Projections::separate;
       covers("shared", shared, 0.3);
       covers("separate", !shared, 0.3);
       holds_exactly(projected_square_is_as_stated(x, y, d, projections, subject));
       holds_exactly(projected_square_is_as_stated(x, x, d, projections, subject));
     },
     {"forgets_the_last_channel", "adds_absolute_products"}},
    {unscaled_softmax_saturates,
     "larger_logits_are_sharper",
     [](const Primitives& subject) {
       const auto xi = normals(2, 17);
       const int s = named("8s", in_range(0, 129));
       const int more = named("8(t - s)", in_range(0, 129));
       covers("beyond the change of regime", s / 8.0 > regime_change(xi.size()), 0.3);
       holds(sharper_share_of_bound(xi, s / 8.0, (s + more) / 8.0, subject));
     },
     {"wraps_large_logits", "forgets_the_sign", "keeps_weights_in_bfloat16"}},
    /// At 64 listed deviations, 1/8 to 8, and no others: each takes three integrals.
    {unscaled_softmax_saturates,
     "over_two_keys_as_the_integrals_say",
     [](const Primitives& subject) {
       const double s = static_cast<double>(1 + every("listed: 8s - 1", 64)) / 8;
       holds(two_keys_share_of_bound(s, subject));
     },
     {"sharpens_the_softmax", "adds_one_to_the_sum", "measures_in_bits",
      "keeps_weights_in_binary32", "drops_small_terms", "sharpens_by_36_digits"},
     Exhaustive{64}},
    /// Without the scale the deviation is the root of the variance that the products have, with
    /// which the largest weight rises (sharper_share_of_bound): so it is a half or more from the
    /// listed width on if it is there and is not one channel before.
    {condition_of(unscaled_softmax_saturates),
     "half_is_reached_from_these_widths_on",
     [](const Primitives& subject) {
       const auto point = every("5(d_k - 1) + place of n", 5 * 48);
       const auto& [n, enough] = saturating_widths[point % 5];
       static const bool begins_there = std::ranges::all_of(saturating_widths, [](const auto& of) {
         const auto largest = [&](std::uint64_t d) {
           return expected::largest_weight(std::sqrt(static_cast<double>(d)), of.keys).value;
         };
         return largest(of.width) >= 0.5 && largest(of.width - 1) < 0.5;
       });
       holds_exactly(begins_there);
       const std::vector<double> q(1 + point / 5, 1.0);
       const double variance = variance_over_keys(q, subject);
       holds_exactly(variance == std::floor(variance));
       holds_exactly((variance >= static_cast<double>(enough)) == (q.size() >= enough));
     },
     {"averages_the_products", "forgets_the_last_channel"},
     Exhaustive{5 * 48}},
    {gradients_vanish_unscaled,
     "norm_and_trace_are_sums_of_powers",
     [](const Primitives& subject) {
       const auto n = named("n", in_range<std::uint64_t>(1, 7));
       const auto parts = named("parts", list_of(n, positive_rationals()));
       Rational sum = 0;
       for (const auto& part : parts) sum += part;
       std::vector<Rational> a;
       for (const auto& part : parts) a.push_back(part / sum);
       const auto meant = jacobian_size_by_columns<Rational>(a, subject);
       holds_exactly(jacobian_size<Rational>(a) == meant);
       holds_exactly(jacobian_size_by_powers<Rational>(a) == meant);
     },
     {"forgets_the_mean", "grows_slightly"}},
    {gradients_vanish_unscaled,
     "gradient_is_the_derivative",
     [](const Primitives& subject) {
       const auto xi = normals(1, 4);
       const int s = named("2s", in_range(0, 17));
       const auto g = named("g", channels(xi.size()));
       holds(derivative_share_of_bound(scaled(xi, s / 2.0), rounded(g), subject));
     },
     {"forgets_the_mean", "sharpens_the_softmax", "grows_slightly"}},
    {gradients_vanish_unscaled,
     "vanishes_with_the_gap",
     [](const Primitives& subject) {
       const auto xi = normals(2, 17);
       const int s = named("s", in_range(0, 33));
       covers("beyond the change of regime", s > regime_change(xi.size()), 0.4);
       holds(gap_share_of_bound(scaled(xi, s), subject));
     },
     {"forgets_the_mean", "leaks_straight_through"}},
    /// Of two keys, where ‖J‖ falls as they come apart, the median is that of the median distance.
    {condition_of(gradients_vanish_unscaled),
     "of_two_keys_the_median_vanishes_from_a_width_on",
     [](const Primitives& subject) {
       const double d = 1 + static_cast<double>(every("d_k - 1", 256));
       const double deviation = expected::vanishing_deviation_of_two(0.01);
       const auto norm = [&](double s) { return median_norm_of_two(s, subject); };
       holds_exactly((norm(std::sqrt(d)) <= norm(1) / 100) == (std::sqrt(d) >= deviation));
     },
     {"sharpens_the_softmax", "forgets_the_mean"},
     Exhaustive{256}},
    /// Where the largest weight is at least ¾.
    {gradients_vanish_unscaled,
     "norm_tells_the_largest_logit",
     [](const Primitives& subject) {
       auto xi = normals(2, 17);
       std::ranges::sort(xi, std::greater());
       const int s = named("s", in_range(1, 33));
       const bool leads = 1 - concentration(scaled(xi, s), library<double>).largest <= 0.25;
       covers("one leads", leads, 0.4);
       if (leads) holds(largest_share_of_bound(xi, s, subject));
     },
     {"sharpens_the_softmax", "keeps_weights_in_binary32", "sharpens_by_36_digits"}},
    {key_constant_cancels,
     "differences_of_logits_stay",
     [](const Primitives& subject) {
       const auto d = named("d_k", in_range<std::uint64_t>(1, 5));
       const auto q = named("q", channels(d));
       const auto first = named("k1", channels(d));
       const auto second = named("k2", channels(d));
       const auto c = named("c", channels(d));
       const auto scale = named("scale", positive_rationals());
       holds_exactly(logit_differences_stay(q, first, second, c, scale, subject));
     },
     {"caps_the_logits", "bends_at_zero"}},
    {key_constant_cancels,
     "softmax_sees_differences_alone",
     [](const Primitives& subject) {
       const auto n = named("n", in_range<std::uint64_t>(1, 5));
       const auto z = named("z", channels(n));
       const auto delta = named("delta", rationals());
       covers("delta above 0", delta > 0, 0.3);
       covers("delta below 0", delta < 0, 0.3);
       holds(shift_share_of_bound(rounded(z), static_cast<double>(delta), subject));
     },
     {"adds_one_to_the_sum", "guards_the_sum", "wraps_large_logits"}},
    /// Keys up to 4 in size, and a constant of up to 2^4; multiples of a power of two that each
    /// format has, and whose products double has.
    {key_constant_cancels,
     "in_floats_within_the_bound",
     [](const Primitives& subject) {
       const auto d = named("d_k", in_range<std::uint64_t>(1, 9));
       const auto n = named("n", in_range<std::uint64_t>(2, 5));
       const auto i = named("draw", draws());
       const int exponent = named("log2 |c|", in_range(-4, 5));
       covers("constant above 4", exponent > 2, 0.1);
       const auto at = [&]<class Real>(double step) {
         const auto multiples = [&](std::size_t count, const char* name, double most) {
           return multiples_of(step, count, Stream(i, name), 0, most);
         };
         const auto c = multiples(d, "c", std::ldexp(1.0, exponent));
         const auto keys = multiples(n * d, "keys", 4);
         holds(shifted_keys<Real>(multiples(d, "q", 1), keys, c, subject).share);
       };
       at.template operator()<float>(0x1p-18);
       at.template operator()<binary16>(0x1p-6);
       at.template operator()<bfloat16>(0x1p-4);
     },
     {"adds_one_to_the_sum", "exponentiates_directly", "sums_logits_in_binary16",
      "sums_logits_in_21_digits", "scales_logits_by_the_model_width"}},
    {condition_of(aligned_vectors_need_one_over_d_k),
     "mean_is_rho_d_k",
     [](const Primitives& subject) {
       const auto d = named("d_k", few_channels());
       const auto law = channel_law();
       const auto one = dot_moments(law, 1, subject), all = dot_moments(law, d, subject);
       covers("aligned", law.coupling != 0, 0.4);
       holds_exactly(are_as_stated(all, law, d));
       const bool grows_as_d = all.second == d * one.second;
       holds_exactly(grows_as_d == (d == 1 || moment(law, 1, 1) == 0));
     },
     {"adds_absolute_products", "averages_the_products", "forgets_the_last_channel",
      "leans_on_the_first_channel"}},
    {aligned_vectors_need_one_over_d_k,
     "logit_is_rho_root_d_k",
     [](const Primitives& subject) {
       const auto d = named("d_k", widths_by_size({1, 1024}));
       const auto i = named("signs", draws());
       const auto agree = named("agreeing", draws()) % (d + 1);
       const Stream stream(i, "signs");
       covers("aligned", 2 * agree > d, 0.25);
       covers("against", 2 * agree < d, 0.1);
       const auto at = [&]<class Real>() {
         std::vector<Real> q, k;
         for (std::size_t j = 0; j < d; ++j) {
           q.push_back(Real(sign(stream, j)));
           k.push_back(j < agree ? q[j] : -q[j]);
         }
         holds(aligned_share_of_bound(q, k, subject));
       };
       at.template operator()<float>();
       at.template operator()<double>();
     },
     {"forgets_the_root", "scales_logits_by_the_model_width", "guards_the_root_by_46_digits",
      "scales_four_units_more", "forgets_the_last_channel"}},
};

const Beliefs beliefs{
    /// Entries +1 and −1 that are alike more often than not.
    {scaling_gives_unit_variance, "that_it_always_does",
     [] {
       const auto d = named("d_k", in_range<std::uint64_t>(1, 4));
       const int eighths = named("eighths", in_range(0, 9));
       const ChannelLaw law{1, 1, Rational(eighths) / 32};
       holds_exactly(dot_moments(law, d, Primitives{}).variance() == Rational(d));
     }},
    /// Whatever the number of keys, at a head of 8 channels without the scale.
    {unscaled_softmax_saturates, "that_one_key_has_most_at_every_number_of_keys",
     [] {
       const auto n = named("n", in_range<std::uint64_t>(2, 1025));
       holds_exactly(expected::largest_weight(std::sqrt(8.0), n).value >= 0.5);
     }},
    /// A head of 8 channels without the scale: the norm of the Jacobian is larger than with it, for
    /// some logits.
    {gradients_vanish_unscaled, "that_no_jacobian_grows_with_the_logits",
     [] {
       const auto xi = normals(2, 9);
       holds_exactly(jacobian(xi, std::sqrt(8.0), library<double>).norm <=
                     jacobian(xi, 1.0, library<double>).norm);
     }},
    {key_constant_cancels, "that_it_changes_which_key_is_nearer",
     [] {
       const auto q = named("q", channels(1));
       const auto keys = named("k1, k2", channels(2));
       const auto c = named("c", channels(1));
       holds_exactly(!logit_differences_stay<Rational>(q, {keys[0]}, {keys[1]}, c, Rational(1),
                                                       Primitives{}));
     }},
    /// Perfectly aligned entries +1 and −1, whose mean logit is √d_k.
    {aligned_vectors_need_one_over_d_k, "that_the_logit_is_the_same_at_every_width",
     [] {
       const auto d = named("d_k", in_range<std::uint64_t>(1, 257));
       const std::vector<double> q(d, 1.0);
       holds_exactly(library<double>.logit(q, q, library<double>.scale(d, d)) <= 2.0);
     }},
};

Trials trials() {
  return trials_of(joined(properties, input_properties, value_properties), mutants,
                   joined(beliefs, input_beliefs));
}

}  // namespace embedscale::properties::attention
