// The attempts to refute the facts about primitives, with what each has to reject: a decision where
// the fact is exact, else the share of a derived bound that an error takes, against long double or
// 50 digits.
#include <embedscale/format.hpp>
#include <embedscale/random.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <variant>
#include <vector>

#include "../conventions/draws.hpp"
#include "../conventions/frequencies.hpp"
#include "../domain/formats.hpp"
#include "../domain/rationals.hpp"
#include "../evidence/rounding.hpp"
#include "../testing/rows.hpp"
#include "claims.hpp"
#include "trials.hpp"

namespace embedscale::properties::primitives {

using namespace testing;

namespace {

/// Whether m is nearest to √d: √d is between the midpoints to both neighbours, squared exactly.
template <AnalyticScalar Real>
bool is_nearest_to_the_root(std::uint64_t d, const PrimitivesIn<Real>& primitives) {
  const auto m = static_cast<double>(primitives.multiplier(d));
  if (!(m > 0.0 && std::isfinite(m))) return false;
  const double above = half_ulp<Real>(m), below = is_power_of_two(m) ? above / 2.0 : above;
  const domain::Rational low = domain::Rational(m) - domain::Rational(below),
                         high = domain::Rational(m) + domain::Rational(above);
  const domain::Rational square(d);
  return low * low <= square && square <= high * high;
}

/// Whether every channel is fl(m·e): the product is exact in 50 digits, and a double where the
/// format is narrower, so that it is rounded once.
template <AnalyticScalar Real>
bool rounds_once(const EmbeddingTable<Real>& table, std::size_t token,
                 const PrimitivesIn<Real>& primitives) {
  std::vector<Real> out(table.width());
  primitives.embed(table, token, std::span<Real>(out));
  const Wide m = wide(root_multiplier<Real>(table.width()));
  const auto e = table.row(token);
  for (std::size_t j = 0; j < e.size(); ++j)
    if (!(out[j] == static_cast<Real>(static_cast<double>(m * wide(e[j]))))) return false;
  return true;
}

/// The largest |channel − sin or cos(p·w)| as a share of its bound. With L = −ln w, a frequency has
/// (L + 2)u as in frequencies_share_of_bound and the angle u more, and bfloat16, which does not
/// have 10^4, u of the base: it is off by p·w·x/(1 − x), x = (L + 4)u, 0 at w = 1; sine and cosine
/// have an ulp, 2u at most. The definition has the same of long double, with 4L + 3, and higher
/// orders below one part in 2^8.
///
/// Requires  0 <= p <= 2^24, and p in Real.
template <AnalyticScalar Real>
double channels_share_of_bound(std::int64_t p, std::size_t d, FrequencyRule rule,
                               SinusoidalLayout layout, const PrimitivesIn<Real>& primitives) {
  std::vector<Real> out(d);
  primitives.encode(p, d, rule, layout, std::span<Real>(out));
  const bool interleaved = layout == SinusoidalLayout::interleaved;
  double worst = 0;
  const auto frequencies = conventions::stated_frequencies(d, rule);
  for (std::size_t i = 0; i < d / 2; ++i) {
    const long double w = frequencies[i];
    const long double angle = static_cast<long double>(p) * w;
    const double turned = i == 0 ? 0.0 : static_cast<double>(angle);
    const double lost = -std::log(static_cast<double>(w));
    const double x = (lost + (std::is_same_v<Real, bfloat16> ? 4.0 : 3.0)) * unit_roundoff<Real>;
    const double bound =
        (turned * (x / (1.0 - x) + (4.0 * lost + 3.0) * conventions::wide_roundoff) +
         2.0 * unit_roundoff<Real>)*(1.0 + 0x1p-8);
    const auto compare = [&](const Real& x, long double exact) {
      const double share =
          static_cast<double>(std::abs(static_cast<long double>(static_cast<double>(x)) - exact)) /
          bound;
      worst = std::isnan(share) ? HUGE_VAL : std::max(worst, share);
    };
    compare(out[interleaved ? 2 * i : i], std::sin(angle));
    compare(out[interleaved ? 2 * i + 1 : d / 2 + i], std::cos(angle));
  }
  return worst;
}

/// Draw `index` of a law from its definition, in long double.
long double exact_draw(const Initializer& law, const Stream& stream, std::uint64_t index) {
  const auto normal = [&] { return static_cast<long double>(stream.normal(index)); };
  const auto uniform = [&] {
    return 2.0L * static_cast<long double>(stream.uniform(index)) - 1.0L;
  };
  const auto of_fans = [](long double over, const auto& l) {
    return std::sqrt(over / static_cast<long double>(l.vocabulary + l.d_model));
  };
  if (const auto* l = std::get_if<Normal>(&law)) return l->standard_deviation * normal();
  if (const auto* l = std::get_if<Uniform>(&law)) return l->half_range * uniform();
  if (const auto* l = std::get_if<XavierUniform>(&law)) return of_fans(6.0L, *l) * uniform();
  if (const auto* l = std::get_if<XavierNormal>(&law)) return of_fans(2.0L, *l) * normal();
  std::uint64_t attempt = 0;
  while (std::abs(stream.normal(index, attempt)) > 2.0) ++attempt;
  return std::get<TruncatedNormal>(law).standard_deviation *
         static_cast<long double>(stream.normal(index, attempt));
}

/// The larger error of a token's and a position's draw, as a share of 2.5u of it: the quotient's u
/// is halved by the root, which has u of its own, and so has the product. Higher orders and long
/// double are below one part in 2^8.
double draws_share_of_bound(const Initializer& of_tokens, const Initializer& of_positions,
                            const Stream& stream, std::uint64_t index,
                            const Primitives& primitives) {
  const auto [token, position] = primitives.draw(of_tokens, of_positions, stream, index);
  const auto share = [&](double x, const Initializer& law) {
    const long double exact = exact_draw(law, stream, index);
    if (exact == 0.0L) return x == 0.0 ? 0.0 : HUGE_VAL;
    const auto off = static_cast<double>(std::abs(static_cast<long double>(x) / exact - 1.0L));
    return off / (2.5 * unit_roundoff<double> * (1.0 + 0x1p-8));
  };
  return std::max(share(token, of_tokens), share(position, of_positions));
}

/// |scale·√d_k − 1| as a share of its bound: root and quotient in double, 2.01u′ with the terms in
/// u′², then one rounding to Real.
template <AnalyticScalar Real>
double scale_share_of_bound(std::size_t d_k, std::size_t heads,
                            const PrimitivesIn<Real>& primitives) {
  const auto scale = static_cast<double>(primitives.scale(d_k * heads, heads));
  const long double product = scale * std::sqrt(static_cast<long double>(d_k));
  const double in_double = 2.01 * unit_roundoff<double>;
  return static_cast<double>(std::abs(product - 1.0L)) /
         (in_double + unit_roundoff<Real> * (1.0 + in_double));
}

}  // namespace

const Properties<Primitives> properties{

    {multiplier_is_the_rounded_root,
     "in_each_format",
     [](const Primitives& subject) {
       const auto d = named("d", widths({1, std::uint64_t{1} << 20}));
       domain::for_each_format(
           [&]<class Real>() { holds_exactly(is_nearest_to_the_root<Real>(d, subject)); });
     },
     {"forgets_the_root", "multiplies_by_one_percent_more", "keeps_the_root_in_bfloat16",
      "cuts_the_root_off"}},

    /// Entries of 2^−16 to 2^16: the largest overflow binary16 when they are multiplied.
    {look_up_rounds_once,
     "in_each_format",
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
       domain::for_each_format(look_up);
     },
     {"embeds_without_multiplier", "scales_down_in_binary16", "embeds_by_the_unrounded_root",
      "saturates"}},

    {positions_are_sines_and_cosines,
     "at_any_width_and_position",
     [](const Primitives& subject) {
       const auto at = conventions::start_of_each_kind(64);
       domain::for_each_format([&]<class Real>() {
         const auto p = at.position % (std::int64_t{1} << std::min(FormatTraits<Real>::digits, 24));
         holds(channels_share_of_bound<Real>(p, at.d, at.rule, at.layout, subject));
       });
     },
     {"divides_positions_by_the_root", "slices_the_other_way", "computes_positions_in_binary16",
      "raises_the_base_in_bfloat16", "rounds_inverse_frequencies", "adds_two_roundings"}},

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
      "scales_logits_by_one_percent_more", "scales_slightly_more"}},

};

Trials trials() { return trials_of(properties, mutants); }

}  // namespace embedscale::properties::primitives
