// A short version of what the page about the checks counts.
#include <gtest/gtest.h>
#include <tbb/global_control.h>
#include "properties/evidence/proportion.hpp"
#include "properties/testing/statistical.hpp"

#include <string>

#include "trust.hpp"

namespace embedscale::trust_page_test {
namespace {

using namespace trust_analysis;
using properties::evidence::ProportionAtMost;

/// At least 1000 nulls and 400 alternatives of each kind.
Plan short_plan() {
  return {.seed = properties::testing::stream_of("trust").bits(0),
          .nulls = 10000,
          .alternatives = 4000};
}
/// What the kinds' declared rates say of a count.
ProportionAtMost::Data trials(const Count& count, double rate) {
  return {.p = rate, .n = count.runs, .successes = count.hits};
}

const std::vector<Calibration>& kinds() {
  static const auto all = simulated_kinds(short_plan());
  return all;
}

TEST(trust, kinds_alarm_at_most_as_declared) {
  properties::testing::Assertion<"trust.kinds_alarm_at_most_as_declared", ProportionAtMost> grid(
      kinds().size());
  for (const auto& one : kinds())
    grid.judge(trials(one.alarms, short_plan().rates.alpha), one.kind);
}

TEST(trust, kinds_miss_at_most_as_declared) {
  std::size_t cases = 0;
  for (const auto& one : kinds()) cases += one.misses.size();
  properties::testing::Assertion<"trust.kinds_miss_at_most_as_declared", ProportionAtMost> grid(
      cases);
  for (const auto& one : kinds())
    for (const auto& missed : one.misses)
      grid.judge(trials(missed.count, short_plan().rates.beta), one.kind + ", " + missed.where);
}

TEST(trust, counts_do_not_depend_on_threads) {
  const auto counted = [](std::size_t threads) {
    const tbb::global_control limit(tbb::global_control::max_allowed_parallelism, threads);
    return count(3, "coins", 10000, [](const Draws& draws) { return draws.uniform(5) < 0.25; });
  };
  const auto one = counted(1);
  EXPECT_EQ(one.hits, counted(3).hits);
  EXPECT_NEAR(static_cast<double>(one.hits) / 10000, 0.25, 0.05);
  EXPECT_NE(one.hits, count(4, "coins", 10000, [](const Draws& draws) {
                        return draws.uniform(5) < 0.25;
                      }).hits);
}

}  // namespace
}  // namespace embedscale::trust_page_test
