// Child processes: what they are given, how they end, and that nothing of them stays behind.
#include "report/process.hpp"

#include <gtest/gtest.h>
#include <signal.h>

#include <atomic>
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

/// A shell script's beginning: a process in the background that lengthens the file `beat`.
const std::string heart = "while :; do echo >> beat; sleep 0.01; done & sleep 0.1; ";

/// Whether nobody lengthens it any more.
bool is_still(const std::filesystem::path& beat) {
  const auto size = std::filesystem::file_size(beat);
  std::this_thread::sleep_for(100ms);
  return size > 0 && std::filesystem::file_size(beat) == size;
}

TEST(process, gives_the_code_and_both_streams) {
  const auto ended = shell("cat; echo err >&2; exit 3", {.input = "in\n"});
  EXPECT_EQ(ended.code, 3);
  EXPECT_EQ(ended.out, "in\n");
  EXPECT_EQ(ended.err, "err\n");
  EXPECT_FALSE(ended.stopped);
}

TEST(process, runs_where_and_with_what_it_is_told) {
  const Scratch scratch;
  const auto path = std::filesystem::canonical(scratch.path()).string();
  EXPECT_EQ(shell("pwd", {.folder = path}).out, path + "\n");
  EXPECT_EQ(run({.words = {"/usr/bin/env"}, .environment = {"A=b"}}).out, "A=b\n");
  EXPECT_NE(shell("echo x", {.out = "/dev/full"}).code, 0);
  EXPECT_EQ(shell("head -c 5000 /dev/zero > a", {.folder = path, .largest_file = 4096}).code,
            128 + SIGXFSZ);
  EXPECT_NE(shell("ulimit -v", {.memory = 1 << 30}).out, "unlimited\n");
}

TEST(process, tells_the_signal_and_the_processor_time) {
  EXPECT_EQ(shell("kill -TERM $$").signal, SIGTERM);
  EXPECT_LT(shell("sleep 0.2").processor_seconds, 0.1);
}

TEST(process, past_its_time_ends_with_all_that_it_has_started) {
  const Scratch scratch;
  const auto ended = shell(heart + "sleep 60", {.folder = scratch.path(), .seconds = 0.3});
  EXPECT_TRUE(ended.stopped);
  EXPECT_EQ(ended.signal, SIGKILL);
  EXPECT_TRUE(is_still(scratch / "beat"));
}

TEST(process, leaves_nothing_running_when_it_ends_by_itself) {
  const Scratch scratch;
  EXPECT_EQ(shell(heart, {.folder = scratch.path()}).code, 0);
  EXPECT_TRUE(is_still(scratch / "beat"));
}

TEST(process, ends_when_it_is_told_to) {
  const Scratch scratch;
  std::atomic<bool> stop = false;
  std::thread later([&] {
    std::this_thread::sleep_for(300ms);
    stop = true;
  });
  const auto ended = shell(heart + "sleep 60", {.folder = scratch.path(), .stop = &stop});
  later.join();
  EXPECT_TRUE(ended.stopped);
  EXPECT_TRUE(is_still(scratch / "beat"));
}

}  // namespace
}  // namespace embedscale::report::process_test
