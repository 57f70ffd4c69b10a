#pragma once
// Further attempts to refute rounds_identically and down_makes_positions_too_faint: at every size
// that a format has, zeros and subnormal numbers included, and where the sum nearly cancels. The
// properties of combination.hpp stay near 1, where the bounds are tight.
#include <embedscale/embedding.hpp>

#include <string>

#include "../combination_rounding.hpp"
#include "../domain/formats.hpp"
#include "generators/floats.hpp"
#include "generators/integers.hpp"
#include "generators/numbers.hpp"
#include "generators/pairs.hpp"
#include "property.hpp"

namespace embedscale::properties::testing {

/// "e, p in binary16".
template <class Real>
std::string in_format(const std::string& what) {
  return what + " in " + FormatTraits<Real>::name;
}

/// A pair that leaves the range is outside of the claim, and judges nothing.
PROPERTY(combination, rounds_identically, at_every_size_when_the_root_is_a_power_of_two) {
  const int k = generators::named("k", generators::in_range(0, 8));  // d = 4^k
  domain::for_each_format([&]<class Real>() {
    const Real m = root_multiplier<Real>(std::uint64_t{1} << (2 * k));
    const auto [e, p] = generators::named(in_format<Real>("e, p"),
                                          generators::sized_pairs(m, domain::finite_floats));
    using combination::Division;
    const bool inside = combination::stays_in_range(e, p, m, Division::by_m);
    covers(in_format<Real>("in range"), inside, 0.4);
    covers(in_format<Real>("a zero"), inside && (e == Real(0) || p == Real(0)), 0.05);
    if (!inside) return;
    holds_exactly(combination::two_ways(e, p, m, Division::by_m, subject).agree());
    holds_exactly(combination::two_ways(e, p, m, Division::by_reciprocal, subject).agree());
  });
}

PROPERTY(combination, rounds_identically, at_every_size_else_within_eight_u_or_nine) {
  const auto d = generators::named("d", generators::widths_by_size({1, 16384}));
  domain::for_each_format([&]<class Real>() {
    const Real m = root_multiplier<Real>(d);
    const auto [e, p] = generators::named(in_format<Real>("e, p"), generators::sized_pairs(m));
    using combination::Division;
    for (const auto division : {Division::by_m, Division::by_reciprocal}) {
      const bool inside = combination::stays_in_range(e, p, m, division);
      covers(in_format<Real>("in range"), inside, 0.4);
      if (inside) holds(combination::share_of_bound(e, p, m, division, subject));
    }
  });
}

/// What is left of these sums is a few ulps of their terms, all of it from rounding.
PROPERTY(combination, rounds_identically, where_the_sum_nearly_cancels) {
  const auto d = generators::named("d", generators::widths_by_size({1, 16384}));
  domain::for_each_format([&]<class Real>() {
    const Real m = root_multiplier<Real>(d);
    const auto pair = generators::named(in_format<Real>("pair"), generators::cancelling(m));
    const Real e = pair.e, p = pair.p();
    using combination::Division;
    covers("an exact power of two", is_power_of_two(static_cast<double>(m)), 0.05);
    for (const auto division : {Division::by_m, Division::by_reciprocal}) {
      holds_exactly(combination::stays_in_range(e, p, m, division));
      holds(combination::share_of_bound(e, p, m, division, subject));
      if (is_power_of_two(static_cast<double>(m)))
        holds_exactly(combination::two_ways(e, p, m, division, subject).agree());
    }
  });
}

/// Any token and any position that the width makes too faint, of either sign.
PROPERTY(combination, down_makes_positions_too_faint, underflow_is_below_half_an_ulp_of_any_sum) {
  const auto d = generators::named("d", generators::widths_by_size({1, 16384}));
  const auto m = root_multiplier<binary16>(d);
  const auto e = generators::named("e", generators::floats<binary16>(domain::finite_floats));
  domain::Mixture faint = domain::finite_floats;
  faint.highest = std::ilogb(static_cast<double>(m)) + domain::Encoding<binary16>::least;
  const auto p = generators::named("p", generators::floats<binary16>(faint));
  covers("p / m subnormal", combination::faint_position(p, m, subject).below_normal(), 0.25);
  holds(combination::underflow_over_half_ulp(e, p, m, subject));
}

}  // namespace embedscale::properties::testing
