#pragma once
// Up against m times down over every pair (e, p) of finite numbers of a format, by the primitives
// under test themselves. It includes little, as what runs for minutes is run again where that
// changes.
//
// Rounding to nearest is symmetric, fl(−x) = −fl(x), so the pair (−e, −p) has −U and −Z: pairs
// whose e has its sign bit set are those of the others once more, and are counted without being
// evaluated, but for one in 251, which are compared.
#include <embedscale/format.hpp>

#include <array>
#include <cmath>
#include <cstdint>
#include <vector>

#include "../domain/encoding.hpp"
#include "../evidence/rounding.hpp"

namespace embedscale::properties::precision::difference {

/// One channel of up, or of down.
template <class Real>
using Combine = Real (*)(const Real& e, const Real& p, const Real& m);

/// A largest value and the pair that attains it first.
template <class Real>
struct LargestOfPairs {
  double value = 0;
  Real e{}, p{};
};

/// What is found over pairs, both signs of e counted.
template <class Real>
struct OfPairs {
  std::uint64_t pairs = 0;     ///< of finite numbers
  std::uint64_t in_range = 0;  ///< of these; the others are outside of the claim
  std::uint64_t agreeing = 0;  ///< of those in range: the same bits
  std::uint64_t asymmetric = 0;  ///< (−e, −p) has not the negative results: none, of those compared
  LargestOfPairs<Real> error{};  ///< |U − Z| in units of u·max(|m·e|, |p|)
  /// |U − Z| in ulps of U, where |U| >= max(|m·e|, |p|)/2: where the sum nearly cancels, any number
  /// of ulps says no more than that it did.
  LargestOfPairs<Real> ulps{};
};

/// The widths at which every pair is looked at: powers of four; others whose root rounds to a power
/// of two in the format; the common ones 512 and 3072; and such that f is spread over (1, 2), just
/// above 1 and just below 2 as well.
template <class Real>
inline constexpr std::array<std::uint64_t, 0> exhausted_widths{};
template <>
inline constexpr std::array<std::uint64_t, 9> exhausted_widths<bfloat16>{257,  272,  320,  512, 640,
                                                                         1008, 1022, 1024, 3072};
template <>
inline constexpr std::array<std::uint64_t, 8> exhausted_widths<binary16>{257,  320,  512,  640,
                                                                         1022, 1024, 1025, 3072};

/// Every p at one m, with what does not depend on e.
template <class Real>
class Positions {
 public:
  explicit Positions(const Real& m) : m_(m) {
    using Of = domain::Encoding<Real>;
    for (const std::uint64_t negative : {0, 1})
      for (std::uint64_t magnitude = 0; magnitude < Of::infinity; ++magnitude) {
        const Real p = domain::encoded<Real>(magnitude, negative);
        all_.push_back({p, std::abs(static_cast<double>(p)), is_in_range(p / m, p)});
      }
  }

  /// Adds the pairs of e and −e with every p.  Requires e with its sign bit clear.
  void add(const Real& e, Combine<Real> up, Combine<Real> down, OfPairs<Real>& found) const {
    const double t = std::abs(static_cast<double>(m_) * static_cast<double>(e));
    const bool is_near = is_in_range(m_ * e, e);
    std::uint64_t place = domain::bits_of(e);
    for (const auto& [p, size, is_far] : all_) {
      if (++place % compared == 0) compare_signs(e, p, up, down, found);
      if (!is_near || !is_far) continue;
      const Real u = up(e, p, m_), below = down(e, p, m_), z = m_ * below;
      if (!is_finite(u) || !is_finite(below) || !is_in_range(z, below)) continue;
      found.in_range += 2;
      if (domain::bits_of(u) == domain::bits_of(z))
        found.agreeing += 2;
      else
        judge(e, p, static_cast<double>(u), static_cast<double>(z), std::max(t, size), found);
    }
    found.pairs += 2 * all_.size();
  }

 private:
  struct Position {
    Real p;
    double size;    ///< |p|
    bool in_range;  ///< p/m is
  };
  static constexpr std::uint64_t compared = 251;

  static bool is_finite(const Real& x) {
    using Of = domain::Encoding<Real>;
    return (domain::bits_of(x) & (Of::sign - 1)) < Of::infinity;
  }
  /// Of a product or a quotient of x: as stays_in_range, on the encodings.
  static bool is_in_range(const Real& result, const Real& x) {
    using Of = domain::Encoding<Real>;
    const std::uint64_t magnitude = domain::bits_of(result) & (Of::sign - 1);
    const bool is_zero = (domain::bits_of(x) & (Of::sign - 1)) == 0;
    return is_zero ||
           (magnitude > std::uint64_t{1} << Of::mantissa_bits && magnitude < Of::infinity);
  }

  void compare_signs(const Real& e, const Real& p, Combine<Real> up, Combine<Real> down,
                     OfPairs<Real>& found) const {
    const auto is_negative = [](const Real& x, const Real& of) {
      return x == -of || (x != x && of != of);
    };
    const Real below = down(e, p, m_), other = down(-e, -p, m_);
    found.asymmetric += is_negative(up(-e, -p, m_), up(e, p, m_)) && is_negative(other, below) &&
                                is_negative(m_ * other, m_ * below)
                            ? 0
                            : 1;
  }

  static void judge(const Real& e, const Real& p, double u, double z, double largest,
                    OfPairs<Real>& found) {
    const double apart = std::abs(u - z);
    const double unit = unit_roundoff<Real> * largest;
    if (apart > found.error.value * unit) raise(found.error, apart / unit, e, p);
    // An ulp of U is at least u·|U|.
    if (2.0 * std::abs(u) >= largest &&
        apart > found.ulps.value * unit_roundoff<Real> * std::abs(u))
      raise(found.ulps, apart / (2.0 * half_ulp<Real>(u)), e, p);
  }
  static void raise(LargestOfPairs<Real>& of, double value, const Real& e, const Real& p) {
    if (value > of.value) of = {value, e, p};
  }

  Real m_;
  std::vector<Position> all_;
};

}  // namespace embedscale::properties::precision::difference
