// The domains of floating-point numbers: every class and every edge is drawn with its share, and
// nothing else is; nearly cancelling sums are what they are called.
#include "../floats.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <set>
#include <string>
#include <string_view>

#include "../../combination/rounding.hpp"
#include "../../evidence/proportion.hpp"
#include "../../testing/statistical.hpp"
#include "../formats.hpp"
#include "../pairs.hpp"

namespace embedscale::properties::testing {
namespace {

using namespace domain;
using evidence::Proportion, evidence::Trials;

template <class Real>
constexpr const char* format = FormatTraits<Real>::name;

/// 72 classes have a share: 10, 6 and 2 of the three mixtures, in each of four formats.
TEST(any_float, every_class_of_a_mixture_has_its_share_in_every_format) {
  Assertion<"generators.float_classes_have_their_shares", Proportion> shares(72);
  constexpr std::uint64_t n = 100000;
  for_each_format([&]<class Real>() {
    for (const auto& mixture : {every_float, finite_floats, normal_floats}) {
      const std::string part =
          format<Real> + std::string(" of total weight ") + std::to_string(mixture.total());
      const Stream stream = shares.stream(part);
      std::map<std::string_view, std::uint64_t> drawn;
      for (std::uint64_t i = 0; i < n; ++i) {
        const Real x = any_float<Real>(stream, i, mixture);
        ASSERT_TRUE(contains(mixture, x));
        ++drawn[name_of(class_of(x))];
      }
      for (const FloatKind kind : float_kinds)
        for (const bool negative : {false, true}) {
          const auto name = name_of({kind, negative});
          const double share = mixture.share(kind) / 2;
          EXPECT_EQ(drawn[name] == 0, share == 0) << format<Real> << " " << name;
          if (share > 0)
            shares.judge({.p = share, .n = n, .successes = drawn[name]},
                         part + ", " + std::string(name));
        }
    }
  });
}

/// Wrong generators, made of the right one.
TEST(any_float, a_generator_of_other_shares_is_seen) {
  Rejection<"generators.float_classes_have_their_shares", Proportion> wrong(3, 72);
  const Stream stream = wrong.stream();
  Trials negative{.p = 0.5}, subnormal{.p = finite_floats.share(FloatKind::subnormal) / 2},
      nan{.p = every_float.share(FloatKind::nan) / 2};
  constexpr Mixture without_subnormals{{28, 0, 2, 0, 0}};
  for (std::uint64_t i = 0; i < 100000; ++i) {
    // Of the negative numbers, a share of 0.045 is drawn without its sign.
    const bool spared = stream.uniform(i, 1) < 0.045;
    negative.add(!spared && class_of(any_float<float>(stream, i, normal_floats)).negative);
    const auto kind = class_of(any_float<float>(stream, i, without_subnormals));
    subnormal.add(kind.kind == FloatKind::subnormal && !kind.negative);
    nan.add(class_of(any_float<float>(stream, i, every_float)).kind == FloatKind::nan);
  }
  wrong.judge(negative, 0.0225, "a sign drawn for 0.4775");
  wrong.judge(subnormal, 1 / 15.0, "no subnormals");
  wrong.judge(nan, 1 / 64.0, "NaN of one sign");
}

TEST(any_float, every_exponent_is_drawn_and_every_place_of_a_subnormal_leading_bit) {
  for_each_format([]<class Real>() {
    std::set<int> drawn;
    for (std::uint64_t i = 0; i < 60000; ++i) {
      const Real x = any_float<Real>(Stream(0, "exponents"), i, finite_floats);
      if (x != Real(0)) drawn.insert(std::ilogb(static_cast<double>(x)));
    }
    // 2046 exponents of binary64 have a chance of 1/2558 each: 60000 draws miss any with one of
    // 2046·e^(−23.4) = 10^−7; the 52 places of its subnormal bits, 1/390 each, are not missed.
    using Of = Encoding<Real>;
    EXPECT_EQ(static_cast<int>(drawn.size()), Of::greatest - Of::least + 1 + Of::mantissa_bits)
        << format<Real>;
    EXPECT_EQ(*drawn.begin(), Of::least - Of::mantissa_bits);
    EXPECT_EQ(*drawn.rbegin(), Of::greatest);
  });
}

/// Short significands and those beside a power of two are what uniform bits never are.
TEST(any_float, short_significands_and_neighbours_of_powers_of_two_are_drawn) {
  std::uint64_t powers = 0, above = 0, below = 0, full = 0;
  for (std::uint64_t i = 0; i < 1000; ++i) {
    const auto bits = bits_of(any_float<double>(Stream(0, "shapes"), i, normal_floats)) << 12 >> 12;
    powers += bits == 0, above += bits == 1, below += bits == (std::uint64_t{1} << 52) - 1;
    full += bits % 2 == 1;
  }
  // Shares of 1/16 + 1/106, 1/16, 1/8 and 1/8 + …: half of each is some 5 standard deviations off.
  EXPECT_GT(powers, 36u);
  EXPECT_GT(above, 30u);
  EXPECT_GT(below, 62u);
  EXPECT_GT(full, 200u);
  EXPECT_LT(full, 600u);
}

TEST(class_of, follows_the_standard_library_in_every_class) {
  for_each_format([]<class Real>() {
    for (std::uint64_t i = 0; i < 5000; ++i) {
      const Real x = any_float<Real>(Stream(0, "classes"), i, every_float);
      const auto wide = static_cast<double>(x);
      const auto [kind, negative] = class_of(x);
      ASSERT_EQ(kind == FloatKind::nan, std::isnan(wide));
      ASSERT_EQ(kind == FloatKind::infinity, std::isinf(wide));
      ASSERT_EQ(kind == FloatKind::zero, wide == 0.0);
      ASSERT_EQ(kind == FloatKind::normal || kind == FloatKind::zero, is_normal_or_zero(x));
      // The NaNs of a small format lose their sign in double.
      ASSERT_TRUE(kind == FloatKind::nan || negative == std::signbit(wide));
    }
  });
}

TEST(moved, is_nextafter_and_passes_zero_and_the_ends_of_binades) {
  const auto check = [](auto x) {
    using Real = decltype(x);
    const Real infinity = std::numeric_limits<Real>::infinity();
    EXPECT_EQ(moved(x, 1), std::nextafter(x, infinity)) << x;
    EXPECT_EQ(moved(x, -1), std::nextafter(x, -infinity)) << x;
    EXPECT_EQ(moved(moved(x, -64), 64), x) << x;
  };
  for (std::uint64_t i = 0; i < 2000; ++i) {
    check(any_float<double>(Stream(0, "moved"), i, finite_floats));
    check(any_float<float>(Stream(0, "moved"), i, finite_floats));
  }
  EXPECT_EQ(moved(bfloat16::max(), 1), bfloat16::infinity());
  EXPECT_EQ(moved(bfloat16::max(), 5), bfloat16::infinity());
  EXPECT_EQ(moved(-binary16::min_subnormal(), 2), binary16::min_subnormal());
}

/// What the generator is for: the sum is a few ulps of its terms, and no operation leaves the range
/// in which the claims about rounding are made.
TEST(cancelling_pairs, sums_lose_all_but_a_few_ulps_and_stay_in_range) {
  for_each_format([]<class Real>() {
    std::set<std::int64_t> steps;
    for (const std::uint64_t d : {1u, 3u, 64u, 257u, 768u, 1023u, 16384u})
      for (std::uint64_t i = 0; i < 2000; ++i) {
        const Real m = static_cast<Real>(std::sqrt(static_cast<double>(d)));
        const auto pair = domain::cancelling(Stream(d, "cancelling"), i, m);
        const auto [e, p] = std::pair(pair.e, pair.p());
        ASSERT_LE(std::abs(pair.k), most_cancelling_ulps);
        ASSERT_TRUE(contains(domain::cancelling_tokens(pair.m), pair.e));
        for (const auto division :
             {combination::Division::by_m, combination::Division::by_reciprocal})
          ASSERT_TRUE(combination::stays_in_range(e, p, m, division))
              << format<Real> << " " << pair.k;
        const double t = static_cast<double>(m) * static_cast<double>(e);
        // k ulps, and half of one for the rounding of t: twice as many half ulps of the larger one.
        ASSERT_LE(std::abs(t + static_cast<double>(p)),
                  (2 * most_cancelling_ulps + 1) *
                      half_ulp<Real>(std::max(std::abs(t), std::abs(static_cast<double>(p)))))
            << format<Real> << " " << pair.k;
        steps.insert(pair.k);
      }
    EXPECT_EQ(steps.size(), 9u);  // −4 … 4
  });
}

}  // namespace
}  // namespace embedscale::properties::testing
