// How far loops have got, and how it is said.
#include "cli/progress.hpp"

#include <gtest/gtest.h>

#include <thread>

#include "report/accumulators.hpp"
#include "report/parallel.hpp"
#include "report/value.hpp"

namespace embedscale::progress_test {
namespace {

using report::Loop, report::loop_state;

class progress : public testing::Test {
 protected:
  progress() { report::watch_loops(); }
};

TEST_F(progress, is_the_share_of_the_steps_that_are_done) {
  EXPECT_EQ(loop_state().share, 0);
  {
    Loop loop(4);
    EXPECT_EQ(loop_state().share, 0);
    loop.step();
    EXPECT_EQ(loop_state().share, 0.25);
    {
      Loop part(2);  // of the second step
      EXPECT_EQ(loop_state().share, 0.25);
      part.step();
      EXPECT_EQ(loop_state().share, 0.375);
    }
    loop.step();
    EXPECT_EQ(loop_state().share, 0.5);
    EXPECT_GE(loop_state().seconds, 0);
  }
  EXPECT_EQ(loop_state().share, 0);
}

TEST_F(progress, is_seen_in_loops_over_cases_and_on_all_processors) {
  report::over<report::Tally>(8, [](std::uint64_t i) {
    EXPECT_EQ(loop_state().share, static_cast<double>(i) / 8);
    return true;
  });
  Loop loop(1);
  report::in_parallel(16, [](std::uint64_t) {});
  EXPECT_EQ(loop_state().share, 0);  // the loop in parallel has ended, its step not
}

TEST_F(progress, is_said_with_the_time_left) {
  EXPECT_EQ(cli::progress_text("a.b (2 of 3)", {}), "a.b (2 of 3)");
  EXPECT_EQ(cli::progress_text("a.b", {.share = 0.25, .seconds = 10}),
            "a.b: 25 %, 30 s left of this step");
  EXPECT_EQ(cli::progress_text("a.b", {.share = 0.5, .seconds = 6000}),
            "a.b: 50 %, 100 min left of this step");
}

}  // namespace
}  // namespace embedscale::progress_test
