// The domains draw from their whole range from the first case on, whatever RapidCheck's size is;
// planted faults are simplified to the counterexample that a person would choose, in few steps, and
// shown so that nothing is lost.
#include "../draws.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <optional>
#include <set>
#include <vector>

#include "../../domain/formats.hpp"
#include "../generators/drawn.hpp"
#include "../run.hpp"

namespace embedscale::properties::testing {
namespace {

using namespace domain;

/// What a property that draws one value gets, in order.
template <class T>
std::vector<T> drawn(const std::string& name, int cases, const Domain<T>& from) {
  std::vector<T> values;
  run(name, cases, [&] { values.push_back(named("x", from)); });
  return values;
}

template <class T>
using Fault = std::function<bool(const T&)>;
constexpr auto always = [](const auto&) { return true; };

template <class T>
struct Simplest {
  T value;
  std::string shown;
};

/// The simplest counterexample to "no value of this domain is at fault". Simplifying tries at most
/// 20 000 values, which takes some 20 ms for floats.
template <class T>
Simplest<T> simplest(const Domain<T>& from, const Fault<T>& at_fault) {
  std::optional<T> found;
  int tried = 0;
  const auto outcome = run("simplest", default_cases, [&] {
    const T x = named("x", from);
    ++tried;
    const bool fails = at_fault(x);
    if (fails) found.emplace(x);
    holds_exactly(!fails);
  });
  EXPECT_EQ(outcome.verdict, Outcome::Ending::falsified);
  EXPECT_LT(tried - outcome.cases, 20000);
  return {found.value_or(T{}), outcome.counterexample};
}

/// Each fault is simplified to a counterexample that is shown so.
template <class T>
void expect_simplified(const Domain<T>& from,
                       const std::vector<std::pair<Fault<T>, std::string>>& faults) {
  for (const auto& [fault, shown] : faults) EXPECT_EQ(simplest(from, fault).shown, "x = " + shown);
}

/// The same of a fault that looks at the number as a double, in any format.
template <class Real>
double simplest_float(const Fault<double>& at_fault, const Mixture& mixture = every_float) {
  const Fault<Real> fault = [&](const Real& x) { return at_fault(static_cast<double>(x)); };
  return static_cast<double>(simplest(floats<Real>(mixture), fault).value);
}

/// Uniform draws miss one half of their domain in twenty cases with a chance of 2e-6, one quarter
/// in a hundred with one of 1e-12. RapidCheck's ramp would keep twenty cases in the lowest fifth.
TEST(in_range, spans_the_domain_from_the_first_cases_on) {
  const auto values = drawn("spans", 1000, in_range(0, 1000));
  ASSERT_EQ(values.size(), 1000u);
  const auto halves =
      std::ranges::count_if(values.begin(), values.begin() + 20, [](int x) { return x >= 500; });
  EXPECT_GT(halves, 0);
  EXPECT_LT(halves, 20);
  for (int quarter = 0; quarter < 4; ++quarter)
    EXPECT_GT(std::ranges::count_if(values.begin(), values.begin() + 100,
                                    [&](int x) { return x / 250 == quarter; }),
              0)
        << quarter;
}

TEST(in_range, includes_its_lowest_value_excludes_its_end_and_is_simplified_to_the_lowest) {
  const auto values = drawn("ends", 1000, in_range(-3, 4));
  EXPECT_EQ(std::set(values.begin(), values.end()), (std::set{-3, -2, -1, 0, 1, 2, 3}));
  expect_simplified(in_range(5, 1000), {{always, "5"}});
  expect_simplified(in_range(0, 1000), {{[](int x) { return x > 617; }, "618"}});
}

TEST(widths, span_the_domain_and_are_simplified_to_the_lowest_at_fault) {
  const auto values = drawn("widths", 100, widths());
  EXPECT_TRUE(std::ranges::all_of(values, [](auto d) { return swept_widths.contains(d); }));
  for (std::uint64_t quarter = 0; quarter < 4; ++quarter)
    EXPECT_TRUE(std::ranges::any_of(values, [&](auto d) { return (d - 1) / 256 == quarter; }));
  // Three widths at fault among 1024 are found as well: ten thousand cases miss them with e^-29.
  expect_simplified(widths(), {{always, "1"}, {[](auto d) { return d >= 1022; }, "1022"}});
}

TEST(draws, span_forty_bits_and_are_simplified_to_zero) {
  const auto values = drawn("draws", 100, draws());
  EXPECT_LT(std::ranges::max(values), std::uint64_t{1} << 40);
  EXPECT_GT(std::ranges::max(values), std::uint64_t{1} << 39);
  EXPECT_LT(std::ranges::min(values), std::uint64_t{1} << 38);
  expect_simplified(draws(), {{always, "0"}});
}

/// Zero has a share of 1/61, which a thousand cases miss with a chance of 7e-8; the others have at
/// least 18 % each, which a hundred miss with 3e-9.
TEST(rationals, every_class_occurs_and_nothing_else) {
  auto values = drawn("classes", 1000, rationals());
  EXPECT_TRUE(std::ranges::count(values, Rational(0)) > 0);
  for (const Rational& x : values)
    ASSERT_TRUE(abs(numerator(x)) <= Rationals::largest_numerator &&
                denominator(x) <= Rationals::largest_denominator);
  EXPECT_EQ(std::ranges::count(drawn("nonzero", 1000, nonzero_rationals()), Rational(0)), 0);
  EXPECT_GT(std::ranges::min(drawn("positive", 1000, positive_rationals())), 0);
  values.resize(100);
  for (const Fault<Rational>& in_class :
       {Fault<Rational>([](const Rational& x) { return x < 0; }),
        Fault<Rational>([](const Rational& x) { return x > 0; }),
        Fault<Rational>([](const Rational& x) { return denominator(x) > 1; }),
        Fault<Rational>([](const Rational& x) { return denominator(x) == 1; }),
        Fault<Rational>([](const Rational& x) { return abs(x) > 5; }),
        Fault<Rational>([](const Rational& x) { return x != 0 && abs(x) < 1; })})
    EXPECT_TRUE(std::ranges::any_of(values, in_class));
}

TEST(rationals, are_simplified_to_the_simplest_at_fault_and_so_is_each_channel) {
  expect_simplified(rationals(), {{always, "0"},
                                  {[](const Rational& x) { return abs(x) >= 1; }, "1"},
                                  {[](const Rational& x) { return x != 0; }, "1"},
                                  {[](const Rational& x) { return abs(x) >= 10; }, "10"}});
  expect_simplified(nonzero_rationals(), {{always, "1"}});
  expect_simplified(positive_rationals(), {{always, "1"}});
  expect_simplified(channels(3), {{always, "[0, 0, 0]"}});
  expect_simplified(channels(2), {{[](const auto& x) { return x[1] != 0; }, "[0, 1]"}});
}

TEST(exact_text, is_decimal_and_hexadecimal_and_says_once_what_has_no_digits) {
  EXPECT_EQ(exact_text(0.1), "0.1 (0x1.999999999999ap-4)");
  EXPECT_EQ(exact_text(0.1f), "0.1 (0x1.99999ap-4)");
  EXPECT_EQ(exact_text(binary16(0.1)), "0.0999755859375 (0x1.998p-4)");
  EXPECT_EQ(exact_text(bfloat16(-3.0)), "-3 (-0x1.8p+1)");
  EXPECT_EQ(exact_text(-0.0), "-0");
  EXPECT_EQ(exact_text(std::nan("")), "nan");
  EXPECT_EQ(exact_text(bfloat16::infinity()), "inf");
}

TEST(floats, are_simplified_within_their_mixture_to_small_whole_numbers_and_few_digits) {
  for_each_format([]<class Real>() {
    const auto zero = simplest_float<Real>(always);
    EXPECT_EQ(zero, 0.0);
    EXPECT_FALSE(std::signbit(zero));
    const std::vector<std::pair<Fault<double>, double>> faults{
        {[](double x) { return x != 0; }, 1.0},
        {[](double x) { return x > 101; }, 102.0},
        {[](double x) { return x < 0; }, -1.0},
        {[](double x) { return 0 < x && x < 0.5; }, 0.25},
        {[](double x) { return std::abs(x) >= 2048; }, 2048.0},
        {[](double x) { return x != 0 && std::abs(x) < FormatTraits<Real>::min_normal; },
         FormatTraits<Real>::min_normal / 2}};
    for (const auto& [fault, simple] : faults) EXPECT_EQ(simplest_float<Real>(fault), simple);
    EXPECT_EQ(
        simplest_float<Real>([](double x) { return 1600 < x && x < 2000; }, positive_floats(8, 12)),
        1792.0);                              // 7·2^8
    for (const FloatKind kind : float_kinds)  // the negative one where only that fails
      for (const bool negative : {false, true}) {
        const Fault<Real> fault = [=](const Real& x) {
          const auto [of_x, below] = class_of(x);
          return of_x == kind && (below || !negative);
        };
        EXPECT_EQ(class_of(simplest(floats<Real>(), fault).value), (FloatClass{kind, negative}));
      }
  });
  EXPECT_EQ(simplest_float<double>(always, normal_floats), 1.0);
  EXPECT_EQ(simplest_float<float>(always, positive_floats(-9, -5)), 0x1p-5);
  EXPECT_EQ(simplest_float<binary16>([](double x) { return x > 100; }, positive_floats(5, 9)),
            101.0);
}

TEST(integers, are_simplified_to_the_least_at_fault) {
  expect_simplified(testing::positions(), {{always, "0"},
                                           {[](auto p) { return p >= 617; }, "617"},
                                           {[](auto p) { return p == 1 << 17; }, "131072"}});
  expect_simplified(testing::positions(far_positions),
                    {{[](auto p) { return p > 1 << 23; }, "8388609"}});
  expect_simplified(multiples(12, {100, 4096}), {{always, "108"}});
  expect_simplified(multiples(12, {1, 4096}), {{[](auto d) { return d > 768; }, "780"}});
  expect_simplified(widths_by_size({64, 4096}), {{always, "64"}});
}

}  // namespace
}  // namespace embedscale::properties::testing
