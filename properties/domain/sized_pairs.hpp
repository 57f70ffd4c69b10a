#pragma once
// Pairs (e, p) of every size that a format has, zeros and both signs included, for the claims about
// rounding: those of pairs.hpp lie around 1, where the bounds are tight.
#include <embedscale/random.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "floats.hpp"
#include "pairs.hpp"

namespace embedscale::properties::domain {

/// The finite numbers whose rounding errors can be measured in binary64: u·x has to be normal
/// there. In the smaller formats these are all of them.
template <class Real>
constexpr Mixture measurable_floats() {
  constexpr int digits = FormatTraits<Real>::digits;
  constexpr int lowest = Encoding<double>::least + digits + 8;
  Mixture mixture = finite_floats;
  mixture.lowest = std::max(Encoding<Real>::least, lowest);
  if (mixture.lowest > Encoding<Real>::least)
    mixture.weights[static_cast<std::size_t>(FloatKind::subnormal)] = 0;
  return mixture;
}

/// Pair `index`: e of the mixture; p of it in a quarter of the draws, else within digits + 2
/// binades of m·e as far as the mixture goes, so that the sum does not just repeat the larger one.
///
/// Requires  finite members in the mixture, no others.
template <class Real>
Pair<Real> sized_pair(const Stream& stream, std::uint64_t index, const Real& m,
                      const Mixture& mixture) {
  const auto words = stream.block(index, 1);
  const Real e = any_float<Real>(stream, index, mixture);
  const Real p = any_float<Real>(stream, words[0], mixture);
  if (words[1] % 4 == 0 || e == Real(0) || p == Real(0)) return {e, p};
  constexpr int most = FormatTraits<Real>::digits + 2;
  const auto offset = static_cast<int>((words[2] >> 8) % (2 * most + 1)) - most;
  const int exponent = std::ilogb(static_cast<double>(e)) + std::ilogb(static_cast<double>(m));
  const auto wide = static_cast<double>(p);
  const auto near = static_cast<Real>(std::ldexp(wide, exponent + offset - std::ilogb(wide)));
  return {e, contains(mixture, near) ? near : p};
}

}  // namespace embedscale::properties::domain
