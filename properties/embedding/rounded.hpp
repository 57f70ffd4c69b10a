#pragma once
// Measures of what the library's multipliers, look-ups and draws are: the nearest numbers of a
// format, and a draw of its law's definition.
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <variant>
#include <vector>

#include "../evidence/rounding.hpp"
#include "../primitives/values.hpp"
#include "primitives.hpp"

namespace embedscale::properties::embedding {

/// Whether m is nearest to √d: √d is between the midpoints to both neighbours, squared exactly.
template <AnalyticScalar Real>
bool is_nearest_to_the_root(std::uint64_t d, const PrimitivesIn<Real>& primitives) {
  const auto m = static_cast<double>(primitives.root(d));
  if (!(m > 0.0 && std::isfinite(m))) return false;
  const double above = half_ulp<Real>(m), below = is_power_of_two(m) ? above / 2.0 : above;
  const Rational low = Rational(m) - Rational(below), high = Rational(m) + Rational(above);
  const Rational square(d);
  return low * low <= square && square <= high * high;
}

/// Whether every channel is fl(m·e): the product is exact in 50 digits, and a double where the
/// format is narrower, so that it is rounded once.
template <AnalyticScalar Real>
bool rounds_once(const EmbeddingTable<Real>& table, std::size_t token,
                 const PrimitivesIn<Real>& primitives) {
  const auto m = root_multiplier<Real>(table.width());
  std::vector<Real> out(table.width());
  primitives.look_up(table, token, m, std::span<Real>(out));
  const auto e = table.row(token);
  for (std::size_t j = 0; j < e.size(); ++j) {
    const auto exact = static_cast<double>(primitives::wide(m) * primitives::wide(e[j]));
    if (!(out[j] == static_cast<Real>(exact))) return false;
  }
  return true;
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
  const auto [token, position] = primitives.draw_both(of_tokens, of_positions, stream, index);
  const auto share = [&](double x, const Initializer& law) {
    const long double exact = exact_draw(law, stream, index);
    if (exact == 0.0L) return x == 0.0 ? 0.0 : HUGE_VAL;
    const auto off = static_cast<double>(std::abs(static_cast<long double>(x) / exact - 1.0L));
    return off / (2.5 * unit_roundoff<double> * (1.0 + 0x1p-8));
  };
  return std::max(share(token, of_tokens), share(position, of_positions));
}

}  // namespace embedscale::properties::embedding
