// Lists of parts by MPI. This program is what mpirun starts, too: with arguments.
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/resource.h>

#include <chrono>
#include <cstdlib>
#include <set>
#include <stdexcept>
#include <thread>

#include "cli/program.hpp"
#include "counting.hpp"
#include "report/process.hpp"
#include "scratch.hpp"

namespace embedscale {
namespace {

namespace fs = std::filesystem;
using namespace std::chrono_literals;

struct Counting {
  std::string how;  ///< what happens to it
  fs::path folder;
  parts::Options options{};
};

/// Two lists, in the first process stopped when the last part of the first one is there.
int count_and_stop(parts::Parts& parts) {
  std::size_t found = 0;
  for (const std::string phase : {"first", "second"}) {
    if (parts.stopped()) return parts::interrupted;
    parts.make(counting(phase, in_first, "sources"), [](std::size_t) { return "1"; },
               {.found = [&](std::size_t, const std::string&) {
                 if (++found == in_first) ::raise(SIGTERM);
               }});
  }
  return cli::done;
}

int count(const Counting& options) {
  parts::Parts parts(options.options, options.folder);
  if (options.how == "stopped") return count_and_stop(parts);
  if (options.how == "full") {
    ::signal(SIGXFSZ, SIG_IGN);
    const rlimit small{1000, 1000};
    ::setrlimit(RLIMIT_FSIZE, &small);
  }
  const bool is_other = !parts.is_first() && options.how == "other";
  std::size_t made = 0;
  const auto text = counted(
      parts,
      [&](std::size_t i) {
        if (options.how == "killed") std::this_thread::sleep_for(5ms);
        if (options.how == "killed" && !parts.is_first() && ++made == 6) ::raise(SIGKILL);
        if (options.how == "throws" && i == 30) throw std::runtime_error("part thirty");
      },
      is_other ? "others" : "sources");
  if (parts.is_first()) report::write_file(options.folder / "text", text);
  return cli::done;
}

/// By so many processes; what they keep is in the folder.
report::Ended run_by(int processes, const fs::path& folder, const std::string& how = "well") {
  return report::run(
      {.words = {"env", "OMPI_ALLOW_RUN_AS_ROOT=1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1",
                 "OMPI_MCA_btl=self,vader,tcp", "OMPI_MCA_btl_tcp_if_include=lo",
                 "OMPI_MCA_oob_tcp_if_include=lo", "mpirun", "--oversubscribe", "-n",
                 std::to_string(processes), fs::read_symlink("/proc/self/exe"), how, folder},
       .seconds = 100});
}

std::string text_by(int processes, const fs::path& folder) {
  const auto ended = run_by(processes, folder);
  EXPECT_EQ(ended.code, 0) << ended.err;
  return report::read_file(folder / "text");
}

/// Each part once.
std::size_t kept(const fs::path& folder) {
  const auto lines = report::KeptLines(folder / "1-of-1.jsonl").lines();
  EXPECT_EQ(std::set<std::string>(lines.begin(), lines.end()).size(), lines.size());
  return lines.size();
}

std::string one_threads_text() {
  const Scratch folder;
  parts::Parts parts({.jobs = 1}, folder.path());
  return counted(parts);
}

TEST(parts_by_mpi, have_the_same_bytes_from_any_number_of_processes) {
  const auto wanted = one_threads_text();
  for (const int processes : {1, 2, 4, 8}) {
    const Scratch folder;
    EXPECT_EQ(text_by(processes, folder.path()), wanted) << processes;
    EXPECT_EQ(kept(folder.path()), in_first + in_second) << processes;
  }
}

TEST(parts_by_mpi, are_kept_when_a_process_is_killed_and_the_same_command_goes_on) {
  const Scratch folder;
  const auto ended = run_by(3, folder.path(), "killed");
  EXPECT_NE(ended.code, 0);
  EXPECT_NE(ended.err.find("of 60 parts are not made: first/"), std::string::npos) << ended.err;
  EXPECT_NE(ended.err.find("the same command goes on"), std::string::npos) << ended.err;
  EXPECT_GE(kept(folder.path()), 6u);
  EXPECT_LT(kept(folder.path()), 60u);
  EXPECT_EQ(text_by(2, folder.path()), one_threads_text());
  EXPECT_EQ(kept(folder.path()), in_first + in_second) << "some part was made again";
}

TEST(parts_by_mpi, are_kept_when_one_throws_and_when_the_disk_is_full) {
  for (const std::string how : {"throws", "full"}) {
    const Scratch folder;
    const auto ended = run_by(3, folder.path(), how);
    EXPECT_NE(ended.code, 0) << how;
    EXPECT_NE(ended.err.find(how == "throws" ? "part thirty" : "cannot be written"),
              std::string::npos)
        << ended.err;
    EXPECT_NE(ended.err.find("of 60 parts are not made"), std::string::npos) << ended.err;
    EXPECT_GE(kept(folder.path()), 10u) << how;
    EXPECT_EQ(text_by(3, folder.path()), one_threads_text()) << how;
  }
}

// Where some went on to the second list, they would wait for the others for ever.
TEST(parts_by_mpi, are_stopped_in_all_processes_or_in_none) {
  const Scratch folder;
  const auto ended = run_by(3, folder.path(), "stopped");
  EXPECT_FALSE(ended.stopped) << "it had to be ended";
  EXPECT_EQ(ended.code, parts::interrupted) << ended.err;
  EXPECT_EQ(kept(folder.path()), in_first);
}

TEST(parts_by_mpi, are_refused_where_a_process_has_another_list) {
  const Scratch folder;
  const auto ended = run_by(2, folder.path(), "other");
  EXPECT_NE(ended.code, 0);
  EXPECT_NE(ended.err.find("of other sources or options"), std::string::npos) << ended.err;
}

}  // namespace
}  // namespace embedscale

int main(int argc, char** argv) {
  using namespace embedscale;
  testing::InitGoogleTest(&argc, argv);
  if (argc == 3)
    return cli::guarded("parts", [&] { return count({argv[1], argv[2], {.mpi = true}}); });
  return RUN_ALL_TESTS();
}
