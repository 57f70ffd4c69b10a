#pragma once
// The attempts to refute the claims of attention.hpp, for any primitives of Library's shape.
#include <embedscale/random.hpp>

#include <algorithm>
#include <cmath>

#include "../attention_gradient.hpp"
#include "../attention_moments.hpp"
#include "../domain/formats.hpp"
#include "generators/attention.hpp"
#include "property.hpp"

namespace embedscale::properties::testing {

using domain::Rational;

PROPERTY(attention, dot_variance_is_d_k, moments_are_those_of_independent_entries) {
  const auto d = generators::named("d_k", generators::few_channels());
  std::vector<attention::ChannelLaw<Rational>> channels;
  for (std::size_t i = 0; i < d; ++i)
    channels.push_back({generators::named("a", generators::atoms()),
                        generators::named("b", generators::atoms()), Rational(0)});
  covers("more than one channel", d > 1, 0.4);
  holds_exactly(attention::independent_moments_are_as_stated<Rational>(channels, subject));
}

/// For queries of entries +1 and -1, where it is the same for each: sums of squares below 2^53.
PROPERTY(attention, dot_variance_is_d_k, at_any_width) {
  const auto d = generators::named("d_k", generators::widths_by_size({1, 256}));
  const auto i = generators::named("query", generators::draws());
  const Stream stream(i, "signs");
  std::vector<double> q;
  for (std::size_t j = 0; j < d; ++j) q.push_back((stream.bits(j) & 1) != 0 ? 1 : -1);
  covers("wider than 32", d > 32, 0.1);
  holds_exactly(attention::variance_over_keys(q, subject) == static_cast<double>(d));
}

PROPERTY(attention, scaling_gives_unit_variance, exactly_if_the_products_square_so) {
  const auto d = generators::named("d_k", generators::few_channels());
  const auto law = generators::channel_law();
  const bool stated = attention::products_square_as_if_independent(law);
  covers("independent", law.coupling == 0, 0.1);
  covers("correlated, on the condition", stated && law.coupling != 0, 0.02);
  covers("off the condition", !stated, 0.25);
  const auto moments = attention::dot_moments(law, d, subject);
  holds_exactly(attention::are_as_stated(moments, law, d));
  holds_exactly((moments.variance() == Rational(static_cast<int>(d))) == stated);
}

PROPERTY(attention, scaling_gives_unit_variance, with_the_rounded_scale) {
  const auto d = generators::named("d_k", generators::in_range<std::size_t>(1, 6));
  const int a = generators::named("log2 a", generators::in_range(-1, 2));
  const int b = generators::named("log2 b", generators::in_range(-1, 2));
  domain::for_each_format([&]<class Real>() {
    holds(attention::unit_variance_share_of_bound<Real>(std::ldexp(1.0, a), std::ldexp(1.0, b), d,
                                                        subject));
  });
}

PROPERTY(attention, scaling_gives_unit_variance, over_keys_it_is_the_length_of_the_query) {
  const auto d = generators::named("d_k", generators::in_range<std::size_t>(1, 5));
  const auto q = generators::named("q", generators::channels(d));
  std::vector<Rational> b;
  for (std::size_t i = 0; i < d; ++i) b.push_back(generators::named("b", generators::atoms()));
  holds_exactly(attention::variance_over_keys_is_the_length(q, b, subject));
}

PROPERTY(attention, scaling_gives_unit_variance, of_one_input_and_of_two) {
  using attention::Projections;
  const auto d = generators::named("d_k", generators::in_range<std::size_t>(1, 4));
  const auto x = generators::named("x", generators::integer_pair());
  const auto y = generators::named("y", generators::integer_pair());
  const bool shared = generators::named("shared", generators::in_range(0, 2)) != 0;
  const auto projections = shared ? Projections::shared : Projections::separate;
  covers("shared", shared, 0.3);
  covers("separate", !shared, 0.3);
  holds_exactly(attention::projected_square_is_as_stated(x, y, d, projections, subject));
  holds_exactly(attention::projected_square_is_as_stated(x, x, d, projections, subject));
}

PROPERTY(attention, unscaled_softmax_saturates, larger_logits_are_sharper) {
  const auto n = generators::named("n", generators::in_range<std::size_t>(2, 17));
  const auto i = generators::named("logits", generators::draws());
  const int s = generators::named("8s", generators::in_range(0, 129));
  const int more = generators::named("8(t - s)", generators::in_range(0, 129));
  const auto xi = generators::normals(n, i);
  covers("beyond the change of regime", s * s > 128.0 * std::log(static_cast<double>(n)), 0.3);
  holds(attention::sharper_share_of_bound(xi, s / 8.0, (s + more) / 8.0, subject));
}

/// The deviations of the integrals are whole eighths, each integrated once.
PROPERTY(attention, unscaled_softmax_saturates, over_two_keys_as_the_integrals_say) {
  const auto eighths = generators::named("8s", generators::in_range<std::size_t>(1, 65));
  static std::vector<attention::TwoKeys> integrals;
  while (integrals.size() < eighths)
    integrals.emplace_back(static_cast<double>(integrals.size() + 1) / 8);
  holds(attention::two_keys_share_of_bound(integrals[eighths - 1], subject));
}

PROPERTY(attention, gradients_vanish_unscaled, norm_and_trace_are_sums_of_powers) {
  const auto n = generators::named("n", generators::in_range<std::size_t>(1, 7));
  const auto parts = generators::named(
      "parts", rc::gen::container<std::vector<Rational>>(n, generators::positive_rationals()));
  Rational sum = 0;
  for (const auto& part : parts) sum += part;
  std::vector<Rational> a;
  for (const auto& part : parts) a.push_back(part / sum);
  holds_exactly(attention::sizes_agree(std::span<const Rational>(a), subject));
}

PROPERTY(attention, gradients_vanish_unscaled, gradient_is_the_derivative) {
  const auto n = generators::named("n", generators::in_range<std::size_t>(1, 4));
  const auto i = generators::named("logits", generators::draws());
  const int s = generators::named("2s", generators::in_range(0, 17));
  const auto g = generators::named("g", generators::channels(n));
  std::vector<double> upstream;
  for (const auto& x : g) upstream.push_back(static_cast<double>(x));
  holds(attention::derivative_share_of_bound(attention::scaled(generators::normals(n, i), s / 2.0),
                                             upstream, subject));
}

PROPERTY(attention, gradients_vanish_unscaled, vanishes_with_the_gap) {
  const auto n = generators::named("n", generators::in_range<std::size_t>(2, 17));
  const auto i = generators::named("logits", generators::draws());
  const int s = generators::named("s", generators::in_range(0, 33));
  covers("beyond the change of regime", s * s > 2 * std::log(static_cast<double>(n)), 0.4);
  holds(attention::gap_share_of_bound(attention::scaled(generators::normals(n, i), s), subject));
}

PROPERTY(attention, key_constant_cancels, differences_of_logits_stay) {
  const auto d = generators::named("d_k", generators::in_range<std::size_t>(1, 5));
  const auto q = generators::named("q", generators::channels(d));
  const auto first = generators::named("k1", generators::channels(d));
  const auto second = generators::named("k2", generators::channels(d));
  const auto c = generators::named("c", generators::channels(d));
  const auto scale = generators::named("scale", generators::positive_rationals());
  holds_exactly(attention::logit_differences_stay(q, first, second, c, scale, subject));
}

PROPERTY(attention, key_constant_cancels, softmax_sees_differences_alone) {
  const auto n = generators::named("n", generators::in_range<std::size_t>(1, 5));
  const auto z = generators::named("z", generators::channels(n));
  const auto delta = generators::named("delta", generators::rationals());
  std::vector<double> logits;
  for (const auto& x : z) logits.push_back(static_cast<double>(x));
  covers("delta above 0", delta > 0, 0.3);
  covers("delta below 0", delta < 0, 0.3);
  holds(attention::shift_share_of_bound(logits, static_cast<double>(delta), subject));
}

/// Keys up to 4 in size, and a constant of up to 2^4; multiples of a power of two that each format
/// has, and whose products double has.
PROPERTY(attention, key_constant_cancels, in_floats_within_the_bound) {
  const auto d = generators::named("d_k", generators::in_range<std::size_t>(1, 9));
  const auto n = generators::named("n", generators::in_range<std::size_t>(2, 5));
  const auto i = generators::named("draw", generators::draws());
  const int exponent = generators::named("log2 |c|", generators::in_range(-4, 5));
  covers("constant above 4", exponent > 2, 0.1);
  const auto at = [&]<class Real>(double step) {
    const auto multiples = [&](std::size_t count, const char* name, double most) {
      return generators::multiples_of(step, count, Stream(i, name), most);
    };
    const auto c = multiples(d, "c", std::ldexp(1.0, exponent));
    const auto keys = multiples(n * d, "keys", 4);
    holds(attention::shifted_keys<Real>(multiples(d, "q", 1), keys, c, subject).share);
  };
  at.template operator()<float>(0x1p-18);
  at.template operator()<binary16>(0x1p-6);
  at.template operator()<bfloat16>(0x1p-4);
}

PROPERTY(attention, aligned_vectors_need_one_over_d_k, mean_is_rho_d_k) {
  const auto d = generators::named("d_k", generators::few_channels());
  const auto law = generators::channel_law();
  covers("aligned", law.coupling != 0, 0.4);
  holds_exactly(attention::are_as_stated(attention::dot_moments(law, d, subject), law, d));
}

PROPERTY(attention, aligned_vectors_need_one_over_d_k, logit_is_rho_root_d_k) {
  const auto d = generators::named("d_k", generators::widths_by_size({1, 1024}));
  const auto i = generators::named("signs", generators::draws());
  const auto agree = generators::named("agreeing", generators::draws()) % (d + 1);
  const Stream stream(i, "signs");
  covers("aligned", 2 * agree > d, 0.25);
  covers("against", 2 * agree < d, 0.1);
  const auto at = [&]<class Real>() {
    std::vector<Real> q, k;
    for (std::size_t j = 0; j < d; ++j) {
      q.push_back((stream.bits(j) & 1) != 0 ? Real(1) : Real(-1));
      k.push_back(j < agree ? q[j] : -q[j]);
    }
    holds(attention::aligned_share_of_bound(q, k, subject));
  };
  at.template operator()<float>();
  at.template operator()<double>();
}

}  // namespace embedscale::properties::testing
