#pragma once
// A generator of pairs (e, p) of every size.
#include <rapidcheck.h>

#include <cstdint>
#include <ostream>
#include <vector>

#include "../../domain/sized_pairs.hpp"
#include "../exact_text.hpp"
#include "drawn.hpp"
#include "simpler_floats.hpp"

namespace embedscale::properties::domain {

/// "(1 (0x1p+0), -3 (-0x1.8p+1))".
template <class Real>
std::ostream& operator<<(std::ostream& out, const Pair<Real>& pair) {
  return out << "(" << testing::exact_text(pair.e) << ", " << testing::exact_text(pair.p) << ")";
}

}  // namespace embedscale::properties::domain

namespace embedscale::properties::testing::generators {

/// Pairs of members, as domain::sized_pair draws them; e is simplified first, then p, each as
/// floats() are.
template <class Real>
rc::Gen<domain::Pair<Real>> sized_pairs(
    const Real& m, const domain::Mixture& mixture = domain::measurable_floats<Real>()) {
  using Pair = domain::Pair<Real>;
  return drawn_from(
      [=](const Stream& stream, std::uint64_t index) {
        return domain::sized_pair(stream, index, m, mixture);
      },
      [=](const Pair& pair) {
        std::vector<Pair> simpler;
        for (const Real& e : simpler_floats(pair.e, mixture)) simpler.push_back({e, pair.p});
        for (const Real& p : simpler_floats(pair.p, mixture)) simpler.push_back({pair.e, p});
        return simpler;
      });
}

}  // namespace embedscale::properties::testing::generators
