// What the claims about position tables rest on: the turns of frequencies to the last of their 128
// places and the arithmetic that makes them, entries known from elsewhere, the 50-digit reference
// against direct sines; and what the library refuses.
#include <embedscale/position_table.hpp>
#include <embedscale/random.hpp>

#include <gtest/gtest.h>
#include <boost/multiprecision/cpp_int.hpp>

#include "every_entry.hpp"

namespace embedscale::properties::precision {
namespace {

using exact::Decimal100;
constexpr auto paper = FrequencyRule::paper, code = FrequencyRule::tensor2tensor;

Decimal100 in_128_places(const Turn& turn) {
  return ldexp(Decimal100(turn.high), 64) + Decimal100(turn.low);
}

// Within 2^−129 + 2^−180 of a turn is the nearest of 128 places, unless it is a tie up to 2^−180.
TEST(turns, of_frequencies_are_the_nearest_of_128_places) {
  for (const auto rule : {paper, code})
    for (const double base : {1.0, 2.0, 100.0, 10'000.0, 500'000.0, 1e6, 0x1p40})
      for (const std::size_t d : {4u, 10u, 64u, 512u}) {
        const auto turns = frequencies_in_turns(d, rule, base);
        const auto w = sinusoidal_frequencies<Decimal100>(d, rule, base);
        ASSERT_EQ(turns.size(), d / 2);
        for (std::size_t i = 0; i < d / 2; ++i) {
          const Decimal100 places = ldexp(w[i] / (2 * Decimal100::pi()), 128);
          EXPECT_EQ(floor(places + Decimal100(0.5)), in_128_places(turns[i]))
              << d << " " << base << " " << i;
        }
      }
}

// n·angle modulo 2^128, which numbers of 334 binary digits hold: n of any length, past 2^32 too.
TEST(turns, are_multiplied_exactly_by_any_whole_number) {
  const Stream stream(0, "multiples");
  for (std::uint64_t k = 0; k < 1024; ++k) {
    const Turn angle{stream.bits(3 * k), stream.bits(3 * k + 1)};
    const std::uint64_t n = stream.bits(3 * k + 2) >> k % 64;
    EXPECT_EQ(in_128_places(multiple(angle, n)),
              fmod(Decimal100(n) * in_128_places(angle), ldexp(Decimal100(1), 128)))
        << n;
  }
}

using Whole = boost::multiprecision::uint512_t;
Whole in_192_places(const detail::Fraction& fraction) {
  Whole places = 0;
  for (const auto word : fraction) places = places << 32 | word;
  return places;
}
Whole in_192_places(const detail::Mixed& number) {
  return (Whole(number.whole) << 192) + in_192_places(number.fraction);
}

// Whole words of 0 and of ones among them, which carries and borrows pass through.
TEST(fractions, are_exact_or_truncated_in_their_last_place) {
  const Stream stream(0, "fractions");
  std::uint64_t next = 0;
  const auto word = [&] {
    const std::uint64_t bits = stream.bits(next++);
    return static_cast<std::uint32_t>(bits >> 62 == 0 ? 0 - (bits & 1) : bits);
  };
  const auto fraction = [&] {
    return detail::Fraction{word(), word(), word(), word(), word(), word()};
  };
  for (int k = 0; k < 1024; ++k) {
    const auto a = fraction(), b = fraction();
    const Whole x = in_192_places(a), y = in_192_places(b);
    EXPECT_EQ(in_192_places(detail::product(a, b)), x * y >> 192);
    EXPECT_EQ(in_192_places(x < y ? detail::difference(b, a) : detail::difference(a, b)),
              x < y ? y - x : x - y);
    const detail::Mixed mixed{word(), a};
    const std::uint32_t n = std::max(word(), std::uint32_t{1});
    EXPECT_EQ(in_192_places(detail::multiple(mixed, n)), in_192_places(mixed) * n);
    EXPECT_EQ(in_192_places(detail::quotient(mixed, n)), in_192_places(mixed) / n);
  }
}

double relative_error(const Unrounded& found, const Decimal100& exact) {
  const Decimal100 size = ldexp(Decimal100(found.significand), found.exponent);
  return static_cast<double>(abs((found.negative ? -size : size) / exact - 1));
}

// Within 0.85·2^−60 of itself on both sides of every multiple of an eighth, where the reduced angle
// is the largest and the last terms of the series count, and down to 2^−61 of an eighth beside it.
TEST(sine_and_cosine, are_as_near_as_stated_in_every_octant) {
  const Stream stream(0, "octants");
  std::uint64_t k = 0;
  for (std::uint64_t octant = 0; octant < 8; ++octant)
    for (int zeros = 0; zeros < 61; ++zeros)
      for (const bool after : {true, false}) {
        const std::uint64_t away = (stream.bits(k++) | std::uint64_t{1} << 63) >> (3 + zeros);
        const std::uint64_t high = (octant << 61) + (after ? away : -away);
        const Turn angle{high, stream.bits(k++)};
        const Decimal100 x = ldexp(2 * Decimal100::pi() * in_128_places(angle), -128);
        const auto found = sine_and_cosine(angle);
        EXPECT_LE(relative_error(found.sine, sin(x)), 0.85 * 0x1p-60) << octant << " " << zeros;
        EXPECT_LE(relative_error(found.cosine, cos(x)), 0.85 * 0x1p-60) << octant << " " << zeros;
      }
}

// Midpoints of neighbours from 1 on, and 2^−63 before and after: a tie goes to the even one, and
// the last of 64 digits decides what is none.
TEST(rounded, looks_at_the_last_digit_beside_a_midpoint) {
  domain::for_each_format([]<class Real>() {
    constexpr std::uint64_t unit = std::uint64_t{1} << (64 - FormatTraits<Real>::digits);
    for (std::uint64_t n = 0; n < 4; ++n)
      for (const bool negative : {false, true}) {
        const std::uint64_t lower = (std::uint64_t{1} << 63) + n * unit, middle = lower + unit / 2;
        const auto expect = [&](std::uint64_t significand, std::uint64_t nearest) {
          const double value = std::ldexp(static_cast<double>(nearest), -63);
          EXPECT_EQ(static_cast<double>(rounded<Real>({significand, -63, negative})),
                    negative ? -value : value)
              << FormatTraits<Real>::name << " " << n;
        };
        expect(middle - 1, lower);
        expect(middle, n % 2 == 0 ? lower : lower + unit);
        expect(middle + 1, lower + unit);
      }
  });
}

// sin and cos of p·500^(−2i/d) to 100 digits; half a unit in the last place and 2^−60, as stated.
TEST(position_table, is_of_the_base_that_it_is_told) {
  const auto table = embedscale::position_table<float>(4, 8, paper, SinusoidalLayout::halves, 500);
  const auto expect = [](float found, const Decimal100& exact) {
    const auto error = static_cast<double>(abs(Decimal100(found) - exact));
    EXPECT_LE(error, half_ulp<float>(found) + 0x1p-60 * std::abs(double(found)));
  };
  for (std::size_t p = 0; p < 8; ++p)
    for (std::size_t i = 0; i < 2; ++i) {
      const Decimal100 x = Decimal100(p) / (i == 0 ? Decimal100(1) : sqrt(Decimal100(500)));
      expect(table[4 * p + i], sin(x));
      expect(table[4 * p + 2 + i], cos(x));
    }
}

TEST(position_table, is_odd_in_its_sines_and_even_in_its_cosines) {
  const auto turns = frequencies_in_turns(8, paper);
  std::vector<float> after(8), before(8);
  encode_position_once_rounded<float>(131'071, turns, SinusoidalLayout::halves, after);
  encode_position_once_rounded<float>(-131'071, turns, SinusoidalLayout::halves, before);
  for (std::size_t i = 0; i < 4; ++i) {
    EXPECT_EQ(before[i], -after[i]);
    EXPECT_EQ(before[4 + i], after[4 + i]);
  }
}

TEST(position_table, refuses_a_base_below_1_and_one_above_2_to_the_40) {
  for (const double base : {0.999, 0.0, 0x1.001p40, std::nan("")})
    EXPECT_THROW(frequency_in_turns(0, 8, paper, base), std::invalid_argument) << base;
  EXPECT_NO_THROW(frequency_in_turns(0, 8, paper, 1));
  EXPECT_NO_THROW(frequency_in_turns(0, 8, paper, 0x1p40));
}

TEST(exact_pair, is_within_2_to_the_minus_146_of_direct_sines) {
  const Stream stream(0, "exact_pair");
  double worst = 0;
  for (std::uint64_t k = 0; k < 20; ++k) {
    const std::size_t i = k < 2 ? k : stream.bits(2 * k) % 512;
    const auto anchor = static_cast<std::int64_t>(stream.bits(2 * k + 1) % 128) * anchor_distance;
    ExactPair pair(exact_frequency(i, 1024), anchor);
    for (std::int64_t step = 1; step < anchor_distance; ++step) pair.step();
    // 100 digits of the same angle, in which the reference's own error is left.
    const Decimal100 w = pow(Decimal100(10000), -(Decimal100(i) / Decimal100(512)));
    const Decimal100 angle = w * (anchor + anchor_distance - 1);
    const auto off = [](const Decimal50& x, const Decimal100& y) {
      return static_cast<double>(abs(Decimal100(x) - y));
    };
    worst = std::max({worst, off(pair.sine(), sin(angle)), off(pair.cosine(), cos(angle))});
  }
  EXPECT_LE(worst, 0x1p-146);
  EXPECT_GE(worst, 0x1p-168);  // else nothing was rotated
}

// What a run over every entry looks at, on a part of a small table.
TEST(every_entry, sees_a_wrong_table) {
  using namespace position_table;
  const auto worst = [](const Primitives& primitives) {
    const auto found = every_entry(Frequencies(16, primitives), 65'536, 256, primitives);
    double ulps = 0;
    for (const auto& of : found.formats) {
      EXPECT_EQ(of.entries, 16u * 256u);
      ulps = std::max(ulps, of.once_rounded.value);
    }
    return ulps;
  };
  Primitives wrong;
  EXPECT_LE(worst(wrong), 0.508);
  wrong.turn = [](std::size_t i, std::size_t d, FrequencyRule rule, double base) {
    Turn turn = frequency_in_turns(i, d, rule, base);
    turn.low = 0;
    return turn;
  };
  EXPECT_GT(worst(wrong), 0.508);
}

// Beyond 65519 binary16 has but infinity, and from there on no sine.
TEST(every_entry, counts_what_is_no_number) {
  using namespace position_table;
  const Primitives primitives;
  const auto found = every_entry(Frequencies(4, primitives), 65'500, 40, primitives);
  EXPECT_EQ(found.formats[2].no_numbers, 4u * 20u);
  EXPECT_EQ(found.formats[3].no_numbers, 0u);
}

}  // namespace
}  // namespace embedscale::properties::precision
