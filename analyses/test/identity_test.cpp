// ./dev identity finds what differs, tells its row, and does not make again what it has kept. The
// programs are scripts that write what they are told to.
#include <gtest/gtest.h>

#include <cmath>

#include "child.hpp"
#include "identity/compare.hpp"
#include "report/file.hpp"
#include "report/json_once.hpp"
#include "report/row.hpp"
#include "scratch.hpp"
#include "texts.hpp"

namespace embedscale::identity {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

/// data/topic.json with one measurement that has two rows.
std::string data(double second, const std::string& summary = "It holds.") {
  const Json group{{"quantity", "ratio"},  {"unit", "1"},
                   {"method", "exact"},    {"axes", {"d_model"}},
                   {"columns", {"value"}}, {"rows", {{64, 0.25}, {512, second}}}};
  return Json::array({{{"id", "topic.one"}, {"summary", summary}, {"measurements", {group}}}})
      .dump();
}

TEST(reports, that_differ_name_what_does) {
  const Scratch scratch;
  const auto committed = scratch / "committed", made = scratch / "made";
  for (const auto& tree : {committed, made}) {
    report::write_file(tree / "topic.md", "# Topic\n\nIt is 0.86.\n");
    report::write_file(tree / "data/topic.json", data(0.86));
  }
  report::write_file(made / "provenance.json", "this machine");
  report::write_file(committed / "trust.md", "made apart");
  EXPECT_TRUE(differences(committed, made).empty());
  EXPECT_EQ(count_rows(committed), 2u);
  report::write_file(made / "data/topic.json", data(0.86) + "\n");  // in layout alone
  EXPECT_EQ(differences(committed, made).size(), 1u);
  report::write_file(made / "data/topic.json", data(0.86, "It fails."));
  report::write_file(made / "topic.md", "# Topic\n\nIt is 0.87.\n");
  report::write_file(made / "figures/topic_new.svg", "<svg/>\n");
  std::string all;
  for (const auto& one : differences(committed, made)) all += one.file + ", " + one.row + "; ";
  EXPECT_EQ(
      all, "data/topic.json, topic.one summary; figures/topic_new.svg, line 1; topic.md, line 3; ");
}

TEST(values, are_told_apart_before_they_are_rounded) {
  const std::vector<Value> a{{"a.claim one", "{}", 2, 1.0},
                             {"a.claim two", "{}", 2, 0.86},
                             {"a.claim three", "{}", 2, 0.0}},
      b{{"a.claim one", "{}", 2, 1.0},
        {"a.claim two", "{}", 2, 0.8600000000000002},
        {"a.claim three", "{}", 2, 0.0}};
  Apart apart;
  Margins margins;
  margins.add(apart, a, b);
  EXPECT_EQ(apart.values, 3u);
  EXPECT_EQ(apart.differ, 1u);
  EXPECT_EQ(apart.where, "a.claim two {}");
  EXPECT_NEAR(apart.largest, 2.6e-16, 0.1e-16);
  ASSERT_EQ(margins.nearest(5).size(), 1u);
  EXPECT_NEAR(margins.nearest(5)[0].distance, 0.005, 1e-12);
  const std::vector<Value> other{{"a.claim one", "{}", 2, 1.0}};
  EXPECT_THROW(margins.add(apart, a, other), std::invalid_argument);
}

TEST(values, have_a_distance_to_the_nearest_edge) {
  EXPECT_NEAR(distance_to_an_edge(0.8601, 2), 0.0049, 1e-12);
  EXPECT_NEAR(distance_to_an_edge(0.8651, 2), 0.0001, 1e-12);
  EXPECT_NEAR(distance_to_an_edge(-12345, 3), 45 - 40, 1e-9) << "12350 is written 12300 or 12400";
  EXPECT_EQ(distance_to_an_edge(0.125, 2), 0) << "a tie";
  // Below a power of ten the numbers are ten times as near.
  EXPECT_NEAR(distance_to_an_edge(0.0999, 2), 0.00040, 1e-12);
  EXPECT_NEAR(distance_to_an_edge(1.0, 2), 0.005, 1e-12);
}

/// A project of one topic whose program writes what differs on two threads, if anything does.
class trying : public testing::Test {
 protected:
  void SetUp() override {
    for (const char* file : {"analyses/topic/words.md", "properties/record.json", "README.md",
                             "analyses/systems/one.toml"})
      report::write_file(project / file, "");
    report::write_file(project / "reports/data/topic.json", data(0.86));
    program("answer", "printf '{\"compiler\": \"1.2\"}' > \"$out/reports/provenance.json\"\n");
    topic("0.86");
  }
  void program(const std::string& name, const std::string& body) const {
    const auto file = scratch / "build/bin" / name;
    report::write_file(file,
                       "#!/bin/sh\nset -e\nwhile [ $# -gt 0 ]; do case $1 in --out) out=$2;; "
                       "--unrounded) unrounded=$2;; --jobs) jobs=$2;; esac; shift; done\n" +
                           body);
    fs::permissions(file, fs::perms::owner_all);
  }
  /// On two threads its second row has this.
  void topic(const std::string& second) const {
    for (const auto& value : {std::string("0.86"), second})
      report::write_file(scratch / value, data(std::stod(value)));
    program("analyses", "mkdir -p \"$out/data\" \"$(dirname \"$unrounded\")\"\ncd '" +
                            scratch.path().string() + "'\necho made >> log\nsecond=0.86\n" +
                            "[ $jobs = 1 ] || second=" + second +
                            "\ncp $second \"$out/data/topic.json\"\n" +
                            "echo '[\"topic.one\",\"ratio\",{},\"exact\",2,0.8600000'$jobs',null,"
                            "null]' > \"$unrounded\"\n");
  }
  Ended identity(std::vector<std::string> more = {}) const {
    more.insert(more.begin(),
                {"--project", project.string(), "--topics", "topic", "--build",
                 "g++ -O1=" + (scratch / "build").string(), "--kept", (scratch / "kept").string()});
    return run(PROGRAM_IDENTITY, more);
  }
  std::size_t times_made() const { return occurrences(report::read_file(scratch / "log"), "made"); }
  Scratch scratch;
  const fs::path project = scratch / "project";
};

TEST_F(trying,
       keeps_what_is_made_and_tells_the_row_of_a_planted_difference_and_a_program_that_fails) {
  const auto before = identity({"--record", scratch / "record.json"});
  EXPECT_EQ(before.code, 0) << before.out << before.err;
  EXPECT_EQ(occurrences(before.out, ": the same bytes"), 6u) << before.out;
  EXPECT_TRUE(contains(before.out, "before rounding 1 of 1 values differ")) << before.out;
  EXPECT_EQ(identity().out, before.out);
  EXPECT_EQ(times_made(), 6u) << "kept";
  topic("0.87");
  const auto ended = identity({"--record", scratch / "record.json"});
  EXPECT_EQ(ended.code, 1) << ended.err;
  EXPECT_TRUE(contains(ended.out,
                       "data/topic.json: topic.one ratio {\"d_model\":512} value: 0.86 committed, "
                       "0.87 made (relative difference 0.012)"))
      << ended.out;
  EXPECT_EQ(occurrences(ended.out, "the same bytes"), 3u) << ended.out;
  const auto record = report::read_json(scratch / "record.json");
  EXPECT_EQ(record.at("differences").size(), 3u);
  EXPECT_EQ(record.at("tried").at(0).at("files_that_differ"), 1);
  program("analyses", "echo no such luck >&2; exit 3\n");
  const auto failed = identity();
  EXPECT_NE(failed.code, 0);
  EXPECT_TRUE(contains(failed.err, "topic of g++ -O1, default, 2 threads: ends with 3: no such"))
      << failed.err;
}

}  // namespace
}  // namespace embedscale::identity
