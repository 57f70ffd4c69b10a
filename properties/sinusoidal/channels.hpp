#pragma once
// A measure of each channel of a position's vector, against its definition in long double.
#include <embedscale/format.hpp>

#include <algorithm>
#include <cmath>
#include <type_traits>

#include "../conventions/frequencies.hpp"
#include "one_position.hpp"

namespace embedscale::properties::sinusoidal {

/// The largest |channel − sin or cos(p·w)| as a share of its bound. With L = −ln w, a frequency has
/// (L + 2)u as in frequencies_share_of_bound and the angle u more, and bfloat16, which does not
/// have 10^4, u of the base: it is off by p·w·x/(1 − x), x = (L + 4)u, 0 at w = 1; sine and cosine
/// have an ulp, 2u at most. The definition has the same of long double, with 4L + 3, and higher
/// orders below one part in 2^8.
///
/// Requires  0 <= p <= 2^24, and p in Real.
template <AnalyticScalar Real>
double channels_share_of_bound(const Place& at, const PrimitivesIn<Real>& primitives) {
  const auto out = encoded<Real>(at, primitives);
  double worst = 0;
  const auto frequencies = conventions::stated_frequencies(at.d, at.rule);
  for (std::size_t i = 0; i < at.d / 2; ++i) {
    const long double w = frequencies[i];
    const long double angle = static_cast<long double>(at.position) * w;
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
    const auto [sine, cosine] = channels_of(i, at.d, at.layout);
    compare(out[sine], std::sin(angle));
    compare(out[cosine], std::cos(angle));
  }
  return worst;
}

}  // namespace embedscale::properties::sinusoidal
