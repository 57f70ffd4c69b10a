// What a failing property says: the simplest counterexample and the worst, exactly, at the line to
// look at, and the one command that repeats it.
#include <cmath>

#include "../run.hpp"
#include "planted.hpp"

namespace embedscale::properties::testing {
namespace {

TEST(failure, is_where_holds_failed_and_has_the_command_that_repeats_it) {
  const Variable seed("EMBEDSCALE_SEED", "17"), cases("EMBEDSCALE_CASES", nullptr);
  int line = 0;
  const auto outcome =
      run("placed", 100, [&] { line = __LINE__, holds_exactly(any_number() < 3); });
  const auto failure = failure_of([&] { expect_held(outcome, {"property.hpp", 4}); });
  EXPECT_STREQ(failure.file_name(), __FILE__);
  EXPECT_EQ(failure.line_number(), line);
  for (const char* part :
       {"what it asserts is false", "simplest counterexample: x = 3",
        "to repeat it: EMBEDSCALE_SEED=17 ",
        " --gtest_filter=failure.is_where_holds_failed_and_has_the_command_that_repeats_it"})
    EXPECT_TRUE(has(failure, part)) << failure.message();
  EXPECT_FALSE(has(failure, "worst")) << "nothing was compared: " << failure.message();
  const Variable more("EMBEDSCALE_CASES", "500");
  EXPECT_TRUE(
      has(failure_of([&] { expect_held(outcome); }), ": EMBEDSCALE_SEED=17 EMBEDSCALE_CASES=500 "));
}

/// The ratio falls from 1000 to the boundary: the simplest case at fault is the least of them, the
/// worst one is somewhere else.
TEST(failure, shows_the_worst_of_all_cases_and_shrinks_beside_the_simplest) {
  int worst = 0, line = 0;
  const auto outcome = run("worst", default_cases, [&] {
    const int x = any_number();
    worst = std::max(worst, x);
    line = __LINE__, holds(x / 10.0);
  });
  EXPECT_EQ(outcome.counterexample, "x = 11");
  ASSERT_GT(worst, 11);
  EXPECT_EQ(outcome.worst, worst / 10.0);
  EXPECT_EQ(outcome.worst_case, "x = " + std::to_string(worst));
  const auto failure = failure_of([&] { expect_held(outcome); });
  EXPECT_EQ(failure.line_number(), line);
  EXPECT_TRUE(
      has(failure, "what is measured over its bound is 1.1 (0x1.199999999999ap+0), allowed is 1"));
  EXPECT_TRUE(has(failure, "worst found: "));
  EXPECT_TRUE(has(failure, ", at x = " + std::to_string(worst))) << failure.message();
}

TEST(failing_mass, is_the_share_that_hides_from_n_cases_with_a_chance_of_a_twentieth) {
  for (const int n : {3, 10, 1000, 10000, 1000000}) {
    const double mass = failing_mass(n);
    EXPECT_LE(std::pow(1.0 - mass, n), 0.05) << n;                           // it is a bound
    EXPECT_GT(std::pow(1.0 - mass, n - 1), 0.05 * (1.0 - 3.1 * mass)) << n;  // and hardly more
  }
  EXPECT_EQ(failing_mass(0), 1.0);
  EXPECT_EQ(failing_mass(1), 1.0);
  EXPECT_NEAR(failing_mass(10000), 2.9957e-4, 0.5e-8);  // half a unit of the last digit
}

}  // namespace
}  // namespace embedscale::properties::testing
