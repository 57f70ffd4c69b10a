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
#include "../generators/configurations.hpp"
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
  const auto few = drawn("few widths", 100, widths({5, 7}));
  EXPECT_EQ(std::set(few.begin(), few.end()), (std::set<std::uint64_t>{5, 6, 7}));
  expect_simplified(widths({64, 4096}), {{always, "64"}});
  // Three widths at fault among 1024 are found as well: ten thousand cases miss them with e^-29.
  expect_simplified(widths(), {{always, "1"},
                               {[](auto d) { return d >= 2; }, "2"},
                               {[](auto d) { return d >= 300; }, "300"},
                               {[](auto d) { return d >= 1022; }, "1022"}});
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
TEST(rationals, every_class_occurs) {
  auto values = drawn("classes", 1000, rationals());
  EXPECT_TRUE(std::ranges::count(values, Rational(0)) > 0);
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

TEST(rationals, stay_within_the_bounds_of_the_domain_and_of_their_names) {
  const auto nonzero = drawn("nonzero", 5000, nonzero_rationals());
  const auto positive = drawn("positive", 5000, positive_rationals());
  for (const auto& values : {drawn("all", 5000, rationals()), nonzero, positive})
    for (const Rational& x : values) {
      ASSERT_LE(abs(numerator(x)), Rationals::largest_numerator);
      ASSERT_LE(denominator(x), Rationals::largest_denominator);
    }
  EXPECT_EQ(std::ranges::count(nonzero, Rational(0)), 0);
  EXPECT_TRUE(std::ranges::any_of(nonzero, [](const Rational& x) { return x < 0; }));
  EXPECT_GT(std::ranges::min(positive), 0);
  EXPECT_TRUE(std::ranges::any_of(positive, [](const Rational& x) { return x < 1; }));
  EXPECT_TRUE(std::ranges::any_of(positive, [](const Rational& x) { return x > 1; }));
}

TEST(rationals, are_simplified_to_the_simplest_at_fault_and_so_is_each_channel) {
  expect_simplified(rationals(), {{always, "0"},
                                  {[](const Rational& x) { return abs(x) >= 1; }, "1"},
                                  {[](const Rational& x) { return x != 0; }, "1"},
                                  {[](const Rational& x) { return abs(x) >= 10; }, "10"}});
  expect_simplified(nonzero_rationals(), {{always, "1"}});
  expect_simplified(positive_rationals(), {{always, "1"}});
  for (const std::size_t size : {1u, 2u, 4u})
    for (const auto& vector : drawn("channels", 100, channels(size)))
      ASSERT_EQ(vector.size(), size);
  expect_simplified(channels(3), {{always, "[0, 0, 0]"}});
  expect_simplified(channels(2), {{[](const auto& x) { return x[1] != 0; }, "[0, 1]"}});
}

TEST(named, counterexamples_show_every_value_under_its_name_in_the_order_of_drawing) {
  const auto outcome = run("named", default_cases, [] {
    const auto d = named("d", widths());
    const auto e = named("e", nonzero_rationals());
    holds_exactly(d < 2 || e < 0);
  });
  EXPECT_EQ(outcome.counterexample, "d = 2, e = 1");
}

TEST(exact_text, is_decimal_and_hexadecimal_and_says_once_what_has_no_digits) {
  EXPECT_EQ(exact_text(0.1), "0.1 (0x1.999999999999ap-4)");
  EXPECT_EQ(exact_text(0.1f), "0.1 (0x1.99999ap-4)");
  EXPECT_EQ(exact_text(-1.5), "-1.5 (-0x1.8p+0)");
  EXPECT_EQ(exact_text(binary16(0.1)), "0.0999755859375 (0x1.998p-4)");
  EXPECT_EQ(exact_text(bfloat16(-3.0)), "-3 (-0x1.8p+1)");
  EXPECT_EQ(exact_text(0x1p-1074), "5e-324 (0x0.0000000000001p-1022)");
  EXPECT_EQ(exact_text(0.0), "0");
  EXPECT_EQ(exact_text(-0.0), "-0");
  EXPECT_EQ(exact_text(HUGE_VAL), "inf");
  EXPECT_EQ(exact_text(-HUGE_VAL), "-inf");
  EXPECT_EQ(exact_text(std::nan("")), "nan");
  EXPECT_EQ(exact_text(bfloat16::infinity()), "inf");
}

/// Both halves, over all exponents and either sign; what a counterexample shows is that text.
TEST(exact_text, gives_every_number_back) {
  constexpr Mixture neither_zero_nor_special{{7, 1, 0, 0, 0}};
  expect_held(run("gives back", default_cases, [&] {
    const double x = named("x", floats<double>(neither_zero_nor_special));
    const auto text = exact_text(x);
    const auto bracket = text.find(" (");
    holds_exactly(std::strtod(text.substr(0, bracket).c_str(), nullptr) == x);
    holds_exactly(std::strtod(text.substr(bracket + 2).c_str(), nullptr) == x);
  }));
  EXPECT_EQ(simplest<double>(floats<double>(positive_floats(-4, -4)), always).shown,
            "x = 0.0625 (0x1p-4)");
}

TEST(floats, are_simplified_to_zero_small_whole_numbers_and_few_digits) {
  for_each_format([]<class Real>() {
    const auto zero = simplest_float<Real>(always);
    EXPECT_EQ(zero, 0.0);
    EXPECT_FALSE(std::signbit(zero));
    const std::vector<std::pair<Fault<double>, double>> faults{
        {[](double x) { return x != 0; }, 1.0},
        {[](double x) { return x > 1; }, 2.0},
        {[](double x) { return x > 101; }, 102.0},
        {[](double x) { return x < 0; }, -1.0},
        {[](double x) { return x != std::floor(x); }, 0.5},
        {[](double x) { return 0 < x && x < 0.5; }, 0.25}};
    for (const auto& [fault, simple] : faults) EXPECT_EQ(simplest_float<Real>(fault), simple);
    for (const int k : {2, 10, 11, 15})
      EXPECT_EQ(simplest_float<Real>([&](double x) { return std::abs(x) >= std::ldexp(1, k); }),
                std::ldexp(1, k));
    EXPECT_EQ(
        simplest_float<Real>([](double x) { return 1600 < x && x < 2000; }, positive_floats(8, 12)),
        1792.0);  // 7·2^8
  });
}

TEST(floats, are_simplified_to_the_positive_one_of_a_special_class) {
  for_each_format([]<class Real>() {
    const auto simplest_of = [](const Fault<FloatClass>& fault) {
      return class_of(
          simplest<Real>(floats<Real>(), [&](const Real& x) { return fault(class_of(x)); }).value);
    };
    for (const FloatKind kind : {FloatKind::nan, FloatKind::infinity, FloatKind::subnormal})
      EXPECT_EQ(simplest_of([=](FloatClass c) { return c.kind == kind; }),
                (FloatClass{kind, false}));
    for (const FloatKind kind : float_kinds) {  // and the negative one where only that fails
      const FloatClass wanted{kind, true};
      EXPECT_EQ(simplest_of([=](FloatClass c) { return c == wanted; }), wanted) << name_of(wanted);
    }
    // The subnormal power of two that is nearest to 1.
    EXPECT_EQ(simplest_float<Real>(
                  [](double x) { return x != 0 && std::abs(x) < FormatTraits<Real>::min_normal; }),
              FormatTraits<Real>::min_normal / 2);
  });
}

TEST(floats, are_simplified_within_their_mixture) {
  EXPECT_EQ(simplest_float<double>(always, normal_floats), 1.0);
  EXPECT_EQ(simplest_float<float>(always, positive_floats(5, 9)), 32.0);
  EXPECT_EQ(simplest_float<float>(always, positive_floats(-9, -5)), 0x1p-5);
  EXPECT_EQ(simplest_float<binary16>([](double x) { return x > 100; }, positive_floats(5, 9)),
            101.0);
}

TEST(floats, simpler_ones_are_members_and_the_opposite_of_a_negative_one_is_among_them) {
  for (std::uint64_t i = 0; i < 2000; ++i) {
    const auto x = any_float<double>(Stream(0, "simpler"), i, finite_floats);
    const auto found = generators::simpler_floats(x, finite_floats);
    for (const double to : found)
      ASSERT_LT(generators::simplicity(to), generators::simplicity(x)) << x;
    ASSERT_EQ(std::ranges::count(found, -x), std::signbit(x) ? 1 : 0) << x;
  }
}

/// A fault in the last place: no shorter number fails, and each of 53 bits is a step.
TEST(floats, of_full_length_lose_every_bit_that_does_not_matter) {
  const auto last_place = [](double x) {
    return std::isfinite(x) && x != 0 && (bits_of(x) & 1) != 0 && std::abs(x) > 0.5;
  };
  EXPECT_EQ(simplest_float<double>(last_place), std::nextafter(1.0, 2.0));
}

TEST(cancelling, is_simplified_in_the_token_then_in_the_distance) {
  for_each_format([]<class Real>() {
    using Pair = domain::Cancelling<Real>;
    expect_simplified(
        testing::cancelling<Real>(Real(3)),
        {{always, "e = 1 (0x1p+0), p = -(m e + 0 ulp)"},
         {[](const Pair& x) { return x.k != 0; }, "e = 1 (0x1p+0), p = -(m e + 1 ulp)"},
         {[](const Pair& x) { return x.k < 0 && double(x.e) < -2; },
          "e = -3 (-0x1.8p+1), p = -(m e - 1 ulp)"}});
  });
}

TEST(integers, are_simplified_to_the_least_at_fault) {
  expect_simplified(testing::positions(), {{always, "0"},
                                           {[](auto p) { return p >= 617; }, "617"},
                                           {[](auto p) { return p == 1 << 17; }, "131072"}});
  expect_simplified(testing::positions(far_positions),
                    {{[](auto p) { return p > 1 << 23; }, "8388609"}});
  expect_simplified(multiples(2, {1, 4096}), {{always, "2"}});
  expect_simplified(multiples(12, {100, 4096}), {{always, "108"}});
  expect_simplified(multiples(12, {1, 4096}), {{[](auto d) { return d > 768; }, "780"}});
  expect_simplified(widths_by_size({64, 4096}), {{always, "64"}});
}

TEST(laws, are_simplified_to_the_first_of_scale_one) {
  const auto is = [](std::string_view name) {
    return [name](const Law& law) { return name_of(law) == name; };
  };
  expect_simplified(
      laws(),
      {{always, "normal(1)"},
       {is("uniform"), "uniform(+-1)"},
       {is("truncated_normal"), "truncated_normal(1)"},
       {is("xavier_uniform"), "xavier_uniform(V 1 d 1)"},
       {is("xavier_normal"), "xavier_normal(V 1 d 1)"},
       {[&](const Law& law) { return is("normal")(law) && scale_of(law.initializer) < 0.3; },
        "normal(0.25)"}});
}

TEST(configurations, are_simplified_to_the_default_but_for_what_is_at_fault) {
  using C = ModelConfiguration;
  const auto any = domain_of(generators::configurations());
  EXPECT_EQ(simplest<C>(any, always).value, C{});
  C expected;
  expected.position_kind = "sinusoidal";
  EXPECT_EQ(simplest<C>(any, [](const C& c) { return c.position_kind == "sinusoidal"; }).value,
            expected);
  const auto found = simplest<C>(any, [](const C& c) {
    return c.position_kind == "sinusoidal" && c.frequencies == "tensor2tensor" &&
           std::ranges::any_of(c.extras, [](const auto& extra) { return extra.multiplier == 0; });
  });
  EXPECT_EQ(found.value.d_model, 4u);
  EXPECT_EQ(found.value.extras.size(), 1u);
  EXPECT_EQ(found.shown.find("[embedding_norm]"), std::string::npos);
}

/// RapidCheck's sizes grow from 0 to 100 in a run; whatever they are, the draw is the same.
template <class T, class Shown>
void expect_one_draw_for_all_sizes(const Domain<T>& from, Shown shown) {
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    const auto drawn = [&](int size) {
      return shown(generator_of(from)(rc::Random(seed), size).value());
    };
    for (const int size : {0, 1, 1000}) ASSERT_EQ(drawn(size), drawn(100)) << seed;
  }
}

TEST(domains, draw_the_same_at_every_size) {
  const auto itself = [](const auto& x) { return x; };
  for_each_format([]<class Real>() {
    expect_one_draw_for_all_sizes(floats<Real>(), [](const Real& x) { return bits_of(x); });
    expect_one_draw_for_all_sizes(testing::cancelling<Real>(Real(3)), [](const auto& pair) {
      return std::pair(bits_of(pair.e), pair.k);
    });
  });
  expect_one_draw_for_all_sizes(testing::positions(), itself);
  expect_one_draw_for_all_sizes(multiples(2, {2, 4096}), itself);
  expect_one_draw_for_all_sizes(
      laws(), [](const Law& law) { return std::pair(name_of(law), scale_of(law.initializer)); });
  expect_one_draw_for_all_sizes(domain_of(generators::configurations()), itself);
}

}  // namespace
}  // namespace embedscale::properties::testing
