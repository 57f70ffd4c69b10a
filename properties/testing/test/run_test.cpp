// run, expect_held, expect_falsified: what every other property relies on, shown on bodies whose
// outcome is known. "Passed" must mean that all cases were run and judged, and that none failed.
// And what a run takes from its environment: EMBEDSCALE_SEED, EMBEDSCALE_CASES. (That it takes
// nothing of RapidCheck's own is CTest's evidence_is_that_of_the_usual_run.)
#include "../run.hpp"

#include <rapidcheck.h>

#include <map>
#include <stdexcept>
#include <vector>

#include "planted.hpp"

namespace embedscale::properties::testing {
namespace {

using Ending = Outcome::Ending;

TEST(run, a_body_that_holds_is_called_as_often_as_asked_and_reported_so) {
  for (const int asked : {1, 7, 100, 1234}) {
    int calls = 0;
    const auto outcome = run("holds", asked, [&] { ++calls, holds_exactly(true); });
    EXPECT_EQ(outcome.verdict, Ending::held);
    EXPECT_EQ(outcome.cases, asked);
    EXPECT_EQ(calls, asked);
    EXPECT_EQ(outcome.counterexample, "");
    expect_held(outcome);
  }
}

TEST(run, an_exception_of_a_body_neither_holds_nor_falsifies) {
  const auto named = run("throws", 100, [] {
    if (any_number() >= 5) throw std::runtime_error("five is too many");
  });
  EXPECT_EQ(named.verdict, Ending::threw);
  EXPECT_EQ(named.counterexample, "x = 5");
  EXPECT_NE(named.explanation.find("five is too many"), std::string::npos) << named.explanation;
  EXPECT_NONFATAL_FAILURE(expect_held(named), "five is too many");
  EXPECT_NONFATAL_FAILURE(expect_falsified(named, "the mutant"), "five is too many");
  EXPECT_EQ(run("throws", 100, [] { throw 42; }).verdict, Ending::threw);
}

TEST(run, a_fault_that_simplifies_to_an_exception_is_an_exception) {
  const auto outcome = run("mixed", 1000, [] {
    const auto x = any_number();
    if (x >= 5 && x < 10) throw std::runtime_error("five to nine");
    holds_exactly(x < 5);
  });
  EXPECT_EQ(outcome.verdict, Ending::threw);
  EXPECT_EQ(outcome.place.line, 0);
}

TEST(expect_held, discarding_every_case_is_a_failure) {
  for (const auto& body : {std::function<void()>([] { RC_PRE(false); }),
                           std::function<void()>([] { RC_DISCARD("always"); })}) {
    const auto outcome = run("discards", 100, body);
    EXPECT_EQ(outcome.verdict, Ending::gave_up);
    EXPECT_NONFATAL_FAILURE(expect_held(outcome), "not decided");
    EXPECT_EQ(outcome.cases, 0);
  }
}

TEST(expect_held, no_case_at_all_is_a_failure_and_so_is_a_body_that_judges_nothing) {
  const auto none = run("none", 0, [] { holds_exactly(true); });
  EXPECT_NONFATAL_FAILURE(expect_held(none), "no case came to a holds");
  const auto empty = run("empty", 100, [] { any_number(); });
  EXPECT_EQ(empty.verdict, Ending::not_tested_enough);
  EXPECT_EQ(empty.cases, 0);
  EXPECT_NONFATAL_FAILURE(expect_held(empty), "no case came to a holds");
}

TEST(expect_held, cases_that_judge_nothing_are_not_counted) {
  int judged = 0;
  const auto outcome = run("some", 500, [&] {
    if (any_number() % 4 == 0) ++judged, holds_exactly(true);
  });
  EXPECT_EQ(outcome.verdict, Ending::held);
  EXPECT_EQ(outcome.cases, judged);
  EXPECT_LT(judged, 250);
}

TEST(expect_falsified, a_survivor_is_a_failure_and_so_is_giving_up) {
  const auto held = run("survives", 50, [] { holds(0.875); });
  EXPECT_NONFATAL_FAILURE(expect_falsified(held, "the mutant"), "the mutant was not refuted");
  const auto gave_up = run("survives", 50, [] { RC_PRE(false); });
  EXPECT_NONFATAL_FAILURE(expect_falsified(gave_up, "the mutant"), "after 0 cases");
  const auto empty = run("survives", 50, [] {});
  EXPECT_NONFATAL_FAILURE(expect_falsified(empty, "the mutant"), "no case came to a holds");
  expect_falsified(run("dies", 50, [] { holds(2.0); }), "the mutant");
}

TEST(run, a_failure_that_the_body_catches_is_one_all_the_same) {
  const auto outcome = run("catches", 100, [] {
    try {
      holds(2.0);
    } catch (...) {
    }
  });
  EXPECT_EQ(outcome.verdict, Ending::falsified);
  EXPECT_STREQ(outcome.place.file, __FILE__);
}

std::vector<int> cases_of(const std::string& name, int cases) {
  std::vector<int> seen;
  run(name, cases, [&] { seen.push_back(any_number()); });
  return seen;
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
  for (const char* seed : {"0", "1", "256", "18446744073709551615"}) {
    const Variable variable("EMBEDSCALE_SEED", seed);
    cases[seed] = cases_of("shifted", 50);
    seeds[run("shifted", 1, [] {}).seed] = seed;
  }
  EXPECT_EQ(seeds.size(), 4u);
  EXPECT_NE(cases["0"], cases["1"]);
  EXPECT_NE(cases["1"], cases["256"]);
  const Variable none("EMBEDSCALE_SEED", nullptr);
  EXPECT_EQ(cases_of("shifted", 50), cases["0"]);
}

TEST(cases_of_run,
     are_the_usual_ones_or_as_many_as_asked_and_fewer_of_expensive_ones_above_the_usual) {
  struct Row {
    const char* asked;
    int costs, cases;
  };
  for (const auto& [asked, costs, cases] :
       {Row{nullptr, 10, default_cases}, Row{"1", 1, 1}, Row{"500", 10, 500},
        Row{"10001", 1, 10001}, Row{"50000", 10, 10000}, Row{"1000000", 10, 100000}}) {
    const Variable variable("EMBEDSCALE_CASES", asked);
    EXPECT_EQ(cases_of_run(costs), cases) << cases << " at " << costs;
  }
}

TEST(cases_of_run, and_the_seed_of_the_run_refuse_what_is_no_such_number) {
  for (const char* text : {"", "-1", "x", "1x", "1.5", " 7", "18446744073709551616"}) {
    const Variable cases("EMBEDSCALE_CASES", text), seed("EMBEDSCALE_SEED", text);
    EXPECT_THROW(cases_of_run(), std::invalid_argument) << '"' << text << '"';
    EXPECT_THROW(run("seed", 1, [] {}), std::invalid_argument) << '"' << text << '"';
  }
  const Variable none("EMBEDSCALE_CASES", "0");
  EXPECT_THROW(cases_of_run(), std::invalid_argument);
}

}  // namespace
}  // namespace embedscale::properties::testing
