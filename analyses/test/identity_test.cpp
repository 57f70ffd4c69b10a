// What ./dev identity compares: files and their rows, values before they are rounded. The program
// itself is identity_test.py's.
#include "identity/compare.hpp"

#include <gtest/gtest.h>

#include "report/file.hpp"
#include "report/json_once.hpp"
#include "scratch.hpp"

namespace embedscale::identity::identity_test {
namespace {

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

}  // namespace
}  // namespace embedscale::identity::identity_test
