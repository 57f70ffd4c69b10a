// Lists of parts by threads and shards: the same bytes, and what is kept when something ends them.
// By MPI: parts_mpi_test.cpp.
#include <gtest/gtest.h>
#include <sys/resource.h>

#include <algorithm>
#include <atomic>
#include <fstream>
#include <set>
#include <stdexcept>

#include "counting.hpp"
#include "scratch.hpp"

namespace embedscale {
namespace {

using parts::Parts;

std::string counted_by(int jobs) {
  const Scratch folder;
  Parts parts({.jobs = jobs}, folder.path());
  return counted(parts);
}

/// Of a list of so many whose parts are evaluated in no time: how many are evaluated now.
std::size_t evaluated(const std::filesystem::path& folder, const std::vector<parts::Part>& list) {
  std::atomic<std::size_t> evaluations = 0;
  Parts parts({.jobs = 2}, folder);
  const auto results = parts.make(list, [&](std::size_t i) {
    ++evaluations;
    return std::to_string(i);
  });
  for (std::size_t i = 0; i < list.size(); ++i) EXPECT_EQ(results[i], std::to_string(i));
  EXPECT_EQ(parts.missing(), 0u);
  return evaluations;
}

TEST(parts, have_the_same_bytes_from_any_number_of_threads) {
  const auto one = counted_by(1);
  EXPECT_EQ(std::ranges::count(one, '\n'), int{in_first + in_second});
  EXPECT_EQ(counted_by(2), one);
  EXPECT_EQ(counted_by(7), one);
}

TEST(parts, of_three_shards_whose_files_are_put_together_have_the_bytes_of_one) {
  const Scratch folder;
  std::string merged;
  // Each phase is sharded: the second begins when all have made the first.
  for (const std::string shard : {"3/3", "1/3", "2/3", "3/3", "1/3", "2/3", "1/1"}) {
    EXPECT_EQ(merged, "") << "before " << shard;
    testing::internal::CaptureStderr();
    Parts parts({.shard = shard, .jobs = 2}, folder.path());
    merged = counted(parts);
    const auto told = testing::internal::GetCapturedStderr();
    EXPECT_EQ(parts.missing() > 0, told.find("parts are not made: ") != told.npos) << told;
    if (!merged.empty()) break;
  }
  EXPECT_EQ(merged, counted_by(1));
  for (const std::string shard : {"1", "2", "3"}) {
    const auto lines = report::KeptLines(folder / (shard + "-of-3.jsonl")).lines();
    EXPECT_GT(lines.size(), 15u);
    EXPECT_LT(lines.size(), 60u);
  }
  EXPECT_FALSE(std::filesystem::exists(folder / "1-of-1.jsonl"));
}

TEST(parts, that_are_kept_are_not_made_again_but_for_those_of_other_sources_and_torn_lines) {
  const Scratch folder;
  const auto list = counting("a", 20, "sources");
  EXPECT_EQ(evaluated(folder.path(), list), 20u);
  EXPECT_EQ(evaluated(folder.path(), list), 0u);
  auto text = report::read_file(folder / "1-of-1.jsonl");
  text.resize(text.rfind('\n', text.size() - 2) + 20);  // in the midst of its last line
  report::write_file(folder / "1-of-1.jsonl", "{\"part\":1}\n[]\n\n" + text + "\n");
  EXPECT_EQ(evaluated(folder.path(), list), 1u);
  EXPECT_EQ(evaluated(folder.path(), list), 0u);
  EXPECT_EQ(evaluated(folder.path(), counting("b", 5, "sources")), 5u);
  EXPECT_EQ(evaluated(folder.path(), counting("a", 20, "others")), 20u);
  std::set<std::string> lines;
  for (const auto& line : report::KeptLines(folder / "1-of-1.jsonl").lines()) lines.insert(line);
  EXPECT_EQ(lines.size(), 25u) << "what other sources made is forgotten, what others made is not";
  EXPECT_EQ(evaluated(folder.path(), list), 20u);
}

TEST(parts, of_current_sources_count_whatever_another_shard_has_kept_of_old_ones) {
  const Scratch folder;
  for (const std::string shard : {"old", "zzz"})
    std::ofstream(folder / (shard + ".jsonl")) << R"({"part":"a/0","of":"old","result":7})"
                                               << "\n";
  EXPECT_EQ(evaluated(folder.path(), counting("a", 1, "sources")), 1u);
  EXPECT_EQ(evaluated(folder.path(), counting("a", 1, "sources")), 0u);
}

TEST(parts, that_throw_end_the_list_and_the_others_are_kept) {
  const Scratch folder;
  testing::internal::CaptureStderr();
  {
    Parts parts({.jobs = 2}, folder.path());
    EXPECT_THROW(counted(parts,
                         [](std::size_t i) {
                           if (i == 30) throw std::range_error("thirty");
                         }),
                 std::range_error);
  }
  EXPECT_NE(testing::internal::GetCapturedStderr().find("of 60 parts are not made: first/30"),
            std::string::npos);
  EXPECT_GE(report::KeptLines(folder / "1-of-1.jsonl").lines().size(), 30u);
  Parts parts({.jobs = 2}, folder.path());
  EXPECT_EQ(counted(parts), counted_by(1));
}

TEST(parts, stand_when_the_disk_is_full_and_the_same_command_goes_on) {
  const Scratch folder;
  ::signal(SIGXFSZ, SIG_IGN);
  rlimit limit{};
  ::getrlimit(RLIMIT_FSIZE, &limit);
  const rlimit small{1000, limit.rlim_max};
  {
    Parts parts({.jobs = 2}, folder.path());
    testing::internal::CaptureStderr();
    ::setrlimit(RLIMIT_FSIZE, &small);
    EXPECT_THROW(counted(parts), report::FileError);
    ::setrlimit(RLIMIT_FSIZE, &limit);
    EXPECT_NE(testing::internal::GetCapturedStderr().find("of 60 parts are not made"),
              std::string::npos);
  }
  const auto kept = report::KeptLines(folder / "1-of-1.jsonl").lines().size();
  EXPECT_GE(kept, 10u);
  std::atomic<std::size_t> evaluations = 0;
  Parts parts({.jobs = 2}, folder.path());
  EXPECT_EQ(counted(parts, [&](std::size_t) { ++evaluations; }), counted_by(1));
  EXPECT_LE(evaluations, in_first + in_second - kept + 1) << "one line was torn at most";
}

TEST(parts, begin_in_order_until_told_otherwise_and_failures_do_not_count) {
  const Scratch folder;
  const auto list = counting("a", 10, "sources");
  std::vector<std::size_t> order, evaluations;
  const auto evaluate = [&](std::size_t i) -> Parts::Result {
    evaluations.push_back(i);
    return i == 2 ? std::nullopt : std::optional(i == 4 ? "false" : "true");
  };
  Parts::Ways ways{.found = [&](std::size_t i, const std::string&) { order.push_back(i); },
                   .counts = [](const std::string& result) { return result == "true"; },
                   .goes_on = [&] { return order.size() < 5; }};
  Parts parts({.jobs = 1}, folder.path());
  EXPECT_EQ(parts.make(list, evaluate, ways)[6], std::nullopt);
  EXPECT_EQ(order, (std::vector<std::size_t>{0, 1, 3, 4, 5}));
  order.clear();
  evaluations.clear();
  EXPECT_EQ(parts.make(list, evaluate, ways)[4], "false") << "again";
  EXPECT_EQ(order, (std::vector<std::size_t>{0, 1, 3, 4, 5}))
      << "kept ones as well, in their place";
  EXPECT_EQ(evaluations, (std::vector<std::size_t>{2, 4}));
}

TEST(parts, are_refused_for_a_wrong_shard_and_while_another_program_makes_them) {
  const Scratch folder;
  for (const char* wrong : {"0/2", "3/2", "1/", "1/2x", "", "1/4097"})
    EXPECT_THROW(Parts({.shard = wrong}, folder.path()), std::invalid_argument) << wrong;
  const Parts parts({.shard = "1/2"}, folder.path());
  EXPECT_THROW(Parts({.shard = "1/2"}, folder.path()), report::FileError);
  EXPECT_NO_THROW(Parts({.shard = "2/2"}, folder.path()));
}

}  // namespace
}  // namespace embedscale
