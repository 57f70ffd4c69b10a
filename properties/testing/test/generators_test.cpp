// The generators draw from their whole domain from the first case on, and shrink planted faults to
// the counterexample that a person would choose.
#include "../generators/numbers.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <vector>

#include "../run.hpp"

namespace embedscale::properties::testing {
namespace {

namespace gen = generators;
using domain::Rational;

/// What a property that draws one value gets, in order.
template <class T>
std::vector<T> drawn(const std::string& name, int cases, const rc::Gen<T>& from) {
  std::vector<T> values;
  run(name, cases, [&] { values.push_back(gen::named("x", from)); });
  return values;
}

/// The counterexample to "no value of this generator is at fault".
template <class T, class Fault>
std::string simplest(const std::string& name, const rc::Gen<T>& from, Fault at_fault) {
  const auto outcome =
      run(name, default_cases, [&] { holds_exactly(!at_fault(gen::named("x", from))); });
  EXPECT_EQ(outcome.verdict, Outcome::Verdict::falsified) << name;
  return outcome.counterexample;
}

constexpr auto always = [](const auto&) { return true; };

/// Uniform draws miss one half of their domain in twenty cases with a chance of 2e-6, one quarter
/// in a hundred with one of 1e-12. RapidCheck's ramp would keep twenty cases in the lowest fifth.
TEST(in_range, spans_the_domain_from_the_first_cases_on) {
  const auto values = drawn("spans", 1000, gen::in_range(0, 1000));
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

TEST(in_range, includes_its_lowest_value_and_excludes_its_end) {
  const auto values = drawn("ends", 1000, gen::in_range(-3, 4));
  EXPECT_EQ(std::set(values.begin(), values.end()), (std::set{-3, -2, -1, 0, 1, 2, 3}));
}

TEST(in_range, shrinks_to_the_lowest_value_at_fault) {
  EXPECT_EQ(simplest("any", gen::in_range(5, 1000), always), "x = 5");
  EXPECT_EQ(simplest("above", gen::in_range(0, 1000), [](int x) { return x > 617; }), "x = 618");
}

TEST(widths, span_the_domain_and_shrink_to_the_lowest_at_fault) {
  const auto values = drawn("widths", 100, gen::widths());
  EXPECT_TRUE(std::ranges::all_of(values, [](auto d) { return domain::swept_widths.contains(d); }));
  for (std::uint64_t quarter = 0; quarter < 4; ++quarter)
    EXPECT_TRUE(std::ranges::any_of(values, [&](auto d) { return (d - 1) / 256 == quarter; }));
  const auto few = drawn("few widths", 100, gen::widths({5, 7}));
  EXPECT_EQ(std::set(few.begin(), few.end()), (std::set<std::uint64_t>{5, 6, 7}));
  EXPECT_EQ(simplest("any width", gen::widths(), always), "x = 1");
  EXPECT_EQ(simplest("given widths", gen::widths({64, 4096}), always), "x = 64");
  // Three widths at fault among 1024 are found as well: ten thousand cases miss them with e^-29.
  for (const std::uint64_t lowest : {2u, 300u, 1022u})
    EXPECT_EQ(simplest("wide", gen::widths(), [&](auto d) { return d >= lowest; }),
              "x = " + std::to_string(lowest));
}

TEST(draws, span_forty_bits_and_shrink_to_zero) {
  const auto values = drawn("draws", 100, gen::draws());
  EXPECT_LT(std::ranges::max(values), std::uint64_t{1} << 40);
  EXPECT_GT(std::ranges::max(values), std::uint64_t{1} << 39);
  EXPECT_LT(std::ranges::min(values), std::uint64_t{1} << 38);
  EXPECT_EQ(simplest("any draw", gen::draws(), always), "x = 0");
}

/// Zero has a share of 1/61, which a thousand cases miss with a chance of 7e-8; the others have at
/// least 18 % each, which a hundred miss with 3e-9.
TEST(rationals, every_class_occurs) {
  auto values = drawn("classes", 1000, gen::rationals());
  EXPECT_TRUE(std::ranges::count(values, Rational(0)) > 0);
  values.resize(100);
  const auto some = [&](auto property) { return std::ranges::any_of(values, property); };
  EXPECT_TRUE(some([](const Rational& x) { return x < 0; }));
  EXPECT_TRUE(some([](const Rational& x) { return x > 0; }));
  EXPECT_TRUE(some([](const Rational& x) { return denominator(x) > 1; }));
  EXPECT_TRUE(some([](const Rational& x) { return denominator(x) == 1; }));
  EXPECT_TRUE(some([](const Rational& x) { return abs(x) > 5; }));
  EXPECT_TRUE(some([](const Rational& x) { return x != 0 && abs(x) < 1; }));
}

TEST(rationals, stay_within_the_bounds_of_the_domain) {
  for (const auto& values :
       {drawn("all", 5000, gen::rationals()), drawn("nonzero", 5000, gen::nonzero_rationals()),
        drawn("positive", 5000, gen::positive_rationals())})
    for (const Rational& x : values) {
      ASSERT_LE(abs(numerator(x)), domain::Rationals::largest_numerator);
      ASSERT_LE(denominator(x), domain::Rationals::largest_denominator);
    }
}

TEST(rationals, shrink_to_the_simplest_at_fault) {
  EXPECT_EQ(simplest("any", gen::rationals(), always), "x = 0");
  EXPECT_EQ(simplest("large", gen::rationals(), [](const Rational& x) { return abs(x) >= 1; }),
            "x = 1");
  EXPECT_EQ(simplest("nonzero", gen::rationals(), [](const Rational& x) { return x != 0; }),
            "x = 1");
  EXPECT_EQ(simplest("ten", gen::rationals(), [](const Rational& x) { return abs(x) >= 10; }),
            "x = 10");
}

TEST(nonzero_rationals, never_draw_zero_and_shrink_to_one) {
  const auto values = drawn("nonzero", 5000, gen::nonzero_rationals());
  EXPECT_EQ(std::ranges::count(values, Rational(0)), 0);
  EXPECT_TRUE(std::ranges::any_of(values, [](const Rational& x) { return x < 0; }));
  EXPECT_EQ(simplest("any", gen::nonzero_rationals(), always), "x = 1");
}

TEST(positive_rationals, are_above_zero_and_shrink_to_one) {
  const auto values = drawn("positive", 5000, gen::positive_rationals());
  EXPECT_GT(std::ranges::min(values), 0);
  EXPECT_TRUE(std::ranges::any_of(values, [](const Rational& x) { return x < 1; }));
  EXPECT_TRUE(std::ranges::any_of(values, [](const Rational& x) { return x > 1; }));
  EXPECT_EQ(simplest("any", gen::positive_rationals(), always), "x = 1");
}

TEST(channels, have_the_size_asked_and_shrink_each_channel) {
  for (const std::size_t size : {1u, 2u, 4u})
    for (const auto& vector : drawn("channels", 100, gen::channels(size)))
      ASSERT_EQ(vector.size(), size);
  EXPECT_EQ(simplest("any", gen::channels(3), always), "x = [0, 0, 0]");
  EXPECT_EQ(simplest("second", gen::channels(2), [](const auto& x) { return x[1] != 0; }),
            "x = [0, 1]");
}

TEST(named, counterexamples_show_every_value_under_its_name_in_the_order_of_drawing) {
  const auto outcome = run("named", default_cases, [] {
    const auto d = gen::named("d", gen::widths());
    const auto e = gen::named("e", gen::nonzero_rationals());
    holds_exactly(d < 2 || e < 0);
  });
  EXPECT_EQ(outcome.counterexample, "d = 2, e = 1");
}

}  // namespace
}  // namespace embedscale::properties::testing
