#pragma once
// Generators of floating-point numbers, of neighbours among them, and of sums that nearly cancel.
// All ignore RapidCheck's size: the first case is drawn from the whole domain like the last.
#include <rapidcheck.h>

#include <cstdint>
#include <ostream>
#include <utility>
#include <vector>

#include "../../domain/floats.hpp"
#include "../../domain/neighbours.hpp"
#include "../exact_text.hpp"
#include "drawn.hpp"
#include "simpler_floats.hpp"

namespace embedscale::properties::testing::generators {

/// Members of the mixture; simplified as simpler_floats says: to 0, 1, small whole numbers, few
/// significant bits, small exponents, in this order, and to + before −.
template <class Real>
rc::Gen<Real> floats(const domain::Mixture& mixture = domain::every_float) {
  return drawn_from(
      [mixture](const Stream& stream, std::uint64_t index) {
        return domain::any_float<Real>(stream, index, mixture);
      },
      [mixture](const Real& x) { return simpler_floats(x, mixture); });
}

/// Steps to try in the place of k, on the way to `least` in size, + before −.
inline std::vector<std::int64_t> simpler_steps(std::int64_t k, std::int64_t least) {
  const std::int64_t size = k < 0 ? -k : k;
  std::vector<std::int64_t> steps;
  for (std::int64_t step = size - least; step > 0; step /= 2)
    for (const std::int64_t to : {size - step, step - size})
      if (to != 0 || steps.empty()) steps.push_back(to);
  if (k < 0) steps.push_back(size);
  return steps;
}

/// Pairs of finite members; x is simplified first, then k, to 1.
///
/// Requires  finite members in the mixture, no others.
template <class Real>
rc::Gen<domain::Neighbours<Real>> neighbours(const domain::Mixture& mixture = domain::finite_floats,
                                             std::int64_t most = domain::most_ulps) {
  using Pair = domain::Neighbours<Real>;
  return drawn_from(
      [=](const Stream& stream, std::uint64_t index) {
        return domain::neighbours<Real>(stream, index, mixture, most);
      },
      [=](const Pair& pair) {
        std::vector<Pair> simpler;
        const auto add = [&](const Pair& to) {
          if (domain::are_neighbours(to, mixture, most)) simpler.push_back(to);
        };
        for (const Real& x : simpler_floats(pair.x, mixture)) add({x, pair.k});
        for (const std::int64_t k : simpler_steps(pair.k, 1)) add({pair.x, k});
        return simpler;
      });
}

/// Tokens and positions with m·e ≈ −p; e is simplified first, then k, to 0.
///
/// Requires  1 <= m, finite, with room for tokens: see domain::cancelling_tokens.
template <class Real>
rc::Gen<domain::Cancelling<Real>> cancelling(const Real& m) {
  using Pair = domain::Cancelling<Real>;
  return drawn_from(
      [m](const Stream& stream, std::uint64_t index) {
        return domain::cancelling(stream, index, m);
      },
      [](const Pair& pair) {
        std::vector<Pair> simpler;
        for (const Real& e : simpler_floats(pair.e, domain::cancelling_tokens(pair.m)))
          simpler.push_back({e, pair.m, pair.k});
        for (const std::int64_t k : simpler_steps(pair.k, 0))
          simpler.push_back({pair.e, pair.m, k});
        return simpler;
      });
}

}  // namespace embedscale::properties::testing::generators

namespace embedscale::properties::domain {

/// "1 (0x1p+0) + 3 ulp".
template <class Real>
std::ostream& operator<<(std::ostream& out, const Neighbours<Real>& pair) {
  return out << testing::exact_text(pair.x) << (pair.k < 0 ? " - " : " + ") << std::abs(pair.k)
             << " ulp";
}

/// "e = 1 (0x1p+0), p = -(m e + 2 ulp)".
template <class Real>
std::ostream& operator<<(std::ostream& out, const Cancelling<Real>& pair) {
  return out << "e = " << testing::exact_text(pair.e) << ", p = -(m e"
             << (pair.k < 0 ? " - " : " + ") << std::abs(pair.k) << " ulp)";
}

}  // namespace embedscale::properties::domain
