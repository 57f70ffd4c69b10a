#pragma once
// Exact numbers, for the claims over the reals: a polynomial identity that holds for all rationals
// holds for all reals.
#include <embedscale/random.hpp>

#include <cstdint>
#include <string_view>
#include <vector>

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

/// The numbers that cases are made of, of one stream: so many for each, which no other case has.
class RationalDraws {
 public:
  RationalDraws(std::uint64_t seed, std::string_view name, std::uint64_t of_a_case)
      : stream_(seed, name), of_a_case_(of_a_case) {}
  /// Number k < of_a_case of case i.
  Rational any(std::uint64_t i, std::uint64_t k) const {
    return rational(stream_, of_a_case_ * i + k);
  }
  Rational positive(std::uint64_t i, std::uint64_t k) const {
    return positive_rational(stream_, of_a_case_ * i + k);
  }
  /// A whole number below n, in the place of number k.
  std::uint64_t below(std::uint64_t n, std::uint64_t i, std::uint64_t k) const {
    return stream_.below(n, of_a_case_ * i + k);
  }
  std::vector<Rational> channels(std::uint64_t i, std::uint64_t first, std::size_t size) const {
    std::vector<Rational> out;
    for (std::size_t j = 0; j < size; ++j) out.push_back(any(i, first + j));
    return out;
  }

 private:
  Stream stream_;
  std::uint64_t of_a_case_;
};

}  // namespace embedscale::properties::domain
