#pragma once
// Exact numbers, for the claims over the reals: a polynomial identity that holds for all rationals
// holds for all reals.
#include <embedscale/random.hpp>

#include <cstdint>

#include "properties/exact/rational.hpp"

namespace embedscale::properties::domain {

using exact::Rational;

/// The fractions n/k with |n| <= 30 and 1 <= k <= 12.
struct Rationals {
  static constexpr int largest_numerator = 30;
  static constexpr int largest_denominator = 12;
};

/// Draw `index` of the domain.
inline Rational rational(const Stream& stream, std::uint64_t index) {
  const auto words = stream.block(index);
  const int n = static_cast<int>(words[0] % (2 * Rationals::largest_numerator + 1)) -
                Rationals::largest_numerator;
  return Rational(n) / Rational(1 + static_cast<int>(words[1] % Rationals::largest_denominator));
}

/// Draw `index` of its positive members.
inline Rational positive_rational(const Stream& stream, std::uint64_t index) {
  const auto words = stream.block(index);
  return Rational(1 + static_cast<int>(words[0] % Rationals::largest_numerator)) /
         Rational(1 + static_cast<int>(words[1] % Rationals::largest_denominator));
}

}  // namespace embedscale::properties::domain
