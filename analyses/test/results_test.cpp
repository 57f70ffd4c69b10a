// What is made from the rows of all topics: results.json, verdicts in words, badges.
#include "report/results.hpp"

#include <gtest/gtest.h>
#include "properties/catalogue.hpp"

#include <algorithm>

#include "report/file.hpp"
#include "report/project.hpp"
#include "report/section.hpp"
#include "results_rows.hpp"
#include "scratch.hpp"
#include "texts.hpp"

namespace embedscale::report::results_test {
namespace {

using properties::Status;

/// The rows of all settled claims of the catalogue, by topic, as the analyses leave them.
void write_rows(const std::filesystem::path& reports, std::string_view left_out = {}) {
  for (const auto topic : properties::topics()) {
    Json rows = Json::array();
    for (const auto& claim : properties::catalogue())
      if (claim.topic() == topic && claim.status == Status::evaluated && claim.id != left_out)
        rows.insert(rows.begin(), settled(std::string(claim.id)));
    if (!rows.empty()) write_file(reports / "data" / (std::string(topic) + ".json"), rows.dump());
  }
}

TEST(merged_results, have_the_whole_catalogue_in_its_order) {
  const Scratch scratch;
  write_rows(scratch.path());
  const auto results = merged_results(scratch.path());
  const auto catalogue = properties::catalogue();
  EXPECT_EQ(results["version"], project::version);
  ASSERT_EQ(results["claims"].size(), catalogue.size());
  for (std::size_t i = 0; i < catalogue.size(); ++i) {
    EXPECT_EQ(results["claims"][i]["id"], catalogue[i].id);
    EXPECT_EQ(verdict_of(results["claims"][i]),
              catalogue[i].status == Status::planned ? "planned" : "true");
  }
}

TEST(read_results, refuses_and_names_a_file_that_is_none) {
  const Scratch scratch;
  for (const char* broken : {"", "{", "[]", "{}", R"({"claims": {}})", "not JSON",
                             R"({"claims": [{"id": "a.b", "measurements": [{}]}]})"}) {
    write_file(scratch / "r.json", broken);
    EXPECT_TRUE(
        contains(refusal([&] { read_results(scratch / "r.json"); }), (scratch / "r.json").string()))
        << broken;
  }
  EXPECT_THROW(read_results(scratch / "none.json"), FileError);
}

TEST(verdict_changes, has_a_line_for_each_change_and_no_other) {
  const auto before = four_claims();
  EXPECT_EQ(verdict_changes(before, before), "");
  auto after = before;
  after["claims"][0]["verdict"] = "false";
  after["claims"][1]["summary"] = "In other words.";
  after["claims"].push_back(settled("topic.three"));
  after["claims"][3] = settled("topic.waits", "open");
  EXPECT_EQ(verdict_changes(before, after),
            "topic.one: true → false\n"
            "topic.waits: planned → open\n"
            "topic.three: (no such claim) → true\n");
}

TEST(badge, tells_what_is_settled_and_rejected) {
  const auto results = four_claims();
  EXPECT_EQ(badge(results, "other"),
            (Json{{"schemaVersion", 1},
                  {"label", "other"},
                  {"message", "1 of 1 claims settled, 3 of 3 mutants rejected"},
                  {"color", "brightgreen"}}));
  EXPECT_EQ(badge(results, "topic")["message"], "2 of 3 claims settled, 6 of 6 mutants rejected");
}

/// Of the topic whose third claim is planned, after a change; and without that claim.
TEST(badge, has_the_colour_of_what_is_missing) {
  const auto colour = [](auto change, bool is_planned) {
    auto results = four_claims();
    if (!is_planned) results["claims"].erase(3);
    change(results["claims"][0]);
    return badge(results, "topic")["color"].get<std::string>();
  };
  EXPECT_EQ(colour([](Json&) {}, true), "orange");
  EXPECT_EQ(colour([](Json&) {}, false), "brightgreen");
  EXPECT_EQ(colour([](Json& row) { row["verdict"] = "open"; }, false), "orange");
  EXPECT_EQ(colour([](Json& row) { row["evaluated"] = 11; }, false), "orange");
  EXPECT_EQ(colour([](Json& row) { row["mutants"]["killed"] = 2; }, false), "red");
  EXPECT_EQ(badge(Json{{"claims", {planned_row(waiting)}}}, "topic")["color"], "lightgrey");
}

/// Neither red nor green, whatever the verdict: only what is not settled looks otherwise.
TEST(claim_badge, shows_the_finding_and_no_judgement) {
  const auto colour = [](const Json& verdict, int evaluated = 12) {
    auto row = settled("topic.one", verdict);
    row["evaluated"] = evaluated;
    return claim_badge(row)["color"].get<std::string>();
  };
  EXPECT_EQ(
      claim_badge(settled("topic.one", "false")),
      (Json{{"schemaVersion", 1}, {"label", "topic"}, {"message", "So it is"}, {"color", "blue"}}));
  for (const char* verdict : {"true", "true if", "false", "premise true", "premise true if"})
    EXPECT_EQ(colour(verdict), "blue") << verdict;
  EXPECT_EQ(colour("open"), "lightgrey");
  EXPECT_EQ(colour("true", 11), "lightgrey");
}

TEST(description, says_what_a_reader_needs_to_cite) {
  auto row = settled("topic.one", "false");
  row["counterexample"] = "d = 3: 1 against 2";
  const auto text = description(row);
  for (const std::string what : {"topic.one", "It is.", "it is exactly", "verdict      false",
                                 "So it is\n", "d = 3: 1 against 2", "12 of 12", "3 of 3 mutants",
                                 "It is so, exactly.", "/reports/topic.md#topic.one"})
    EXPECT_TRUE(contains(text, what)) << what << " in " << text;
  EXPECT_FALSE(contains(description(settled("topic.one")), "against it"));
}

}  // namespace
}  // namespace embedscale::report::results_test
