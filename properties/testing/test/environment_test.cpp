// What a run takes from its environment: EMBEDSCALE_SEED, EMBEDSCALE_CASES, and nothing of
// RapidCheck's own.
#include <gtest/gtest.h>

#include <cstdlib>
#include <iostream>
#include <map>
#include <stdexcept>
#include <vector>

#include "../draws.hpp"
#include "../run.hpp"
#include "environment_variable.hpp"

namespace embedscale::properties::testing {
namespace {

using Variable = self_test::EnvironmentVariable;

int any_number() { return named("x", in_range(0, 1000)); }

std::vector<int> cases_of(const std::string& name, int cases) {
  std::vector<int> seen;
  run(name, cases, [&] { seen.push_back(any_number()); });
  return seen;
}

/// RapidCheck reads RC_PARAMS once in a process, so each stray one is tried in a process of its
/// own. Given what reproduces another property, RapidCheck's own checks pass without running a
/// case.
TEST(run, a_stray_configuration_of_rapidcheck_changes_nothing) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  const auto report = [] {
    std::string text = "cases";
    for (const int x : cases_of("stray", 200)) text += " " + std::to_string(x);
    return text + ", " + run("stray", 50, [] { holds_exactly(any_number() < 3); }).counterexample;
  };
  const auto undisturbed = report();
  const auto* of_another_property =
      "reproduce=BARYu9GdoVmcvAncvBXZyRXexajf5ubLSIbs24Xu72iEyGrN+l7utIhsxajf5ubLSIrAAIQAAAAACEQA";
  for (const char* stray : {"max_success=0", "max_success=5 max_size=3 seed=1 noshrink=1",
                            "max_discard_ratio=0", "no configuration", of_another_property}) {
    const Variable variable("RC_PARAMS", stray);
    EXPECT_EXIT((std::cerr << report(), std::exit(0)), ::testing::ExitedWithCode(0), undisturbed)
        << stray;
  }
}

TEST(run, the_same_name_draws_the_same_cases_and_another_name_others) {
  EXPECT_EQ(run("a.b.c", 1, [] {}).seed, run("a.b.c", 99, [] {}).seed);
  EXPECT_EQ(cases_of("a.b.c", 50), cases_of("a.b.c", 50));
  EXPECT_NE(run("a.b.c", 1, [] {}).seed, run("a.b.d", 1, [] {}).seed);
  EXPECT_NE(cases_of("a.b.c", 50), cases_of("a.b.d", 50));
}

TEST(run, the_seed_of_the_run_shifts_all_cases) {
  std::map<std::string, std::vector<int>> cases;
  std::map<std::uint64_t, std::string> seeds;
  for (const char* seed : {"0", "1", "2", "256", "18446744073709551615"}) {
    const Variable variable("EMBEDSCALE_SEED", seed);
    cases[seed] = cases_of("shifted", 50);
    seeds[run("shifted", 1, [] {}).seed] = seed;
    EXPECT_EQ(cases_of("shifted", 50), cases[seed]) << "again with " << seed;
  }
  EXPECT_EQ(seeds.size(), 5u);
  EXPECT_NE(cases["0"], cases["1"]);
  EXPECT_NE(cases["1"], cases["256"]);
  const Variable none("EMBEDSCALE_SEED", nullptr);
  EXPECT_EQ(cases_of("shifted", 50), cases["0"]);
}

TEST(run, a_malformed_seed_of_the_run_is_refused) {
  for (const char* text : {"", "x", "1x", "1.5", "1 2", "0x10", "18446744073709551616"}) {
    const Variable variable("EMBEDSCALE_SEED", text);
    EXPECT_THROW(run("seed", 1, [] {}), std::invalid_argument) << '"' << text << '"';
  }
}

TEST(cases_of_run, are_the_usual_ones_unless_asked) {
  const Variable none("EMBEDSCALE_CASES", nullptr);
  EXPECT_EQ(cases_of_run(), default_cases);
  EXPECT_EQ(cases_of_run(10), default_cases);
}

TEST(cases_of_run, are_as_many_as_asked_and_fewer_of_expensive_ones_above_the_usual) {
  struct Row {
    const char* asked;
    int costs, cases;
  };
  for (const auto& [asked, costs, cases] :
       {Row{"1", 1, 1}, Row{"500", 1, 500}, Row{"500", 10, 500}, Row{"10000", 10, 10000},
        Row{"10001", 1, 10001}, Row{"50000", 10, 10000}, Row{"1000000", 1, 1000000},
        Row{"1000000", 10, 100000}, Row{"2147483647", 1, 2147483647}}) {
    const Variable variable("EMBEDSCALE_CASES", asked);
    EXPECT_EQ(cases_of_run(costs), cases) << asked << " at " << costs;
  }
}

TEST(cases_of_run, refuse_what_is_no_number_of_cases) {
  for (const char* text : {"", "0", "-1", "x", "1x", "1e6", "1.5", " 7", "2147483648"}) {
    const Variable variable("EMBEDSCALE_CASES", text);
    EXPECT_THROW(cases_of_run(), std::invalid_argument) << '"' << text << '"';
  }
}

}  // namespace
}  // namespace embedscale::properties::testing
