// What the claims about position tables rest on: the turns of frequencies to the last of their 128
// places, entries known from elsewhere, the 50-digit reference against direct sines; and what the
// library refuses.
#include <embedscale/position_table.hpp>
#include <embedscale/random.hpp>

#include <gtest/gtest.h>

#include "every_entry.hpp"

namespace embedscale::properties::precision {
namespace {

using exact::Decimal100;
constexpr auto paper = FrequencyRule::paper, code = FrequencyRule::tensor2tensor;

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
          EXPECT_EQ(floor(places + Decimal100(0.5)),
                    ldexp(Decimal100(turns[i].high), 64) + Decimal100(turns[i].low))
              << d << " " << base << " " << i;
        }
      }
}

// 192 places of a third of 1 and of 2, and of 1/2 + 2^−192 halved: each truncated at the last one.
// As constant expressions, which may not read or write beside the six words.
TEST(turns, are_divided_to_192_places_and_none_beyond) {
  using detail::Fraction, detail::quotient;
  constexpr std::uint32_t five = 0x55555555, ten = 0xaaaaaaaa, top = 0x80000000;
  static_assert(quotient({1, {}}, 3).fraction == Fraction{five, five, five, five, five, five});
  static_assert(quotient({2, {}}, 3).fraction == Fraction{ten, ten, ten, ten, ten, ten});
  static_assert(quotient({0, {top, 0, 0, 0, 0, 1}}, 2).fraction == Fraction{top >> 1});
  static_assert(quotient({7, {}}, 3).whole == 2);
}

Decimal100 in_128_places(const Turn& turn) {
  return ldexp(Decimal100(turn.high), 64) + Decimal100(turn.low);
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

// At most 2^−189 below the logarithm. That of 334 digits is off by less than 2^−300.
TEST(turns, rest_on_logarithms_to_189_places) {
  for (const double x : {1.0, 1.5, 2.0, 3.0, 100.0, 10'000.0, 5e5, 0x1.fffffffffffffp39, 0x1p40}) {
    const auto [whole, fraction] = detail::log_2(x);
    Decimal100 lacks = log(Decimal100(x)) / log(Decimal100(2)) - Decimal100(whole);
    int places = 0;
    for (const std::uint32_t word : fraction) lacks -= ldexp(Decimal100(word), places -= 32);
    EXPECT_LE(lacks, 0x1p-189) << x;
    EXPECT_GE(lacks, -0x1p-300) << x;
  }
}

// c·2^−x for a c that puts it 2^−170 on either side of a midpoint: the places that are kept until
// the end, and each term of the series at nearly the largest z, decide where it is rounded.
TEST(turns, are_rounded_once_to_128_places) {
  const detail::Mixed x{1, {0xfff00000}};
  const Decimal100 power = 2 * pow(Decimal100(2), Decimal100(0xfff) / 0x1000);
  const Turn below{0x123456789abcdef0, 0x0fedcba987654321};
  for (const int side : {-1, 1}) {
    const Decimal100 wanted = in_128_places(below) + 0.5 + side * ldexp(Decimal100(1), -42);
    Decimal100 rest = ldexp(wanted * power, -128);
    detail::Fraction c{};
    for (auto& word : c) {
      rest = ldexp(rest, 32);
      word = static_cast<std::uint32_t>(static_cast<double>(floor(rest)));
      rest -= word;
    }
    const Turn above{below.high, below.low + 1};
    EXPECT_EQ(detail::scaled_power(c, x), side < 0 ? below : above);
  }
}

TEST(turns, refuse_what_has_no_frequencies) {
  EXPECT_THROW(frequencies_in_turns(7, paper), std::invalid_argument);
  EXPECT_THROW(frequencies_in_turns(2, code), std::invalid_argument);
  EXPECT_THROW(frequencies_in_turns(4, paper, 0.5), std::invalid_argument);
  EXPECT_THROW(frequencies_in_turns(4, paper, 0x1p41), std::invalid_argument);
  EXPECT_THROW(frequencies_in_turns(4, paper, std::nan("")), std::invalid_argument);
}

// The error that sine_and_cosine states has 1.5 for a step of its series: 1 for a product and 0.5
// for a coefficient 2^64/n!, which is thus the nearest whole number.
template <int first>
void expect_nearest_coefficients() {
  const auto coefficients = detail::reciprocal_factorials<first>();
  Decimal100 exact = ldexp(Decimal100(1), 64);
  int divided = 1;
  for (int j = 0; j < 9; ++j) {
    while (divided < 2 * j + first) exact /= ++divided;
    EXPECT_LE(abs(Decimal100(coefficients[static_cast<std::size_t>(j)]) - exact), 0.5)
        << divided << "!";
  }
}
TEST(position_table, rests_on_series_with_the_nearest_coefficients) {
  expect_nearest_coefficients<2>();
  expect_nearest_coefficients<3>();
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

TEST(position_table, begins_with_zeros_and_ones) {
  const auto table = embedscale::position_table<binary16>(6, 3);
  ASSERT_EQ(table.size(), 18u);
  for (std::size_t j = 0; j < 6; ++j) {
    EXPECT_EQ(double(table[j]), j % 2 == 0 ? 0.0 : 1.0);
    EXPECT_FALSE(std::signbit(double(table[j])));
  }
  EXPECT_EQ(table[6], binary16(std::sin(1.0)));
  std::vector<float> longer(8);
  EXPECT_THROW(encode_position_once_rounded<float>(1, frequencies_in_turns(6, paper),
                                                   SinusoidalLayout::halves, longer),
               std::invalid_argument);
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
  EXPECT_EQ(found.formats[2].first_off[0], 65'500);
}

}  // namespace
}  // namespace embedscale::properties::precision
