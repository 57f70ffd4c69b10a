// run, holds, expect_held, expect_falsified: what every other property relies on, shown on
// bodies whose outcome is known. "Passed" must mean that all cases were run and none failed.
#include "../testing/property.hpp"

#include <gtest/gtest-spi.h>

#include <cmath>
#include <cstdlib>
#include <iostream>
#include <map>
#include <optional>
#include <stdexcept>
#include <vector>

#include "../testing/generators/numbers.hpp"

namespace embedscale::properties::testing {
namespace {

using Verdict = Outcome::Verdict;

/// An environment variable for the length of a scope.
class Variable {
 public:
  Variable(const char* name, const char* value) : name_(name) {
    if (const char* old = std::getenv(name)) old_ = old;
    value != nullptr ? setenv(name, value, 1) : unsetenv(name);
  }
  Variable(const Variable&) = delete;
  ~Variable() { old_ ? setenv(name_, old_->c_str(), 1) : unsetenv(name_); }

 private:
  const char* name_;
  std::optional<std::string> old_;
};

int any_number() { return generators::named("x", generators::in_range(0, 1000)); }

std::vector<int> cases_of(const std::string& name, int cases) {
  std::vector<int> seen;
  run(name, cases, [&] { seen.push_back(any_number()); });
  return seen;
}

TEST(run, a_body_that_holds_is_called_as_often_as_asked_and_reported_so) {
  for (const int asked : {1, 7, 100, 1234}) {
    int calls = 0;
    const auto outcome = run("holds", asked, [&] { ++calls; });
    EXPECT_EQ(outcome.verdict, Verdict::held);
    EXPECT_EQ(outcome.cases, asked);
    EXPECT_EQ(calls, asked);
    EXPECT_EQ(outcome.counterexample, "");
    expect_held(outcome);
  }
}

TEST(run, a_fault_is_reported_with_its_simplest_case_and_the_line_of_the_holds_that_failed) {
  int line = 0;
  const auto outcome = run("fails", default_cases, [&] {
    const double x = any_number();
    holds(0.5);
    line = __LINE__, holds(x / 10.0);
    holds(0.5);
  });
  EXPECT_EQ(outcome.verdict, Verdict::falsified);
  EXPECT_EQ(outcome.counterexample, "x = 11");
  EXPECT_EQ(outcome.line, line);
  EXPECT_STREQ(outcome.file, __FILE__);
  EXPECT_NE(outcome.explanation.find("1.1"), std::string::npos) << outcome.explanation;
}

TEST(run, a_false_fact_is_reported_with_its_line) {
  int line = 0;
  const auto outcome = run("is false", 100, [&] {
    holds_exactly(true);
    line = __LINE__, holds_exactly(any_number() < 3);
  });
  EXPECT_EQ(outcome.verdict, Verdict::falsified);
  EXPECT_EQ(outcome.counterexample, "x = 3");
  EXPECT_EQ(outcome.line, line);
  EXPECT_STREQ(outcome.file, __FILE__);
}

TEST(run, a_fault_in_one_case_of_a_thousand_is_found) {
  const auto outcome = run("rare", default_cases, [] { holds_exactly(any_number() != 777); });
  EXPECT_EQ(outcome.verdict, Verdict::falsified);  // else with a chance of e^-10
  EXPECT_EQ(outcome.counterexample, "x = 777");
}

TEST(run, nothing_is_left_over_from_the_run_before) {
  run("fails", 100, [] { holds(0.9), holds(2.0); });
  const auto outcome = run("holds", 100, [] { holds(0.25); });
  EXPECT_EQ(outcome.line, 0);
  EXPECT_STREQ(outcome.file, "");
  EXPECT_EQ(outcome.worst, 0.25);
}

TEST(run, an_exception_of_a_body_neither_holds_nor_falsifies) {
  const auto named = run("throws", 100, [] {
    if (any_number() >= 5) throw std::runtime_error("five is too many");
  });
  EXPECT_EQ(named.verdict, Verdict::threw);
  EXPECT_EQ(named.counterexample, "x = 5");
  EXPECT_NE(named.explanation.find("five is too many"), std::string::npos) << named.explanation;
  EXPECT_NONFATAL_FAILURE(expect_held(named), "five is too many");
  EXPECT_NONFATAL_FAILURE(expect_falsified(named, "the mutant"), "five is too many");
  EXPECT_EQ(run("throws", 100, [] { throw 42; }).verdict, Verdict::threw);
}

TEST(run, a_fault_that_simplifies_to_an_exception_is_an_exception) {
  const auto outcome = run("mixed", 1000, [] {
    const auto x = any_number();
    if (x >= 5 && x < 10) throw std::runtime_error("five to nine");
    holds_exactly(x < 5);
  });
  EXPECT_EQ(outcome.verdict, Verdict::threw);
  EXPECT_EQ(outcome.line, 0);
}

TEST(holds, passes_one_and_fails_the_next_number_above_it) {
  EXPECT_EQ(run("one", 10, [] { holds(1.0); }).verdict, Verdict::held);
  EXPECT_EQ(run("one", 10, [] { holds(std::nextafter(1.0, 2.0)); }).verdict, Verdict::falsified);
  EXPECT_EQ(run("one", 10, [] { holds(HUGE_VAL); }).verdict, Verdict::falsified);
}

TEST(holds, fails_on_nan_of_either_sign) {
  EXPECT_EQ(run("nan", 10, [] { holds(std::nan("")); }).verdict, Verdict::falsified);
  EXPECT_EQ(run("nan", 10, [] { holds(-std::nan("")); }).verdict, Verdict::falsified);
}

TEST(holds, keeps_the_worst_ratio_over_all_cases_and_calls) {
  double worst = 0.0;
  const auto outcome = run("worst", 1000, [&] {
    const double ratio = any_number() / 1000.0;
    worst = std::max(worst, ratio);
    holds(ratio), holds(ratio / 2.0);
  });
  EXPECT_GT(worst, 0.5);
  EXPECT_EQ(outcome.worst, worst);
}

TEST(expect_held, places_the_failure_where_holds_failed) {
  const auto outcome = run("placed", 100, [] { holds_exactly(any_number() < 3); });
  ::testing::TestPartResultArray reported;
  {
    using Reporter = ::testing::ScopedFakeTestPartResultReporter;
    const Reporter reporter(Reporter::INTERCEPT_ONLY_CURRENT_THREAD, &reported);
    expect_held(outcome);
  }
  ASSERT_EQ(reported.size(), 1);
  const auto& failure = reported.GetTestPartResult(0);
  EXPECT_TRUE(failure.nonfatally_failed());
  EXPECT_STREQ(failure.file_name(), __FILE__);
  EXPECT_EQ(failure.line_number(), outcome.line);
  for (const char* part : {"simplest counterexample: x = 3",
                           "EMBEDSCALE_SEED=", "expect_held.places_the_failure_where_holds_failed"})
    EXPECT_NE(std::string(failure.message()).find(part), std::string::npos) << failure.message();
}

TEST(expect_held, discarding_every_case_is_a_failure) {
  for (const auto& body : {std::function<void()>([] { RC_PRE(false); }),
                           std::function<void()>([] { RC_DISCARD("always"); })}) {
    const auto outcome = run("discards", 100, body);
    EXPECT_EQ(outcome.verdict, Verdict::gave_up);
    EXPECT_NONFATAL_FAILURE(expect_held(outcome), "not decided after 0 cases");
  }
}

TEST(expect_held, discarded_cases_are_replaced_not_counted) {
  int kept = 0;
  const auto outcome = run("half", 500, [&] {
    RC_PRE(any_number() % 2 == 0);
    ++kept;
  });
  EXPECT_EQ(outcome.verdict, Verdict::held);
  EXPECT_EQ(outcome.cases, 500);
  EXPECT_EQ(kept, 500);
}

TEST(expect_held, no_case_at_all_is_a_failure) {
  const auto outcome = run("none", 0, [] {});
  EXPECT_NONFATAL_FAILURE(expect_held(outcome), "not decided after 0 cases");
}

TEST(expect_falsified, a_survivor_is_a_failure_and_so_is_giving_up) {
  const auto held = run("survives", 50, [] {});
  EXPECT_NONFATAL_FAILURE(expect_falsified(held, "the mutant"), "not refuted in 50 cases");
  const auto gave_up = run("survives", 50, [] { RC_PRE(false); });
  EXPECT_NONFATAL_FAILURE(expect_falsified(gave_up, "the mutant"), "not refuted in 0 cases");
  expect_falsified(run("dies", 50, [] { holds(2.0); }), "the mutant");
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

}  // namespace
}  // namespace embedscale::properties::testing
