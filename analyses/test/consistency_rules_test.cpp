// The rules of consistency are tested themselves: each finds the fault that is planted for it, and
// none complains where there is none.
#include <gtest/gtest.h>

#include <functional>

#include "consistency.hpp"

namespace embedscale::consistency {
namespace {

constexpr properties::Claim settled_claim{.id = "topic.one",
                                          .said = "It is.",
                                          .states = "it is exactly",
                                          .asked_in = {"S0"},
                                          .cites = {"book"},
                                          .measures = {"share"}};
constexpr properties::Claim planned_claim{
    .id = "topic.two", .said = "It will be.", .states = {}, .status = properties::Status::planned};

/// A settled and a planned claim, and all that belongs to them.
Material sound() {
  Material all{
      .claims = {settled_claim, planned_claim},
      .tests = {{.test = "topic_one.always", .claim = "topic.one", .role = "holds", .passed = true},
                {.test = "topic_one.m", .claim = "topic.one", .role = "rejects", .passed = true}},
      .results = Json::object(),
      .pages = {{"topic.md", "- [one](#topic.one)\n<a id=\"topic.one\"></a>\n"},
                {"README.md", "\n| [topic.one](topic.md#topic.one) | x |\n| topic.two | y |\n"}},
      .words = {{"topic.md", "# T\n\n## topic.one\n### title\n"}, {"answer.md", "## answer\n"}},
      .bibliography = "@misc{embedscale:topic.one,\n  year = {2026},\n}\n",
      .permanent = {"topic.one", "topic.two"},
      .known = {"S0", "book"}};
  all.results["claims"] = {{{"id", "topic.one"},
                            {"status", "evaluated"},
                            {"verdict", "holds"},
                            {"anchor", "topic.md#topic.one"},
                            {"tests", {"topic_one.always", "topic_one.m"}},
                            {"mutants", {{"killed", 1}, {"total", 1}}},
                            {"measurements", {{{"quantity", "share"}}}}},
                           {{"id", "topic.two"},
                            {"status", "planned"},
                            {"verdict", nullptr},
                            {"anchor", nullptr},
                            {"tests", Json::array()},
                            {"mutants", {{"killed", 0}, {"total", 0}}},
                            {"measurements", Json::array()}}};
  return all;
}

using Rule = std::function<Complaints(const Material&)>;

/// What the rule says of the sound material after a fault was planted in it.
std::string told(const Rule& rule, const std::function<void(Material&)>& fault) {
  auto all = sound();
  fault(all);
  std::string text;
  for (const auto& complaint : rule(all)) text += complaint + "\n";
  return text;
}

Json& row(Material& all, int i) { return all.results["claims"][static_cast<std::size_t>(i)]; }

TEST(rules, have_no_complaint_where_all_is_sound) {
  for (const auto rule : {ids, tests, rows, measures, anchors, index, sources, entries, sections})
    EXPECT_EQ(told(rule, [](Material&) {}), "");
}

TEST(rules, find_ids_that_are_wrong_double_or_gone) {
  const auto renamed = [](std::string_view id) {
    return [id](Material& all) { all.claims[1].id = id; };
  };
  for (const char* id : {"topic", "Topic.two", "topic.", "topic.two.three", "topic.tw-o"})
    EXPECT_NE(told(ids, renamed(id)).find("is not topic.predicate"), std::string::npos) << id;
  EXPECT_NE(told(ids, renamed("topic.one")).find("topic.one: appears twice"), std::string::npos);
  EXPECT_EQ(told(ids, renamed("topic.new")),
            "topic.two: is gone, but ids are permanent\n"
            "topic.new: is new; add it to permanent_ids.txt\n");
}

TEST(rules, find_a_claim_without_property_or_mutant) {
  EXPECT_EQ(told(tests, [](Material& all) { all.tests.erase(all.tests.begin()); }),
            "topic.one: has no property\n");
  EXPECT_EQ(told(tests, [](Material& all) { all.tests.pop_back(); }), "topic.one: has no mutant\n");
}

TEST(rules, find_tests_that_fail_or_belong_to_nothing) {
  EXPECT_EQ(told(tests, [](Material& all) { all.tests[1].passed = false; }),
            "topic.one: topic_one.m failed\n");
  for (const char* id : {"topic.two", "topic.none"})
    EXPECT_EQ(told(tests,
                   [id](Material& all) {
                     all.tests.push_back({.test = "t", .claim = id, .passed = true});
                   }),
              std::string(id) + ": has test t, but is no settled claim\n");
}

TEST(rules, find_rows_that_are_missing_double_or_of_no_claim) {
  EXPECT_EQ(told(rows, [](Material& all) { all.results["claims"].erase(1); }),
            "topic.two: 0 rows in results.json instead of 1\n");
  EXPECT_EQ(told(rows, [](Material& all) { all.results["claims"].push_back(row(all, 0)); }),
            "topic.one: 2 rows in results.json instead of 1\n");
  EXPECT_EQ(told(rows,
                 [](Material& all) {
                   auto stranger = row(all, 0);
                   stranger["id"] = "topic.none";
                   all.results["claims"].push_back(stranger);
                 }),
            "topic.none: has a row, but is no claim\n");
}

TEST(rules, find_a_row_that_says_something_else) {
  const auto changed = [](int i, const char* key, Json value) {
    return told(rows, [&](Material& all) { row(all, i)[key] = value; });
  };
  EXPECT_EQ(changed(0, "status", "planned"), "topic.one: its row has another status\n");
  EXPECT_NE(changed(0, "verdict", nullptr), "");
  EXPECT_NE(changed(1, "verdict", "holds"), "");
  EXPECT_EQ(changed(0, "anchor", nullptr), "topic.one: its row has another anchor\n");
  EXPECT_EQ(changed(1, "anchor", "topic.md#topic.two"), "topic.two: its row has another anchor\n");
  EXPECT_NE(changed(0, "tests", Json::array()), "");
  EXPECT_NE(changed(0, "mutants", {{"killed", 1}, {"total", 2}}), "");
}

TEST(rules, find_measures_that_are_missing_or_undeclared) {
  EXPECT_EQ(told(measures, [](Material& all) { row(all, 0)["measurements"].clear(); }),
            "topic.one: share is declared, not measured\n");
  EXPECT_EQ(told(measures, [](Material& all) { all.claims[0].measures[0] = {}; }),
            "topic.one: declares no measure\ntopic.one: share is measured, not declared\n");
}

TEST(rules, find_anchors_that_are_missing_double_misplaced_or_orphans) {
  EXPECT_EQ(told(anchors, [](Material& all) { all.pages["topic.md"] = "[one](#topic.one)"; }),
            "topic.one: 0 anchors instead of 1\n");
  const auto added = [](std::string page, std::string id) {
    return told(anchors, [&](Material& all) { all.pages[page] += "<a id=\"" + id + "\"></a>"; });
  };
  EXPECT_EQ(added("topic.md", "topic.one"), "topic.one: 2 anchors instead of 1\n");
  EXPECT_EQ(added("topic.md", "topic.two"), "topic.two: has anchors, but is no settled claim\n");
  EXPECT_EQ(added("topic.md", "topic.none"), "topic.none: has anchors, but is no settled claim\n");
  EXPECT_NE(added("README.md", "topic.one").find("topic.one: has its anchor in README.md"),
            std::string::npos);
}

TEST(rules, find_claims_that_are_not_in_the_index) {
  EXPECT_EQ(told(index, [](Material& all) { all.pages["README.md"] = "\n| topic.two |\n"; }),
            "topic.one: is not in the index\n");
  EXPECT_EQ(told(index, [](Material& all) { all.pages.erase("README.md"); }),
            "topic.one: is not in the index\ntopic.two: is not in the index\n");
}

TEST(rules, find_sources_that_do_not_exist) {
  EXPECT_EQ(told(sources, [](Material& all) { all.known = {"S0"}; }),
            "topic.one: no source 'book'\n");
  EXPECT_EQ(told(sources, [](Material& all) { all.claims[1].asked_in = {"S9"}; }),
            "topic.two: no source 'S9'\n");
}

TEST(rules, find_entries_that_are_missing_or_of_no_claim) {
  EXPECT_EQ(told(entries, [](Material& all) { all.bibliography.clear(); }),
            "topic.one: 0 entries in claims.bib instead of 1\n");
  EXPECT_EQ(told(entries, [](Material& all) { all.bibliography += "@misc{embedscale:a.b,\n}"; }),
            "a.b: has entries in claims.bib, but is no settled claim\n");
}

TEST(rules, find_words_that_are_missing_or_of_no_claim) {
  EXPECT_EQ(told(sections, [](Material& all) { all.words.erase("topic.md"); }),
            "topic.one: 0 sections of words instead of 1\n");
  EXPECT_EQ(told(sections, [](Material& all) { all.words["topic.md"] += "\n## topic.none"; }),
            "topic.none: has sections of words, but is no settled claim\n");
  EXPECT_NE(told(sections, [](Material& all) { all.words["x.md"] = "## topic.one\n"; }), "");
}

}  // namespace
}  // namespace embedscale::consistency
