// A run that fails or is interrupted leaves the old report whole: `combination --out DIR` over the
// good output of an earlier run.
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <thread>

#include "programs.hpp"
#include "scratch.hpp"

namespace embedscale::interruption_test {
namespace {

namespace fs = std::filesystem;
using namespace std::chrono_literals;

class Interruption : public testing::Test {
 protected:
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
  void SetUp() override {
    fs::copy(made("1"), out, fs::copy_options::recursive);
    before = tree(out);
    ASSERT_GE(before.size(), 10u);
  }
  static std::vector<std::string> arguments(const fs::path& directory, const std::string& seed,
                                            const std::string& samples = "20") {
    return quick({}, {"--out", directory, "--seed", seed, "--samples", samples});
  }
  static Ended write(const fs::path& directory, const std::string& seed,
                     const report::Command& in = {}) {
    return measure(arguments(directory, seed), in);
  }
  /// Every file has its old or its new bytes; what is still aside does not count.
  void expect_whole(const std::map<std::string, std::string>& after) const {
    for (const auto& [name, bytes] : tree(out)) {
      if (name.ends_with(".writing")) continue;
      ASSERT_TRUE(before.contains(name)) << name;
      EXPECT_TRUE(bytes == before.at(name) || bytes == after.at(name)) << name;
    }
    for (const auto& [name, bytes] : before) EXPECT_TRUE(fs::exists(out / name)) << name;
  }
  /// The next run puts everything right.
  void expect_mended() const {
    EXPECT_EQ(write(out, "2").code, 0);
    EXPECT_EQ(tree(out), tree(made("2")));
  }
  /// Whether no file has been replaced yet. Asks for each by its name, which is there at every
  /// moment; a listing would also meet files aside, which may be gone before they are read.
  bool is_untouched() const {
    return std::ranges::all_of(before, [&](const auto& file) {
      return report::read_file(out / file.first) == file.second;
    });
  }
  /// Ends a run of another seed by `signal` as soon as it has replaced the first file; there are
  /// figures left to draw then.
  Ended ended_while_writing(int signal) const {
    Child child(command(program::analyses, of_combination(arguments(out, "2"))));
    const auto end = std::chrono::steady_clock::now() + 10s;
    while (is_untouched() && std::chrono::steady_clock::now() < end) continue;
    child.send(signal);
    return child.wait();
  }
  Scratch scratch;
  const fs::path out = scratch / "reports";
  std::map<std::string, std::string> before;
};
using interruption = Interruption;

TEST_F(interruption, while_measuring_changes_nothing) {
  for (const int signal : {SIGINT, SIGTERM, SIGKILL}) {
    Child child(command(program::analyses, of_combination(arguments(out, "2", "100000000"))));
    std::this_thread::sleep_for(200ms);
    child.send(signal);
    EXPECT_EQ(child.wait().signal, signal);
    EXPECT_EQ(tree(out), before);
  }
}

TEST_F(interruption, while_writing_leaves_every_file_old_or_new) {
  const auto after = tree(made("2"));
  ASSERT_NE(after, before);
  for (const int signal : {SIGINT, SIGKILL}) {
    Ended ended;
    for (int attempt = 0; attempt < 5 && ended.signal != signal; ++attempt) {
      fs::remove_all(out);
      fs::copy(made("1"), out, fs::copy_options::recursive);
      ended = ended_while_writing(signal);
    }
    EXPECT_EQ(ended.signal, signal);
    EXPECT_NE(tree(out), before);
    expect_whole(after);
    expect_mended();
  }
}

TEST_F(interruption, leaves_nothing_aside_after_the_next_run) {
  const pid_t gone = ::fork();
  if (gone == 0) ::_exit(0);
  ::waitpid(gone, nullptr, 0);
  for (const char* name : {"combination.md", "figures/combination_order.svg", "data/x.csv"})
    report::write_file(out / (std::string(name) + "." + std::to_string(gone) + ".writing"), "<a");
  EXPECT_EQ(write(out, "1").code, 0);
  EXPECT_EQ(tree(out), before);
}

TEST_F(interruption, by_the_limit_on_file_sizes_leaves_every_file_whole) {
  const auto after = tree(made("2"));
  std::size_t largest = 0;
  for (const auto& [name, bytes] : after) largest = std::max(largest, bytes.size());
  // Not even the first picture fits; all but the largest file does.
  for (const rlim_t limit : {rlim_t{1024}, rlim_t{largest} - 1}) {
    const auto ended = write(out, "2", {.largest_file = limit});
    EXPECT_EQ(ended.code, 3) << limit;
    EXPECT_EQ(ended.signal, 0) << limit;
    EXPECT_TRUE(is_one_line_with(ended.err, "combination: ")) << ended.err;
    EXPECT_EQ(tree(out).size(), before.size()) << "something is left aside";
    expect_whole(after);
  }
  expect_mended();
}

TEST_F(interruption, by_a_path_below_a_file_writes_nothing) {
  report::write_file(scratch / "file", "old");
  const auto everything = tree(scratch.path());
  for (const fs::path& directory : {scratch / "file", scratch / "file/below"}) {
    const auto ended = write(directory, "2");
    EXPECT_EQ(ended.code, 3) << directory;
    EXPECT_TRUE(is_one_line_with(ended.err, scratch / "file")) << ended.err;
    EXPECT_EQ(ended.out, "");
  }
  EXPECT_EQ(tree(scratch.path()), everything);
}

TEST_F(interruption, by_words_or_evidence_that_are_amiss_writes_nothing) {
  report::write_file(scratch / "bad.md", "# T\n### why\n");
  const auto ends = [&](const char* option, const fs::path& file) {
    auto all = arguments(out, "2");
    all.insert(all.end(), {option, file});
    const auto ended = measure(all);
    EXPECT_TRUE(is_one_line_with(ended.err, file.filename())) << ended.err;
    return ended.code;
  };
  EXPECT_EQ(ends("--words", scratch / "none.md"), 3);
  EXPECT_EQ(ends("--words", scratch / "bad.md"), 2);
  EXPECT_EQ(ends("--evidence", scratch / "none.json"), 3);
  EXPECT_EQ(ends("--evidence", scratch / "bad.md"), 2);
  EXPECT_EQ(tree(out), before);
}

}  // namespace
}  // namespace embedscale::interruption_test
