// Planted faults: whatever is drawn first, they are simplified to the counterexample that a person
// would choose, in few steps; and no generator depends on RapidCheck's size.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <sstream>
#include <string>

#include "../../domain/formats.hpp"
#include "../generators/configurations.hpp"
#include "../generators/floats.hpp"
#include "../generators/integers.hpp"
#include "../generators/laws.hpp"
#include "../run.hpp"

namespace embedscale::properties::testing {
namespace {

using namespace domain;
namespace gen = generators;

constexpr auto always = [](const auto&) { return true; };

/// The simplest counterexample to "no value of this generator is at fault". Simplifying tries at
/// most 20 000 values, which takes some 20 ms for floats.
template <class Value, class Fault>
Value simplest(const rc::Gen<Value>& from, Fault at_fault) {
  std::optional<Value> found;
  int tried = 0;
  const auto outcome = run("simplest", default_cases, [&] {
    const Value x = *from.as("x");
    ++tried;
    const bool fails = at_fault(x);
    if (fails) found.emplace(x);
    holds_exactly(!fails);
  });
  EXPECT_EQ(outcome.verdict, Outcome::Verdict::falsified);
  EXPECT_LT(tried - outcome.cases, 20000);
  return found.value_or(Value{});
}

/// The same of a fault that looks at the number as a double, in any format.
template <class Real, class Fault>
double simplest_float(Fault at_fault, const Mixture& mixture = every_float) {
  return static_cast<double>(simplest(
      gen::floats<Real>(mixture), [&](const Real& x) { return at_fault(static_cast<double>(x)); }));
}

template <class Value>
std::string shown(const Value& value) {
  std::ostringstream text;
  text << value;
  return text.str();
}

TEST(floats, simplify_to_zero_small_whole_numbers_and_few_digits) {
  for_each_format([]<class Real>() {
    const auto zero = simplest_float<Real>(always);
    EXPECT_EQ(zero, 0.0);
    EXPECT_FALSE(std::signbit(zero));
    EXPECT_EQ(simplest_float<Real>([](double x) { return x != 0; }), 1.0);
    EXPECT_EQ(simplest_float<Real>([](double x) { return x > 1; }), 2.0);
    EXPECT_EQ(simplest_float<Real>([](double x) { return x > 101; }), 102.0);
    EXPECT_EQ(simplest_float<Real>([](double x) { return x < 0; }), -1.0);
    EXPECT_EQ(simplest_float<Real>([](double x) { return x != std::floor(x); }), 0.5);
    EXPECT_EQ(simplest_float<Real>([](double x) { return 0 < x && x < 0.5; }), 0.25);
    for (const int k : {2, 10, 11, 15})
      EXPECT_EQ(simplest_float<Real>([&](double x) { return std::abs(x) >= std::ldexp(1, k); }),
                std::ldexp(1, k));
    EXPECT_EQ(
        simplest_float<Real>([](double x) { return 1600 < x && x < 2000; }, positive_floats(8, 12)),
        1792.0);  // 7·2^8
  });
}

TEST(floats, simplify_to_the_positive_one_of_a_special_class) {
  for_each_format([]<class Real>() {
    const auto in = [](FloatKind kind) {
      return class_of(
          simplest(gen::floats<Real>(), [=](const Real& x) { return class_of(x).kind == kind; }));
    };
    EXPECT_EQ(in(FloatKind::nan), (FloatClass{FloatKind::nan, false}));
    EXPECT_EQ(in(FloatKind::infinity), (FloatClass{FloatKind::infinity, false}));
    EXPECT_EQ(in(FloatKind::subnormal), (FloatClass{FloatKind::subnormal, false}));
    for (const FloatKind kind : float_kinds) {  // and the negative one where only that fails
      const FloatClass wanted{kind, true};
      EXPECT_EQ(class_of(simplest(gen::floats<Real>(),
                                  [&](const Real& x) { return class_of(x) == wanted; })),
                wanted)
          << name_of(wanted);
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

TEST(simpler_floats, are_simpler_and_members_and_the_opposite_of_a_negative_one_is_among_them) {
  for (std::uint64_t i = 0; i < 2000; ++i) {
    const auto x = any_float<double>(Stream(0, "simpler"), i, finite_floats);
    const auto found = gen::simpler_floats(x, finite_floats);
    for (const double to : found) ASSERT_LT(gen::simplicity(to), gen::simplicity(x)) << x;
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

TEST(neighbours, simplify_the_number_then_the_distance) {
  for_each_format([]<class Real>() {
    using Pair = Neighbours<Real>;
    const auto simplified = [](auto fault) {
      return shown(simplest(gen::neighbours<Real>(), fault));
    };
    EXPECT_EQ(simplified(always), "0 + 1 ulp");
    EXPECT_EQ(simplified([](const Pair& x) { return std::abs(x.k) >= 3; }), "0 + 3 ulp");
    EXPECT_EQ(simplified([](const Pair& x) { return x.k < -1; }), "0 - 2 ulp");
    EXPECT_EQ(simplified([](const Pair& x) { return double(x.x) > 1; }), "2 (0x1p+1) + 1 ulp");
    EXPECT_EQ(
        simplified([](const Pair& x) { return double(x.x) < 0 && double(x.y()) > 0; }).substr(0, 1),
        "-");
  });
}

TEST(cancelling, simplify_the_token_then_the_distance) {
  for_each_format([]<class Real>() {
    using Pair = Cancelling<Real>;
    const auto simplified = [](auto fault) {
      return shown(simplest(gen::cancelling<Real>(Real(3)), fault));
    };
    EXPECT_EQ(simplified(always), "e = 1 (0x1p+0), p = -(m e + 0 ulp)");
    EXPECT_EQ(simplified([](const Pair& x) { return x.k != 0; }),
              "e = 1 (0x1p+0), p = -(m e + 1 ulp)");
    EXPECT_EQ(simplified([](const Pair& x) { return x.k < 0 && double(x.e) < -2; }),
              "e = -3 (-0x1.8p+1), p = -(m e - 1 ulp)");
  });
}

TEST(positions, simplify_to_the_first_at_fault) {
  EXPECT_EQ(simplest(gen::positions(), always), 0);
  EXPECT_EQ(simplest(gen::positions(), [](auto p) { return p >= 617; }), 617);
  EXPECT_EQ(simplest(gen::positions(domain::far_positions), [](auto p) { return p > 1 << 23; }),
            (1 << 23) + 1);
  EXPECT_EQ(simplest(gen::positions(), [](auto p) { return p == 1 << 17; }), 1 << 17);
}

TEST(multiples, simplify_to_the_least_at_fault) {
  EXPECT_EQ(simplest(gen::multiples(2, {1, 4096}), always), 2u);
  EXPECT_EQ(simplest(gen::multiples(12, {100, 4096}), always), 108u);
  EXPECT_EQ(simplest(gen::multiples(12, {1, 4096}), [](auto d) { return d > 768; }), 780u);
  EXPECT_EQ(simplest(gen::widths_by_size({64, 4096}), always), 64u);
}

TEST(laws, simplify_to_the_first_of_scale_one) {
  const auto simplified = [](auto fault) { return shown(simplest(gen::laws(), fault)); };
  const auto named = [](std::string_view name) {
    return [name](const Law& law) { return name_of(law) == name; };
  };
  EXPECT_EQ(simplified(always), "normal(1)");
  EXPECT_EQ(simplified(named("uniform")), "uniform(+-1)");
  EXPECT_EQ(simplified(named("truncated_normal")), "truncated_normal(1)");
  EXPECT_EQ(simplified(named("xavier_uniform")), "xavier_uniform(V 1 d 1)");
  EXPECT_EQ(simplified(named("xavier_normal")), "xavier_normal(V 1 d 1)");
  EXPECT_EQ(simplified([](const Law& law) {
              return name_of(law) == "normal" && scale_of(law.initializer) < 0.3;
            }),
            "normal(0.25)");
}

TEST(configurations, simplify_to_the_default_but_for_what_is_at_fault) {
  EXPECT_EQ(simplest(gen::configurations(), always), ModelConfiguration{});
  ModelConfiguration expected;
  expected.position_kind = "sinusoidal";
  EXPECT_EQ(simplest(gen::configurations(),
                     [](const auto& c) { return c.position_kind == "sinusoidal"; }),
            expected);
  const auto found = simplest(gen::configurations(), [](const auto& c) {
    return c.position_kind == "sinusoidal" && c.frequencies == "tensor2tensor" &&
           std::ranges::any_of(c.extras, [](const auto& extra) { return extra.multiplier == 0; });
  });
  EXPECT_EQ(found.d_model, 4u);
  EXPECT_EQ(found.extras.size(), 1u);
  EXPECT_EQ(shown(found).find("[embedding_norm]"), std::string::npos);
}

/// RapidCheck's sizes grow from 0 to 100 in a run; whatever they are, the draw is the same.
template <class Value>
void expect_one_draw_for_all_sizes(const rc::Gen<Value>& from) {
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    const auto whole = shown(from(rc::Random(seed), 100).value());
    for (const int size : {0, 1, 1000})
      ASSERT_EQ(shown(from(rc::Random(seed), size).value()), whole) << seed;
  }
}

TEST(generators, draw_the_same_at_every_size) {
  for_each_format([]<class Real>() {
    expect_one_draw_for_all_sizes(gen::floats<Real>());
    expect_one_draw_for_all_sizes(gen::neighbours<Real>());
    expect_one_draw_for_all_sizes(gen::cancelling<Real>(Real(3)));
  });
  expect_one_draw_for_all_sizes(gen::positions());
  expect_one_draw_for_all_sizes(gen::multiples(2, {2, 4096}));
  expect_one_draw_for_all_sizes(gen::laws());
  expect_one_draw_for_all_sizes(gen::configurations());
}

}  // namespace
}  // namespace embedscale::properties::testing
