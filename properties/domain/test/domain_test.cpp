// The named sets of inputs contain what they say, reach their edges, and are the same bits in any
// order of evaluation. A domain that is smaller than its name makes every claim over it weaker.
#include <embedscale/embedding.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <ranges>
#include <set>
#include <vector>

#include "../../combination/rounding.hpp"
#include "../formats.hpp"
#include "../pairs.hpp"
#include "../rationals.hpp"

namespace embedscale::properties::domain {
namespace {

/// Widths 1 … 16384: every m = fl(√d) from 1 to 2^7, with both ends and all powers of four.
std::vector<std::uint64_t> sampled_widths() {
  std::vector<std::uint64_t> widths{1, 2, 3, 257, 1023, 3072, 16383};
  for (std::uint64_t d = 1; d <= 16384; d *= 4) widths.push_back(d);
  for (std::uint64_t d = 5; d < 16384; d += 331) widths.push_back(d);
  return widths;
}

constexpr std::uint64_t draws = 400;

/// What critical_pair promises, up to the rounding of e.
template <class Real>
bool is_critical(const Pair<Real>& pair, const Real& m) {
  const double t = std::abs(static_cast<double>(m) * static_cast<double>(pair.e));
  const double p = std::abs(static_cast<double>(pair.p));
  const double slack = 1.0 + 4.0 * unit_roundoff<Real>;
  return t >= 0x1p-4 / slack && t <= 2.0 * slack && p >= 0.25 && p <= 4.0;
}

/// binary16's exponents with bfloat16's digits and fewer: "any format with five exponent bits".
TEST(critical_pair, draws_are_members_whose_operations_stay_in_the_normal_range) {
  const auto check = []<class Real>() {
    for (const auto d : sampled_widths()) {
      const Real m = root_multiplier<Real>(d);
      for (std::uint64_t i = 0; i < draws; ++i) {
        const auto pair = critical_pair(Stream(d, "range"), i, m);
        ASSERT_TRUE(is_critical(pair, m)) << FormatTraits<Real>::digits << " digits, d " << d;
        for (const auto division :
             {combination::Division::by_m, combination::Division::by_reciprocal})
          ASSERT_TRUE(combination::stays_in_range(pair.e, pair.p, m, division))
              << FormatTraits<Real>::digits << " digits, d " << d << ", draw " << i;
      }
    }
  };
  for_each_format(check);
  check.operator()<Format<5, 7>>();
  check.operator()<Format<5, 2>>();
}

/// With m = 1 in binary64, t = m·e is drawn as it is. Half of the pairs have offsets down to 2^-12
/// from a power of two: a share of 1/12 lies below 2^-11, which uniform offsets reach with 2^-11.
TEST(critical_pair, every_second_pair_lies_just_above_powers_of_two) {
  std::uint64_t close_tokens[2] = {0, 0}, close_positions[2] = {0, 0};
  std::set<double> tokens;
  for (std::uint64_t i = 0; i < 2000; ++i) {
    const auto [e, p] = critical_pair(Stream(0, "both kinds"), i, 1.0);
    tokens.insert(e);
    if (significand(e) < 1.0 + 0x1p-11) ++close_tokens[i % 2];
    if (significand(p) < 1.0 + 0x1p-11) ++close_positions[i % 2];
  }
  // Of 1000 draws each, with shares 1/12 and 2^−11. That 42 or fewer of the first are close has a
  // chance of at most e^(−1000·D) = 1.4e-6 (Chernoff), D = 0.042 ln(0.042·12) +
  // 0.958 ln(0.958·12/11) = 0.01348; that some ten of the second are, C(1000, 10)·2^(−110) = 2e-10.
  for (const auto* close : {close_tokens, close_positions}) {
    EXPECT_GT(close[0], 42u);
    EXPECT_LT(close[1], 10u);
  }
  EXPECT_EQ(tokens.size(), 2000u);  // each index has its own
}

TEST(critical_pair, every_binade_and_both_signs_occur_in_the_other_pairs) {
  std::set<int> token_binades, position_binades;
  std::set<bool> signs;
  for (std::uint64_t i = 1; i < 2000; i += 2) {
    const auto [e, p] = critical_pair(Stream(0, "plain"), i, 1.0);
    ASSERT_GT(e, 0.0);
    token_binades.insert(std::ilogb(e));
    position_binades.insert(std::ilogb(p));
    signs.insert(p < 0.0);
  }
  EXPECT_EQ(token_binades, (std::set{-4, -3, -2, -1, 0}));  // [2^-4, 2)
  EXPECT_EQ(position_binades, (std::set{-2, -1, 0, 1}));    // [1/4, 4)
  EXPECT_EQ(signs, (std::set{false, true}));
}

TEST(nearby_pair, never_ends_beyond_a_factor_of_two_and_takes_large_and_small_steps) {
  for_each_format([]<class Real>() {
    const Pair<Real> origin = critical_pair(Stream(0, "origin"), 3, Real(1));
    double largest = 0.0, smallest = 1.0;
    Pair<Real> from = origin;
    for (std::uint64_t i = 0; i < 2000; ++i) {
      const auto to = nearby_pair(Stream(0, "climb"), i, from, origin);
      for (const Real& ratio : {Real(to.e / origin.e), Real(to.p / origin.p)})
        ASSERT_TRUE(Real(0.5) <= ratio && ratio <= Real(2)) << FormatTraits<Real>::name << " " << i;
      const double step = std::abs(static_cast<double>(to.e) / static_cast<double>(from.e) - 1.0);
      largest = std::max(largest, step);
      if (step > 0.0) smallest = std::min(smallest, step);
      from = to;
    }
    EXPECT_GT(largest, 0.125) << FormatTraits<Real>::name;  // else with (1 − 1/85)^2000 = 5e-11
    EXPECT_LE(smallest, 4.0 * unit_roundoff<Real>) << FormatTraits<Real>::name;
  });
}

TEST(any_rational, draws_are_all_the_members_and_the_positive_ones) {
  std::set<Rational> seen, seen_positive, members, positive;
  for (std::uint64_t i = 0; i < 20000; ++i) {
    seen.insert(rational(Stream(1, "rationals"), i));
    seen_positive.insert(positive_rational(Stream(2, "rationals"), i));
  }
  for (int n = -30; n <= 30; ++n)
    for (int k = 1; k <= 12; ++k) {
      members.insert(Rational(n) / Rational(k));
      if (n > 0) positive.insert(Rational(n) / Rational(k));
    }
  EXPECT_EQ(seen, members);
  EXPECT_EQ(seen_positive, positive);
}

}  // namespace
}  // namespace embedscale::properties::domain
