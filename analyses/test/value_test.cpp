// Samples are counted where cases are evaluated; intervals carry the confidence they were made at.
#include "report/value.hpp"

#include <gtest/gtest.h>

#include <atomic>

#include "report/parallel.hpp"
#include "report/section.hpp"

namespace embedscale::report {
namespace {

constexpr properties::Claim claim{.id = "topic.claim",
                                  .said = "So it is.",
                                  .states = "it is",
                                  .measures = {{"misses", properties::counted}, {"mean", 3, "u"}}};

TEST(samples, are_those_that_were_evaluated) {
  Section section(claim);
  std::uint64_t calls = 0;
  section.decide("misses", none_of(properties::Part::belief, 100), "draws", [&](std::uint64_t) {
    ++calls;
    return false;
  });
  EXPECT_EQ(section.measurements().front().samples, calls);
  EXPECT_EQ(calls, 100u);
}

/// A primitive that answers every second case only leaves half of the obligations unmet.
TEST(samples, are_half_where_half_is_evaluated) {
  Section section(claim);
  std::uint64_t evaluated = 0;
  section.decide("misses", none_of(properties::Part::belief, 100), "draws",
                 [&](std::uint64_t i) -> std::optional<bool> {
                   if (i % 2 != 0) return std::nullopt;
                   ++evaluated;
                   return false;
                 });
  EXPECT_EQ(section.measurements().front().samples, 50u);
  EXPECT_EQ(evaluated, 50u);
  EXPECT_EQ(section.verdict(), "open");
}

/// A primitive that counts its calls: whatever it is accumulated by, in how many parts, the samples
/// are its calls.
TEST(samples, are_the_calls_of_an_instrumented_primitive) {
  std::atomic<std::uint64_t> calls = 0;
  const auto primitive = [&](std::uint64_t i) { return ++calls, static_cast<double>(i); };
  Section section(claim);
  const auto sampled = [&](auto all) {
    std::vector<decltype(all)> parts(7);
    in_parallel(parts.size(), [&](std::uint64_t part) {
      for (std::uint64_t i = 0; i <= part; ++i) parts[part].evaluate([&] { return primitive(i); });
    });
    for (const auto& part : parts) all += part;
    section.sweep("draws", axis("d_model", std::vector{64, 512}), [&](int d) {
      all.evaluate([&] { return primitive(static_cast<std::uint64_t>(d)); });
      return Values{{"mean", all}};
    });
    EXPECT_EQ(section.measurements().back().samples, calls.exchange(0));
  };
  sampled(Sum{});
  sampled(Greatest{});
  const auto tally = over<Tally>(9, [&](std::uint64_t i) { return primitive(i) > 3; });
  EXPECT_EQ(tally.share().samples(), calls);
  EXPECT_EQ(Value(tally).value(), 5);
}

TEST(samples, of_merged_loops_add_up) {
  Tally all = over<Tally>(10, [](std::uint64_t i) { return i < 3; });
  all += over<Tally>(5, [](std::uint64_t) { return true; });
  EXPECT_EQ(Value(all).samples(), 15u);
  EXPECT_EQ(Value(all).value(), 8);
  EXPECT_EQ(all.share().value(), 8.0 / 15.0);
}

TEST(samples, of_a_closed_form_are_one) { EXPECT_EQ(Value(2.5).samples(), 1u); }

TEST(greatest, keeps_the_first_place_and_a_nan) {
  const auto x = [](std::uint64_t i) { return i == 2 || i == 4 ? 5.0 : 1.0; };
  Greatest all = over<Greatest>(4, x);
  all += over<Greatest>(3, [](std::uint64_t i) { return i == 1 ? 7.0 : 0.0; });
  EXPECT_EQ(all.value(), 7);
  EXPECT_EQ(all.at(), 5u);
  all.evaluate([] { return NAN; });
  EXPECT_TRUE(std::isnan(all.value()));
  EXPECT_EQ(all.cases(), 8u);
}

/// The normal law's own quantile, by its error function.
TEST(interval, is_as_wide_as_its_confidence_says) {
  for (const auto& level : {NormalConfidence::p999, NormalConfidence::p9999})
    EXPECT_NEAR(1 - std::erf(level.deviations() / std::sqrt(2.0)), 1 - level.confidence(),
                0.005 * (1 - level.confidence()));
  const auto& at = NormalConfidence::p999;
  const auto mean = over<Sum>(4, [](std::uint64_t i) { return static_cast<double>(i); });
  const Value value = mean.with_error(at);
  EXPECT_EQ(value.value(), 1.5);
  EXPECT_EQ(value.confidence(), 0.999);
  const double error = std::sqrt((14.0 / 4 - 2.25) / 4);
  // Two products, an end and the difference round, by 2u each where they are below 4.
  EXPECT_NEAR(*value.upper() - *value.lower(), 2 * 3.29 * error, 8 * 0x1p-53);
  EXPECT_EQ(value.samples(), 4u);
}

TEST(interval, of_a_quotient_has_the_confidence_of_both) {
  const auto one = [](double c) {
    struct {
      double lower, upper;
    } const interval{2 - c, 2 + c};
    return interval;
  };
  const Value a = Value(2.0).with_interval(one, 0.5), q = quotient(a, a);
  EXPECT_EQ(q.value(), 1);
  EXPECT_EQ(*q.lower(), 1.5 / 2.5);
  EXPECT_EQ(*q.upper(), 2.5 / 1.5);
  EXPECT_EQ(*q.confidence(), 0.0);
}

}  // namespace
}  // namespace embedscale::report
