#pragma once
// From a miss rate to the smallest effect: bisection on a power function. And what of a kind of
// check follows from that.
#include <cstdint>
#include <functional>

#include "check.hpp"

namespace embedscale::properties::evidence {

/// The smallest effect with miss(effect) <= beta, from above and to within 1e-9 of itself; infinity
/// where even `most` is missed more often.
///
/// Requires  that what is missed at most that often at one effect is so at every larger one.
/// Ensures   miss(result) <= beta: an error of the bisection is on the safe side.
double smallest_effect_by(const std::function<double(double)>& miss, double beta, double most);

/// n as a number of the laws.
inline double real(std::uint64_t n) { return static_cast<double>(n); }

/// What a kind inherits: its draws.
struct Counted {
  template <class Data>
  static std::uint64_t draws(const Data& data) {
    if constexpr (requires { data.sample; })
      return data.sample.n;
    else
      return data.n;
  }
};

/// The rest of a kind that states its power function miss(n, δ, α) = P(accept) at an effect δ, and
/// largest_effect(), beyond which no effect is looked for. `of`: what else both depend on.
template <class Kind>
struct ByMiss : Counted {
  static double smallest_effect(std::uint64_t n, Rates rates, auto... of) {
    return smallest_effect_by([&](double e) { return Kind::miss(n, e, rates.alpha, of...); },
                              rates.beta, Kind::largest_effect(of...));
  }
};

}  // namespace embedscale::properties::evidence
