#pragma once
// RapidCheck generators over the named domains. Each shrinks towards its simplest member.
#include <rapidcheck.h>

#include <cstdint>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "../../domain/rationals.hpp"
#include "../../domain/widths.hpp"
#include "../exact_text.hpp"

namespace embedscale::properties::testing::generators {

using domain::Rational;

/// The whole range at every case: RapidCheck's ramp of sizes would make the first cases degenerate.
template <class T>
rc::Gen<T> in_range(T lowest, T end) {
  return rc::gen::resize(100, rc::gen::inRange<T>(lowest, end));
}

/// Fractions of the domain from `lowest` in size; sign and size are drawn apart, so that each
/// shrinks by itself: to the smallest size, to whole numbers, to +.
inline rc::Gen<Rational> signed_rationals(int lowest) {
  using domain::Rationals;
  return rc::gen::map(
      rc::gen::tuple(in_range(lowest, Rationals::largest_numerator + 1),
                     in_range(1, Rationals::largest_denominator + 1), in_range(0, 2)),
      [](const std::tuple<int, int, int>& parts) {
        const auto [n, k, negative] = parts;
        return Rational(negative != 0 ? -n : n) / Rational(k);
      });
}

/// Shrinks to 0.
inline rc::Gen<Rational> rationals() { return signed_rationals(0); }

/// As rationals(), never 0; shrinks to 1.
inline rc::Gen<Rational> nonzero_rationals() { return signed_rationals(1); }

/// As rationals(), above 0; shrinks to 1.
inline rc::Gen<Rational> positive_rationals() {
  return rc::gen::map(rc::gen::pair(in_range(1, domain::Rationals::largest_numerator + 1),
                                    in_range(1, domain::Rationals::largest_denominator + 1)),
                      [](const std::pair<int, int>& parts) {
                        return Rational(parts.first) / Rational(parts.second);
                      });
}

/// `size` rationals: one vector of channels.
inline rc::Gen<std::vector<Rational>> channels(std::size_t size) {
  return rc::gen::container<std::vector<Rational>>(size, rationals());
}

/// Any width of the domain; shrinks to the lowest.
inline rc::Gen<std::uint64_t> widths(domain::Widths domain = domain::swept_widths) {
  return in_range<std::uint64_t>(domain.lowest, domain.highest + 1);
}

/// Even widths from 2·least to 2·most. Shrinks to the least.
inline rc::Gen<std::uint64_t> even_widths(std::uint64_t least, std::uint64_t most) {
  return rc::gen::map(in_range<std::uint64_t>(least, most + 1),
                      [](std::uint64_t half) { return 2 * half; });
}

/// The index of a counter-based draw: the case's own randomness, as one integer.
inline rc::Gen<std::uint64_t> draws() { return in_range<std::uint64_t>(0, std::uint64_t{1} << 40); }

/// A value under its name, as counterexamples show it.  Requires an ASCII name: GoogleTest garbles
/// other characters in its JSON. Floats are shown exactly.
template <class T>
T named(const std::string& name, const rc::Gen<T>& gen) {
  if constexpr (loses_digits<T>)
    return (*rc::gen::map(gen, [](T x) { return Exactly<T>{std::move(x)}; }).as(name)).value;
  else
    return *gen.as(name);
}

}  // namespace embedscale::properties::testing::generators
