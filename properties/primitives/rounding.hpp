#pragma once
// The measures of the primitives' facts: a decision where the fact is exact, else the share of a
// derived bound that an error takes, against long double.
#include <embedscale/format.hpp>

#include <algorithm>
#include <cmath>
#include <type_traits>
#include <variant>

#include "../conventions/frequencies.hpp"
#include "../domain/rationals.hpp"
#include "../evidence/rounding.hpp"
#include "primitives.hpp"

namespace embedscale::properties::primitives {

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

/// Whether every channel is fl(m·e). Both have at most 24 digits, so that double has the product
/// exactly.
template <AnalyticScalar Real>
bool rounds_once(const EmbeddingTable<Real>& table, std::size_t token,
                 const PrimitivesIn<Real>& primitives) {
  static_assert(FormatTraits<Real>::digits <= 24);
  std::vector<Real> out(table.width());
  primitives.embed(table, token, std::span<Real>(out));
  const auto m = static_cast<double>(root_multiplier<Real>(table.width()));
  const auto e = table.row(token);
  for (std::size_t j = 0; j < e.size(); ++j)
    if (!(out[j] == static_cast<Real>(m * static_cast<double>(e[j])))) return false;
  return true;
}

/// The largest |channel − sin or cos(p·w)| as a share of its bound. With L = −ln w, a frequency has
/// (L + 2)u as in frequencies_share_of_bound and the angle u more, so that it is off by
/// p·w·(L + 3)u, 0 at w = 1; sine and cosine have an ulp, 2u at most. The definition has the same
/// of long double, with 4L + 3. Higher orders are below one part in 2^8.
///
/// Requires  0 <= p <= 2^24.
template <AnalyticScalar Real>
double channels_share_of_bound(std::int64_t p, std::size_t d, FrequencyRule rule,
                               SinusoidalLayout layout, const PrimitivesIn<Real>& primitives) {
  std::vector<Real> out(d);
  primitives.encode(p, d, rule, layout, std::span<Real>(out));
  const bool interleaved = layout == SinusoidalLayout::interleaved;
  double worst = 0;
  for (std::size_t i = 0; i < d / 2; ++i) {
    const long double w = properties::conventions::frequency(i, d, rule, 10000.0L);
    const long double angle = static_cast<long double>(p) * w;
    const double turned = i == 0 ? 0.0 : static_cast<double>(angle);
    const double lost = -std::log(static_cast<double>(w));
    const double bound = (turned * ((lost + 3.0) * unit_roundoff<Real> +
                                    (4.0 * lost + 3.0) * properties::conventions::wide_roundoff) +
                          2.0 * unit_roundoff<Real>)*(1.0 + 0x1p-8);
    const auto compare = [&](const Real& x, long double exact) {
      const double share =
          static_cast<double>(std::abs(static_cast<long double>(x) - exact)) / bound;
      worst = std::isnan(share) ? HUGE_VAL : std::max(worst, share);
    };
    compare(out[interleaved ? 2 * i : i], std::sin(angle));
    compare(out[interleaved ? 2 * i + 1 : d / 2 + i], std::cos(angle));
  }
  return worst;
}

/// Draw `index` of a law from its definition, in long double.
inline long double exact_draw(const Initializer& law, const Stream& stream, std::uint64_t index) {
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
inline double draws_share_of_bound(const Initializer& of_tokens, const Initializer& of_positions,
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

/// |logit − scale·Σqk| as a share of γ_{n+1}·|scale|·Σ|qk|: n products, n − 1 sums, the scale. In
/// binary32, whose products double has exactly.
///
/// Requires  products in the normal range, not all 0.
inline double logit_share_of_bound(std::span<const float> q, std::span<const float> k, float scale,
                                   const Primitives& primitives) {
  long double exact = 0, sizes = 0;
  for (std::size_t i = 0; i < q.size(); ++i) {
    const double product = static_cast<double>(q[i]) * static_cast<double>(k[i]);
    exact += product, sizes += std::abs(product);
  }
  const double roundings = static_cast<double>(q.size() + 1) * unit_roundoff<float>;
  const long double bound = roundings / (1.0 - roundings) * std::abs(scale) * sizes;
  const long double z = primitives.of<float>().logit(q, k, scale);
  return static_cast<double>(std::abs(z - scale * exact) / bound);
}

}  // namespace embedscale::properties::primitives
