// Files are written whole or not at all, whatever interrupts the writing.
#include "report/file.hpp"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>

#include "scratch.hpp"
#include "texts.hpp"

namespace {
enum class AtSync { pass, die, fail };
AtSync at_sync = AtSync::pass;
}  // namespace

// Stands in for the C library's: the moment between the last byte and the renaming, where a test
// can kill the process or break the disk.
extern "C" int fsync(int descriptor) {
  if (at_sync == AtSync::die) ::raise(SIGKILL);
  if (at_sync == AtSync::fail) return errno = EIO, -1;
  return static_cast<int>(::syscall(SYS_fsync, descriptor));
}

namespace embedscale::report::file_test {
namespace {

namespace fs = std::filesystem;

/// An empty directory for each test.
class Files : public testing::Test {
 protected:
  void TearDown() override { at_sync = AtSync::pass; }
  std::size_t files() const {
    return static_cast<std::size_t>(std::distance(fs::directory_iterator(directory), {}));
  }
  const Scratch scratch;
  const fs::path directory = scratch.path();
};
using file = Files;

std::string message_of(const std::function<void()>& work) { return refusal<FileError>(work); }

TEST_F(file, holds_the_bytes_and_keeps_its_time_where_they_are_the_same) {
  const fs::path path = directory / "x.md";
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

TEST_F(file, survives_a_kill_in_the_middle_and_the_next_run_writes_it) {
  const fs::path path = directory / "data" / "x.csv";
  write_file(path, "old");
  const pid_t child = ::fork();
  if (child == 0) {
    at_sync = AtSync::die;
    write_file(path, "interrupted");
    ::_exit(0);
  }
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  ASSERT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
  EXPECT_EQ(read_file(path), "old");
  EXPECT_EQ(read_file(path.string() + ".writing"), "interrupted");
  write_file(path, "new");
  EXPECT_EQ(read_file(path), "new");
  EXPECT_FALSE(fs::exists(path.string() + ".writing"));
}

TEST_F(file, leaves_nothing_aside_where_the_disk_fails) {
  const fs::path path = directory / "x.md";
  write_file(path, "old");
  at_sync = AtSync::fail;
  EXPECT_EQ(message_of([&] { write_file(path, "new"); }),
            "cannot write " + path.string() + ": Input/output error");
  EXPECT_EQ(read_file(path), "old");
  EXPECT_EQ(files(), 1u);
}

TEST_F(file, reports_what_it_cannot_write_or_read) {
  EXPECT_EQ(message_of([] { write_file("/dev/full", "x"); }),
            "cannot write /dev/full: No space left on device");
  EXPECT_EQ(message_of([&] { read_file(directory / "none"); }),
            "cannot read " + (directory / "none").string() + ": No such file or directory");
}

}  // namespace
}  // namespace embedscale::report::file_test
