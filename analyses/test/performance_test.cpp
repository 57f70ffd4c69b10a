// The page about performance: ratios are of one round, and the right way round.
#include "performance.hpp"

#include <gtest/gtest.h>

#include "report/file.hpp"
#include "scratch.hpp"
#include "texts.hpp"

namespace embedscale::performance {
namespace {

const report::Words words = report::Words::parse(
    "# T\nOn {machine}, {rounds} rounds.\n## tables\n### ways\nW\n### limits\nL\n### growth\nG\n",
    "performance.md");

Round round(double fast, double other, double limit) {
  return {{"norm/fast", fast},
          {"norm/Other 1", other},
          {"norm/limit", limit},
          {"growth of norm/64", 2 * fast},
          {"growth of norm/1024", 3 * fast}};
}

TEST(performance, tells_the_median_of_ratios_within_a_round) {
  const auto text = page({round(1, 4, 0.5), round(100, 300, 20), round(2, 4, 1)}, words, "M");
  for (const auto* part :
       {"On M, 3 rounds.", "| norm | Other 1 |                3.0 |   2.0 |      4.0 |",
        "| norm | limit |              2.0 |   2.0 |      5.0 |", "|    64 |  1.0 |",
        "| 1,024 |  1.5 |"})
    EXPECT_TRUE(contains(text, part)) << part << "\n" << text;
}

TEST(performance, refuses_rounds_that_lack_a_time) {
  auto less = round(1, 4, 0.5);
  less.erase("norm/Other 1");
  EXPECT_TRUE(contains(refusal([&] {
                         page({round(1, 4, 0.5), less}, words, "M");
                       }),
                       "no time of norm/Other 1"));
  EXPECT_TRUE(contains(refusal([&] { page({}, words, "M"); }), "no rounds"));
  EXPECT_TRUE(contains(refusal([&] { page({{{"norm/fast", 1}}}, words, "M"); }), "no growth"));
}

TEST(performance, reads_both_programs_times_of_each_round) {
  const Scratch scratch;
  const auto times = [](const char* name) {
    return R"({"benchmarks": [{"name": ")" + std::string(name) + R"(", "real_time": 2.5}]})";
  };
  report::write_file(scratch / "1.a.json", times("norm/fast"));
  report::write_file(scratch / "1.b.json", times("norm/Other 1"));
  report::write_file(scratch / "2.a.json", times("norm/fast"));
  const std::vector<Round> right{{{"norm/Other 1", 2.5}, {"norm/fast", 2.5}}, {{"norm/fast", 2.5}}};
  EXPECT_EQ(read(scratch.path()), right);
}

}  // namespace
}  // namespace embedscale::performance
