// The page about performance: ratios are of one round, and the right way round.
#include "performance.hpp"

#include <gtest/gtest.h>

#include "properties/evidence/normal.hpp"
#include "report/file.hpp"
#include "scratch.hpp"
#include "texts.hpp"

namespace embedscale::performance {
namespace {

const report::Words words = report::Words::parse(
    "# T\nOn {machine}, {rounds} rounds.\n## tables\n### goals\nG\n### ways\nW\n### limits\nL\n### "
    "sizes\nS\n### "
    "growth\nG\n",
    "performance.md");

Round round(double fast, double other, double limit) {
  return {{"norm/fast", fast},
          {"norm/Other 1", other},
          {"norm/limit", limit},
          {"growth of norm/64", 2 * fast},
          {"growth of norm/1024", 3 * fast},
          {"size of norm/4096", 5 * fast},
          {"size of limit/4096", 2 * fast}};
}
const std::vector<Goal> goals{{"norm", "Other", 3.5}, {"norm", "limit", 2}};

TEST(performance, tells_the_median_of_ratios_within_a_round) {
  const auto text =
      page({round(1, 4, 0.5), round(100, 300, 20), round(2, 4, 1)}, goals, words, "M");
  for (const auto* part : {"On M, 3 rounds.", "| norm | Other 1 |  3.00 | ≥ 3.5 | missed  |",
                           "| norm | memory  |  2.00 |   ≤ 2 | reached |",
                           "| norm | Other 1 |                3.0 |   2.0 |      4.0 |",
                           "| norm |              2.0 |   2.0 |      5.0 |", "|    64 |  1.0 |",
                           "| 1,024 |  1.5 |", "|   4,096 |  2.5 |"})
    EXPECT_TRUE(contains(text, part)) << part << "\n" << text;
}

// What the works' names and words promise of works.json.
TEST(performance, deviation_is_of_as_many_draws_as_show_one_that_is_0_1_percent_off) {
  const auto works = report::read_json(EMBEDSCALE_SOURCE_DIR "/analyses/performance/works.json");
  const auto draws = works.at("sizes").at("checked_draws").get<std::uint64_t>();
  using properties::evidence::NormalVariance;
  EXPECT_LE(NormalVariance::smallest_effect(draws, {1e-9, 1e-9}), 0.001);
  EXPECT_GT(NormalVariance::smallest_effect(draws - draws / 50, {1e-9, 1e-9}), 0.001);
}

TEST(performance, refuses_rounds_that_lack_a_time) {
  auto less = round(1, 4, 0.5);
  less.erase("norm/Other 1");
  EXPECT_TRUE(contains(refusal([&] {
                         page({round(1, 4, 0.5), less}, {}, words, "M");
                       }),
                       "no time of norm/Other 1"));
  EXPECT_TRUE(contains(refusal([&] { page({}, {}, words, "M"); }), "no rounds"));
  EXPECT_TRUE(contains(refusal([&] {
                         page({{{"norm/fast", 1}}}, {}, words, "M");
                       }),
                       "a round has no"));
  EXPECT_TRUE(contains(refusal([&] {
                         page({round(1, 4, 1)}, {{"norm", "None", 1}}, words, "M");
                       }),
                       "no round has norm/None"));
}

// A goal is of the work that is called so, and of one thread where it does not say otherwise.
TEST(performance, goals_are_of_their_work) {
  auto all = round(1, 1, 1);
  all.merge(Round{{"norm with more/fast", 1},
                  {"norm with more/Other 1", 9},
                  {"norm, all threads/fast", 1},
                  {"norm, all threads/Other 1", 9}});
  const auto text = page({all}, {{"norm", "Other", 5}}, words, "M");
  EXPECT_TRUE(contains(text, "|  1.00 |  ≥ 5 | missed |")) << text;
  EXPECT_FALSE(contains(text, "reached"));
}

TEST(performance, reads_both_programs_times_of_each_round) {
  const Scratch scratch;
  const auto times = [](const char* name) {
    return R"({"benchmarks": [{"name": ")" + std::string(name) + R"(", "real_time": 2.5}]})";
  };
  report::write_file(scratch / "1.one.a.json", times("norm/fast/real_time"));
  report::write_file(scratch / "1.one.b.json", times("norm/Other 1"));
  report::write_file(scratch / "1.all.a.json", times("norm/fast"));
  report::write_file(scratch / "1.all.b.json", times("norm/Other 1"));
  report::write_file(scratch / "1.AVX2.a.json", times("norm/fast"));
  report::write_file(scratch / "2.one.a.json", times("norm/fast"));
  const std::vector<Round> right{{{"norm/Other 1", 2.5},
                                  {"norm/fast", 2.5},
                                  {"norm/fast, AVX2", 2.5},
                                  {"norm/fast, all threads", 2.5},
                                  {"norm, all threads/Other 1", 2.5},
                                  {"norm, all threads/fast", 2.5}},
                                 {{"norm/fast", 2.5}}};
  EXPECT_EQ(read(scratch.path()), right);
}

}  // namespace
}  // namespace embedscale::performance
