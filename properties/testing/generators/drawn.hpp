#pragma once
// RapidCheck generators of what the domains draw from a stream.
#include <embedscale/random.hpp>

#include <rapidcheck.h>

#include <cstdint>
#include <vector>

namespace embedscale::properties::testing::generators {

/// A generator of draw(stream, index), at an index that RapidCheck chooses; `simpler(x)` is a
/// vector of what a failing x may be simplified to, the simplest first, all simpler than x.
///
/// Ensures   RapidCheck's size is ignored: the first case is drawn from the whole domain, like all.
template <class Draw, class Simpler>
auto drawn_from(Draw draw, Simpler simpler) {
  using Value = decltype(draw(Stream(0, ""), std::uint64_t{0}));
  return rc::Gen<Value>([=](rc::Random random, int) {
    return rc::shrinkable::shrinkRecur(
        draw(Stream(0, "generator"), random.next()),
        [simpler](const Value& x) { return rc::seq::fromContainer(simpler(x)); });
  });
}

}  // namespace embedscale::properties::testing::generators
