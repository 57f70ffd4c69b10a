// holds and covers: what a case is judged by, and when a property that held was not tested enough.
#include "../holds.hpp"

#include <rapidcheck.h>

#include <cmath>
#include <stdexcept>

#include "../run.hpp"
#include "planted.hpp"

namespace embedscale::properties::testing {
namespace {

using Ending = Outcome::Ending;

TEST(holds, passes_from_0_to_1_and_fails_on_all_else) {
  for (const double ratio : {0.0, -0.0, 0.5, 1.0})
    EXPECT_EQ(run("holds", 10, [=] { holds(ratio); }).verdict, Ending::held) << ratio;
  for (const double ratio :
       {std::nextafter(1.0, 2.0), HUGE_VAL, -0.5, -HUGE_VAL, std::nan(""), -std::nan("")})
    EXPECT_EQ(run("fails", 10, [=] { holds(ratio); }).verdict, Ending::falsified) << ratio;
}

TEST(holds, is_for_the_body_of_a_property) {
  EXPECT_THROW(holds(0.5), std::logic_error);
  EXPECT_THROW(holds_exactly(true), std::logic_error);
  EXPECT_THROW(covers("x", true, 0.5), std::logic_error);
}

TEST(covers, records_the_share_of_the_cases_and_passes_what_is_sufficient) {
  int below = 0;
  const auto outcome = run("covered", 2000, [&] {
    const int x = any_number();
    below += x < 500 ? 1 : 0;
    covers("below 500", x < 500, 0.25);
    covers("any number", true, 0.9);
    holds_exactly(true);
  });
  EXPECT_EQ(outcome.verdict, Ending::held) << outcome.explanation;
  ASSERT_EQ(outcome.coverage.size(), 2u);
  EXPECT_EQ(outcome.coverage[0].name, "below 500");
  EXPECT_EQ(outcome.coverage[0].cases, static_cast<std::uint64_t>(below));
  EXPECT_EQ(outcome.coverage[0].required_share, 0.25);
  EXPECT_EQ(outcome.coverage[0].judgement, evidence::Coverage::sufficient);
  EXPECT_EQ(outcome.coverage[1].cases, 2000u);
  expect_held(outcome);
}

/// Properties that hold, and require a class of numbers to have a quarter of the cases.
TEST(covers, fails_a_property_that_held_without_enough_cases_of_a_class_or_too_few_to_tell) {
  struct Row {
    int cases, below;
    const char* why;
  };
  for (const auto& [cases, below, why] :
       {Row{default_cases, 0, "the share of class 'in the class' is insufficient"},
        Row{default_cases, 100, "of 10000 cases ("}, Row{1, 500, "is undecided"},
        Row{40, 500, "is undecided"}}) {
    const auto outcome = run("rare", cases, [below = below] {
      covers("in the class", any_number() < below, 0.25);
      holds_exactly(true);
    });
    EXPECT_EQ(outcome.verdict, Ending::not_tested_enough);
    EXPECT_TRUE(has(failure_of([&] { expect_held(outcome); }), why)) << why;
  }
}

TEST(covers, counts_judged_cases_and_each_of_them_once) {
  int judged = 0;
  const auto outcome = run("judged", 4000, [&] {
    const int x = any_number();
    RC_PRE(x % 5 != 0);
    for (int format = 0; format < 4; ++format) covers("odd", x % 2 == format % 2, 0.5);
    covers("even", x % 2 == 0, 0.1);
    if (x % 2 == 0) holds_exactly(true), ++judged;
  });
  EXPECT_EQ(outcome.cases, judged);
  EXPECT_EQ(outcome.coverage[0].cases, static_cast<std::uint64_t>(judged));
  EXPECT_EQ(outcome.coverage[1].cases, static_cast<std::uint64_t>(judged));
}

TEST(covers, refuses_what_is_no_share_two_shares_of_one_class_and_too_many_classes) {
  const auto refusal = [](const std::function<void()>& body) {
    const auto outcome = run("refused", 10, [&] { body(), holds_exactly(true); });
    return outcome.verdict == Ending::threw ? outcome.explanation : "not refused";
  };
  for (const double share : {0.0, 1.0, -0.5, 1.5, std::nan("")})
    EXPECT_TRUE(has(refusal([=] { covers("x", true, share); }), "class x")) << share;
  EXPECT_TRUE(has(refusal([] { covers("x", true, 0.25), covers("x", true, 0.5); }), "two shares"));
  // Than the rate of error is divided by.
  const auto of = [&](std::size_t classes) {
    return refusal([=] {
      for (std::size_t i = 0; i < classes; ++i) covers(std::to_string(i), true, 0.5);
    });
  };
  EXPECT_EQ(of(most_classes), "not refused");
  EXPECT_TRUE(has(of(most_classes + 1), "the next is 32"));
}

}  // namespace
}  // namespace embedscale::properties::testing
