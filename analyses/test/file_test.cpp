// Files are written whole or not at all, whatever interrupts the writing.
#include "report/file.hpp"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>

#include "scratch.hpp"
#include "texts.hpp"

namespace {
bool dies_at_sync = false;
}  // namespace

// Stands in for the C library's: the moment between the last byte and the renaming, where a test
// can kill the process.
extern "C" int fsync(int descriptor) {
  if (dies_at_sync) ::raise(SIGKILL);
  return static_cast<int>(::syscall(SYS_fsync, descriptor));
}

namespace embedscale::report::file_test {
namespace {

namespace fs = std::filesystem;

std::string message_of(const std::function<void()>& work) { return refusal<FileError>(work); }

TEST(file, holds_the_bytes_and_keeps_its_time_where_they_are_the_same) {
  const Scratch scratch;
  const fs::path path = scratch / "x.md";
  const std::string bytes("a\0\r\n\xff√", 8);
  write_file(path, bytes);
  const auto before = fs::last_write_time(path) - std::chrono::hours(1);
  fs::last_write_time(path, before);
  write_file(path, bytes);
  EXPECT_EQ(fs::last_write_time(path), before);
  EXPECT_EQ(read_file(path), bytes);
  write_file(path, "");
  EXPECT_NE(fs::last_write_time(path), before);
  EXPECT_EQ(read_file(path), "");
}

TEST(file, survives_a_kill_in_the_middle_and_the_next_run_writes_it) {
  const Scratch scratch;
  const fs::path path = scratch / "data/x.csv";
  write_file(path, "old");
  const pid_t child = ::fork();
  if (child == 0) {
    dies_at_sync = true;
    write_file(path, "interrupted");
    ::_exit(0);
  }
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  ASSERT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
  EXPECT_EQ(read_file(path), "old");
  EXPECT_FALSE(fs::exists(path.string() + ".writing"));
  write_file(path, "new");
  EXPECT_EQ(read_file(path), "new");
  EXPECT_FALSE(fs::exists(path.string() + ".writing"));
}

TEST(file, reports_what_it_cannot_write_or_read) {
  const Scratch scratch;
  EXPECT_EQ(message_of([] { write_file("/dev/full", "x"); }),
            "cannot write /dev/full: No space left on device");
  EXPECT_EQ(message_of([&] { read_file(scratch / "none"); }),
            "cannot read " + (scratch / "none").string() + ": No such file or directory");
}

}  // namespace
}  // namespace embedscale::report::file_test
