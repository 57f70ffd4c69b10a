// Child processes: what they are given, how they end, and that nothing of them stays behind.
#include "report/process.hpp"

#include <gtest/gtest.h>
#include <signal.h>

#include <chrono>
#include <filesystem>
#include <string>
#include <thread>

#include "scratch.hpp"

namespace embedscale::report::process_test {
namespace {

using namespace std::chrono_literals;

Ended shell(const std::string& script, Command command = {}) {
  command.words = {"/bin/sh", "-c", script};
  return run(command);
}

TEST(process, gives_the_code_and_both_streams) {
  const auto ended = shell("cat; echo err >&2; exit 3", {.input = "in\n"});
  EXPECT_EQ(ended.code, 3);
  EXPECT_EQ(ended.out, "in\n");
  EXPECT_EQ(ended.err, "err\n");
  EXPECT_EQ(shell("kill -TERM $$").signal, SIGTERM);
}

TEST(process, runs_with_what_it_is_told) {
  EXPECT_EQ(run({.words = {"/usr/bin/env"}, .environment = {"A=b"}}).out, "A=b\n");
  EXPECT_EQ(shell("kill -XFSZ $$").signal, SIGXFSZ) << "it is not ignored";
}

/// What it has started is a process in the background that lengthens a file.
TEST(process, past_its_time_or_by_itself_ends_with_all_that_it_has_started) {
  for (const char* then : {"sleep 60", "exit 0"}) {
    const Scratch scratch;
    const auto beat = scratch / "beat";
    const auto ended =
        shell("while :; do echo >> '" + beat.string() + "'; sleep 0.01; done & sleep 0.1; " + then,
              {.seconds = 0.3});
    EXPECT_EQ(ended.stopped, then[0] == 's');
    const auto size = std::filesystem::file_size(beat);
    std::this_thread::sleep_for(100ms);
    EXPECT_GT(size, 0u);
    EXPECT_EQ(std::filesystem::file_size(beat), size) << then;
  }
}

}  // namespace
}  // namespace embedscale::report::process_test
