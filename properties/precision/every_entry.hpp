#pragma once
// Every entry of a block of positions in one format, rounded once and computed in the format,
// against 50 digits: a part of a run over a whole table.
#include "position_table.hpp"

namespace embedscale::properties::precision::position_table {

/// The greatest of some values and the entry that attains it first.
struct LargestOfEntries {
  double value = 0;
  std::int64_t position = 0;
  std::size_t channel = 0;  ///< interleaved

  void add(double x, std::int64_t p, std::size_t j) {
    if (x > value) *this = {x, p, j};
  }
};

/// What was found of entries in one format.
struct OfEntries {
  std::uint64_t entries = 0;
  LargestOfEntries once_rounded;  ///< error in units in the last place of the exact value
  LargestOfEntries in_format;     ///< error of what is a number
  std::uint64_t no_numbers = 0;   ///< in the format: sines of an infinite angle
  std::uint64_t off = 0;          ///< in the format: by more than u, or no number
};

/// One entry: its exact value, 64 digits of which are looked at (2^−64 of it, which is 2^−12 units
/// in the last place of binary64), rounded once and computed in the format.
template <class Real>
void add_entry(OfEntries& found, long double exact, Real once, Real computed, std::int64_t p,
               std::size_t channel) {
  ++found.entries;
  const auto off = [exact](Real x) {
    return static_cast<double>(std::abs(static_cast<long double>(static_cast<double>(x)) - exact));
  };
  const double ulp = 2.0 * half_ulp<Real>(static_cast<double>(exact));
  found.once_rounded.add(off(once) / ulp, p, channel);
  const double error = off(computed);
  if (!(error <= rounding_of_an_entry<Real>)) ++found.off;
  if (std::isnan(error)) ++found.no_numbers;
  found.in_format.add(error, p, channel);
}

/// The widths whose tables are looked at as a whole, by the paper's rule.
inline constexpr std::array<std::size_t, 3> exhausted_widths{64, 512, 1024};
inline constexpr std::int64_t exhausted_positions = 1 << 17;

/// The frequencies of a width: exact ones, and as primitives have them.
struct Frequencies {
  std::vector<Decimal50> exact;
  std::vector<Turn> turns;
  std::vector<double> rounded[4];  ///< in each format

  Frequencies(std::size_t d, const Primitives& primitives) {
    for (std::size_t i = 0; i < d / 2; ++i) {
      exact.push_back(exact_frequency(i, d));
      turns.push_back(primitives.turn(i, d, FrequencyRule::paper, 10000));
      std::size_t format = 0;
      domain::for_each_format([&]<class Real>() {
        const Real w = primitives.of<Real>().frequency(i, d, FrequencyRule::paper);
        rounded[format++].push_back(static_cast<double>(w));
      });
    }
  }
};

/// What there is in the four formats: binary64, binary32, binary16, bfloat16.
struct InFormats {
  std::array<OfEntries, 4> formats;
  LargestOfEntries reciprocal;  ///< of the sine or cosine nearest to 0 but for that of 0
};

/// All entries of `length` positions from `first` on, at most anchor_distance of them: in 50 digits
/// by rotation from the first.
inline InFormats every_entry(const Frequencies& w, std::int64_t first, std::int64_t length,
                             const Primitives& primitives) {
  InFormats found;
  const std::size_t d = 2 * w.exact.size();
  for (std::size_t i = 0; i < d / 2; ++i) {
    ExactPair exact(w.exact[i], first);
    for (std::int64_t p = first; p < first + length; ++p, exact.step()) {
      const auto sine = static_cast<long double>(exact.sine());
      const auto cosine = static_cast<long double>(exact.cosine());
      const auto once =
          primitives.sine_and_cosine(multiple(w.turns[i], static_cast<std::uint64_t>(p)));
      if (p > 0) found.reciprocal.add(static_cast<double>(1.0L / std::abs(sine)), p, 2 * i);
      found.reciprocal.add(static_cast<double>(1.0L / std::abs(cosine)), p, 2 * i + 1);
      std::size_t format = 0;
      domain::for_each_format([&]<class Real>() {
        const auto& in = primitives.of<Real>();
        const Real angle = in.angle(in.position(p), static_cast<Real>(w.rounded[format][i]));
        OfEntries& of = found.formats[format++];
        add_entry(of, sine, in.rounded(once.sine), in.sine(angle), p, 2 * i);
        add_entry(of, cosine, in.rounded(once.cosine), in.cosine(angle), p, 2 * i + 1);
      });
    }
  }
  return found;
}

}  // namespace embedscale::properties::precision::position_table
