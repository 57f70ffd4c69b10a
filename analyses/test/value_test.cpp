// Samples are counted where cases are evaluated; intervals carry the confidence they were made at,
// and no estimate is without one.
#include "report/value.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <functional>
#include <type_traits>

#include "report/accumulators.hpp"
#include "report/loops.hpp"
#include "report/section.hpp"
#include "texts.hpp"

namespace embedscale::report::value_test {
namespace {

constexpr properties::Claim claim{.id = "topic.claim",
                                  .said = "So it is.",
                                  .states = "it is",
                                  .measures = "misses:count, mean:3:u",
                                  .shows = "width:enough:3"};

// What draws estimate is no value, nor is a number beside them; a count and what is greatest are.
static_assert(!std::is_convertible_v<Sum, Value> && !std::is_convertible_v<Quotient, Value> &&
              !std::is_convertible_v<Estimate, Value>);
static_assert(!std::is_constructible_v<Value, double, Sum> &&
              !std::is_constructible_v<Value, double, Tally>);
static_assert(std::is_convertible_v<Tally, Value> && std::is_convertible_v<Greatest, Value>);

/// A primitive that counts its calls: whatever it is accumulated by, in how many parts, the samples
/// are its calls.
TEST(samples, are_the_calls_of_an_instrumented_primitive) {
  std::atomic<std::uint64_t> calls = 0;
  const auto primitive = [&](std::uint64_t i) { return ++calls, static_cast<double>(i); };
  Section section(claim);
  const auto sampled = [&](auto all, auto value_of) {
    std::vector<decltype(all)> parts(7);
    in_parallel(parts.size(), [&](std::uint64_t part) {
      for (std::uint64_t i = 0; i <= part; ++i) parts[part].evaluate([&] { return primitive(i); });
    });
    for (const auto& part : parts) all += part;
    section.sweep("draws", axis("d_model", std::vector{64, 512}), [&](int d) {
      all.evaluate([&] { return primitive(static_cast<std::uint64_t>(d)); });
      return Values{{"mean", value_of(all)}};
    });
    EXPECT_EQ(section.measurements().back().samples, calls.exchange(0));
  };
  sampled(Sum{}, [](const Sum& all) { return all.with_error(NormalConfidence::p999); });
  const auto tally = over<Tally>(9, [&](std::uint64_t i) { return primitive(i) > 3; });
  EXPECT_EQ(tally.share_of_all().samples(), calls);
  EXPECT_EQ(Value(tally).value(), 5);
}

double number(std::uint64_t i) { return static_cast<double>(i); }

/// The normal law's own quantile, by its error function; Student's at three degrees of freedom, a
/// root by mpmath: 0 … 3 have variance 5/3.
TEST(interval, is_as_wide_as_its_confidence_says) {
  for (const auto& level : {NormalConfidence::p999, NormalConfidence::p9999})
    EXPECT_NEAR(1 - std::erf(level.deviations() / std::sqrt(2.0)), 1 - level.confidence(), 1e-15);
  const auto& at = NormalConfidence::p999;
  const Value value = over<Sum>(4, number).with_error(at);
  EXPECT_EQ(value.value(), 1.5);
  EXPECT_EQ(value.confidence(), 0.999);
  EXPECT_NEAR(*value.upper() - *value.lower(), 2 * 12.92397863668 * std::sqrt(5.0 / 12), 1e-10);
  EXPECT_EQ(value.samples(), 4u);
  const Value known = Estimate(1.5, over<Sum>(4, number)).with_error(0.5, at);
  EXPECT_NEAR(*known.upper(), 1.5 + 0.5 * 3.290526731491895, 1e-14);
}

/// Beta quantiles by mpmath: 3 of 10 at 99 %.
TEST(interval, of_a_share_is_that_of_clopper_and_pearson) {
  const auto share = over<Tally>(10, [](std::uint64_t i) { return i < 3; }).share(0.99);
  EXPECT_EQ(share.value(), 0.3);
  EXPECT_NEAR(*share.lower(), 0.03700722109623, 1e-9);
  EXPECT_NEAR(*share.upper(), 0.7351139852871, 1e-9);
}

TEST(interval, follows_a_monotone_function_either_way) {
  const Value value = Value(2).enclosed(1, 4);
  const Value inverse = value.mapped([](double x) { return 1 / x; });
  EXPECT_EQ(inverse.value(), 0.5);
  EXPECT_EQ(inverse.lower(), 0.25);
  EXPECT_EQ(inverse.upper(), 1);
  const struct {
    double lower, upper, least, most;
  } ends[] = {{1, 4, 1, 4}, {-4, -1, 1, 4}, {-1, 4, 0, 4}, {-4, 1, 0, 4}};
  for (const auto& [lower, upper, least, most] : ends) {
    const Value size = Value((lower + upper) / 2).enclosed(lower, upper).magnitude();
    EXPECT_EQ(size.value(), std::abs(lower + upper) / 2);
    EXPECT_EQ(size.lower(), least);
    EXPECT_EQ(size.upper(), most);
  }
}

std::string refusal_of(const std::function<void(Section&)>& measure) {
  Section section(claim);
  return refusal<std::logic_error>([&] { measure(section); });
}

/// The types let none through; what arithmetic takes the interval from is refused.
TEST(section, refuses_an_estimate_without_an_interval) {
  const auto drawn = over<Sum>(4, number).with_error(NormalConfidence::p999);
  EXPECT_EQ(refusal_of([&](Section& s) {
              s.measure("mean", {{"d", 2}}, quotient(drawn, 2.0));
            }),
            "topic.claim: 'mean' is estimated from draws and has no interval, at d=2");
}

TEST(section, refuses_a_second_measurement_at_one_place) {
  const auto twice = [](const Coordinate& first, const Coordinate& second) {
    return refusal_of([&](Section& s) {
      s.measure("mean", {{"std", first}}, 1);
      s.measure("misses", {{"std", first}}, 1);
      s.measure("mean", {{"std", second}}, 1);
    });
  };
  EXPECT_EQ(twice(0.0131, 0.0134), "not refused");
  EXPECT_EQ(twice(0.0131, 0.0131), "topic.claim: 'mean' was measured already, at std=0.0131");
  EXPECT_NE(twice(2, "2"), "not refused");  // as look-ups name them, they are one place
}

/// Of what is to be enough neither the estimate is shown nor a number below it.
TEST(section, rounds_a_threshold_up_from_the_end_of_its_interval) {
  Section section(claim);
  for (const auto& [upper, whole] :
       {std::pair(42.34, 43.0), {317.5, 318.0}, {1046.3, 1050.0}, {100.0, 100.0}, {0.2, 1.0}}) {
    const auto width = Value(0.9 * upper).enclosed(0.8 * upper, upper);
    EXPECT_EQ(section.measure("width", {{"upper", upper}}, width).value, whole);
  }
}

TEST(interval, of_a_quotient_has_the_confidence_of_both) {
  const auto one = [](double c) { return properties::evidence::Interval{2 - c, 2 + c}; };
  const Value a = Estimate(2.0, over<Sum>(2, number)).with_interval(one, 0.5), q = quotient(a, a);
  EXPECT_EQ(q.value(), 1);
  EXPECT_EQ(*q.lower(), 1.5 / 2.5);
  EXPECT_EQ(*q.upper(), 2.5 / 1.5);
  EXPECT_EQ(*q.confidence(), 0.0);
}

}  // namespace
}  // namespace embedscale::report::value_test
