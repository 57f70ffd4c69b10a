// A run that fails or is interrupted leaves the old report whole: `combination --out DIR` over the
// good output of an earlier run.
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <thread>
#include <tuple>

#include "programs.hpp"
#include "scratch.hpp"

namespace embedscale::interruption_test {
namespace {

namespace fs = std::filesystem;
using namespace std::chrono_literals;

class Interruption : public testing::Test {
 protected:
  using Tree = std::map<std::string, std::string>;

  void SetUp() override {
    fs::copy(made("1"), out, fs::copy_options::recursive);
    ASSERT_GE(before.size(), 10u);
  }
  /// What a run of this seed makes, made once.
  static const fs::path& made(const std::string& seed) {
    static const Scratch all;
    static std::map<std::string, fs::path> trees;
    const auto [at, is_new] = trees.try_emplace(seed, all / seed);
    if (is_new) {
      EXPECT_EQ(write(at->second, seed).code, 0);
    }
    return at->second;
  }
  static std::vector<std::string> arguments(const fs::path& directory, const std::string& seed,
                                            const std::string& samples = "20") {
    return quick({}, {"--out", directory, "--seed", seed, "--samples", samples});
  }
  static Ended write(const fs::path& directory, const std::string& seed,
                     const report::Command& in = {}) {
    return measure(arguments(directory, seed), in);
  }
  /// Whether every file has its old bytes. Asks for each by its name, which is there at every
  /// moment; a listing would also meet files aside, which may be gone before they are read.
  bool is_untouched() const {
    return std::ranges::all_of(before, [&](const auto& file) {
      return report::read_file(out / file.first) == file.second;
    });
  }
  /// Every file has its old or its new bytes; and the next run puts everything right, what is still
  /// aside of a process that is gone as well.
  void expect_whole_and_mended() const {
    for (const auto& [name, bytes] : before) {
      const auto now = report::read_file(out / name);
      EXPECT_TRUE(now == bytes || now == after.at(name)) << name;
    }
    EXPECT_EQ(write(out, "2").code, 0);
    EXPECT_EQ(tree(out), after);
  }
  Scratch scratch;
  const fs::path out = scratch / "reports";
  const Tree before = tree(made("1")), after = tree(made("2"));
};
using interruption = Interruption;

TEST_F(interruption, while_measuring_changes_nothing) {
  Child child(command(program::analyses, of_combination(arguments(out, "2", "100000000"))));
  std::this_thread::sleep_for(200ms);
  child.send(SIGINT);
  EXPECT_EQ(child.wait().signal, SIGINT);
  EXPECT_EQ(tree(out), before);
}

/// Killed as soon as the first file is replaced; there are figures left to draw then, unless this
/// process had to wait.
TEST_F(interruption, while_writing_leaves_every_file_old_or_new) {
  Ended ended;
  for (int attempt = 0; attempt < 5 && ended.signal != SIGKILL; ++attempt) {
    fs::remove_all(out);
    fs::copy(made("1"), out, fs::copy_options::recursive);
    Child child(command(program::analyses, of_combination(arguments(out, "2"))));
    for (const auto end = std::chrono::steady_clock::now() + 10s;
         is_untouched() && std::chrono::steady_clock::now() < end;)
      std::this_thread::sleep_for(1ms);
    child.send(SIGKILL);
    ended = child.wait();
  }
  EXPECT_EQ(ended.signal, SIGKILL);
  EXPECT_FALSE(is_untouched());
  const pid_t gone = ::fork();
  if (gone == 0) ::_exit(0);
  ::waitpid(gone, nullptr, 0);
  report::write_file(out / ("data/x.csv." + std::to_string(gone) + ".writing"), "<a");
  expect_whole_and_mended();
}

/// All but the largest file fits.
TEST_F(interruption, by_the_limit_on_file_sizes_leaves_every_file_whole) {
  std::size_t largest = 0;
  for (const auto& [name, bytes] : after) largest = std::max(largest, bytes.size());
  const auto ended = write(out, "2", {.largest_file = rlim_t{largest} - 1});
  EXPECT_EQ(ended.code, 3);
  EXPECT_EQ(ended.signal, 0);
  EXPECT_TRUE(is_one_line_with(ended.err, "combination: ")) << ended.err;
  EXPECT_EQ(tree(out).size(), before.size()) << "something is left aside";
  expect_whole_and_mended();
}

TEST_F(interruption, by_a_path_words_or_evidence_that_are_amiss_writes_nothing) {
  report::write_file(scratch / "bad.md", "# T\n### why\n");
  const auto everything = tree(scratch.path());
  const std::tuple<const char*, fs::path, int> amiss[] = {{"--words", scratch / "none.md", 3},
                                                          {"--words", scratch / "bad.md", 2},
                                                          {"--evidence", scratch / "none.json", 3},
                                                          {"--evidence", scratch / "bad.md", 2}};
  for (const auto& [option, file, code] : amiss) {
    const auto ended = measure(quick({}, {"--out", out, option, file}));
    EXPECT_EQ(ended.code, code) << option << file;
    EXPECT_TRUE(is_one_line_with(ended.err, file.filename())) << ended.err;
    EXPECT_EQ(ended.out, "");
  }
  const auto below = write(scratch / "bad.md/below", "2");
  EXPECT_EQ(below.code, 3);
  EXPECT_TRUE(is_one_line_with(below.err, scratch / "bad.md")) << below.err;
  EXPECT_EQ(tree(scratch.path()), everything);
}

}  // namespace
}  // namespace embedscale::interruption_test
