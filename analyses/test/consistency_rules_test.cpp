// The rules of consistency are tested themselves: each finds the faults that are planted for it,
// and none complains where there is none.
#include <gtest/gtest.h>

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
                {"README.md", "\n| [One is odd](topic.md#topic.one) | x |\n| topic.two | y |\n"}},
      .words = {{"topic.md", "# T\n\n## topic.one\n### title\n"}, {"answer.md", "## answer\n"}},
      .bibliography = "@misc{embedscale:topic.one,\n  year = {2026},\n}\n",
      .permanent = {"topic.one", "topic.two"},
      .known = {"S0", "book"}};
  all.results["claims"] = {{{"id", "topic.one"},
                            {"status", "evaluated"},
                            {"finding", "One is odd"},
                            {"belief", "It is."},
                            {"verdict", "true"},
                            {"anchor", "topic.md#topic.one"},
                            {"tests", {"topic_one.always", "topic_one.m"}},
                            {"mutants", {{"killed", 1}, {"total", 1}}},
                            {"measurements", {{{"quantity", "share"}}}}},
                           {{"id", "topic.two"},
                            {"status", "planned"},
                            {"finding", nullptr},
                            {"belief", "It will be."},
                            {"verdict", nullptr},
                            {"anchor", nullptr},
                            {"tests", Json::array()},
                            {"mutants", {{"killed", 0}, {"total", 0}}},
                            {"measurements", Json::array()}}};
  return all;
}

Json& row(Material& all, std::size_t i) { return all.results["claims"][i]; }
std::string& page(Material& all, const char* name) { return all.pages[name]; }

/// What a rule says of the sound material after a fault was planted in it: exactly so, or, where
/// `complaint` ends in "…", beginning so.
struct Planted {
  Complaints (*rule)(const Material&);
  void (*fault)(Material&);
  std::string complaint;
};
const Planted planted[] = {
    {ids, [](auto& all) { all.claims[1].id = "topic"; }, "topic: is not topic.predicate\n…"},
    {ids, [](auto& all) { all.claims[1].id = "Topic.two"; }, "Topic.two: is not topic.pred…"},
    {ids, [](auto& all) { all.claims[1].id = "topic."; }, "topic.: is not topic.predicate\n…"},
    {ids, [](auto& all) { all.claims[1].id = "topic.a.b"; }, "topic.a.b: is not topic.pred…"},
    {ids, [](auto& all) { all.claims[1].id = "topic.tw-o"; }, "topic.tw-o: is not topic.pred…"},
    {ids, [](auto& all) { all.claims[1].id = "topic.one"; }, "topic.one: appears twice\n…"},
    {ids, [](auto& all) { all.claims[1].id = "topic.new"; },
     "topic.two: is gone, but ids are permanent\n"
     "topic.new: is new; add it to permanent_ids.txt\n"},
    {tests, [](auto& all) { all.tests.erase(all.tests.begin()); }, "topic.one: has no property\n"},
    {tests, [](auto& all) { all.tests.pop_back(); }, "topic.one: has no mutant\n"},
    {tests, [](auto& all) { all.tests[1].passed = false; }, "topic.one: topic_one.m failed\n"},
    {tests,
     [](auto& all) { all.tests.push_back({.test = "t", .claim = "topic.two", .passed = true}); },
     "topic.two: has test t, but is no settled claim\n"},
    {tests,
     [](auto& all) { all.tests.push_back({.test = "t", .claim = "topic.none", .passed = true}); },
     "topic.none: has test t, but is no settled claim\n"},
    {rows, [](auto& all) { all.results["claims"].erase(1); },
     "topic.two: 0 rows in results.json instead of 1\n"},
    {rows, [](auto& all) { all.results["claims"].push_back(row(all, 0)); },
     "topic.one: 2 rows in results.json instead of 1\n"},
    {rows,
     [](auto& all) {
       all.results["claims"].push_back(row(all, 0));
       row(all, 2)["id"] = "topic.none";
     },
     "topic.none: has a row, but is no claim\n"},
    {rows, [](auto& all) { row(all, 0)["status"] = "planned"; },
     "topic.one: its row has another status\n"},
    {rows, [](auto& all) { row(all, 0)["verdict"] = nullptr; },
     "topic.one: has a verdict exactly if it is settled; not so here\n"},
    {rows, [](auto& all) { row(all, 1)["verdict"] = "true"; },
     "topic.two: has a verdict exactly if it is settled; not so here\n"},
    {rows, [](auto& all) { row(all, 0)["anchor"] = nullptr; },
     "topic.one: its row has another anchor\n"},
    {rows, [](auto& all) { row(all, 1)["anchor"] = "topic.md#topic.two"; },
     "topic.two: its row has another anchor\n"},
    {rows, [](auto& all) { row(all, 0)["tests"] = Json::array(); },
     "topic.one: its row has other tests than are recorded\n"},
    {rows, [](auto& all) { row(all, 0)["mutants"]["total"] = 2; },
     "topic.one: its row has other mutants than are recorded\n"},
    {measures, [](auto& all) { row(all, 0)["measurements"].clear(); },
     "topic.one: share is declared, not measured\n"},
    {measures, [](auto& all) { all.claims[0].measures[0] = {}; },
     "topic.one: declares no measure\ntopic.one: share is measured, not declared\n"},
    {anchors, [](auto& all) { page(all, "topic.md") = "[one](#topic.one)"; },
     "topic.one: 0 anchors instead of 1\n"},
    {anchors, [](auto& all) { page(all, "topic.md") += "<a id=\"topic.one\"></a>"; },
     "topic.one: 2 anchors instead of 1\n"},
    {anchors, [](auto& all) { page(all, "topic.md") += "<a id=\"topic.two\"></a>"; },
     "topic.two: has anchors, but is no settled claim\n"},
    {anchors, [](auto& all) { page(all, "topic.md") += "<a id=\"topic.none\"></a>"; },
     "topic.none: has anchors, but is no settled claim\n"},
    {anchors, [](auto& all) { page(all, "README.md") += "<a id=\"topic.one\"></a>"; },
     "topic.one: 2 anchors instead of 1\ntopic.one: has its anchor in README.md\n"},
    {index, [](auto& all) { page(all, "README.md") = "\n| topic.two |\n"; },
     "topic.one: is not in the index\n"},
    {index, [](auto& all) { row(all, 0)["finding"] = "One is even"; },
     "topic.one: is not in the index\n"},
    {findings, [](auto& all) { row(all, 0)["finding"] = nullptr; },
     "topic.one: has a finding exactly if it is settled; not so here\n"},
    {findings, [](auto& all) { row(all, 1)["finding"] = "Two is even"; },
     "topic.two: has a finding exactly if it is settled; not so here\n"},
    {findings, [](auto& all) { all.results["claims"].push_back(row(all, 0)); },
     "topic.one: has the finding of topic.one\n"},
    {findings, [](auto& all) { row(all, 0)["finding"] = "It is"; },
     "topic.one: its finding is the belief\n"},
    {findings, [](auto& all) { row(all, 0)["finding"] = "It is 0.5 of 1/√d_k"; },
     "topic.one: its finding has a figure in it\n"},
    {lengths,
     [](auto& all) {
       for (int i = 0; i < 3500; ++i) page(all, "topic.md") += "| ";
     },
     "topic.md: 350…"},
    {lengths,
     [](auto& all) {
       page(all, "README.md").clear();
       for (int i = 0; i < 1801; ++i) page(all, "README.md") += "x ";
       page(all, "README.md") += "\n## All claims\n\nx\n";
     },
     "README.md: 1801 words of at most 1800\n"},
    {index, [](auto& all) { all.pages.erase("README.md"); },
     "topic.one: is not in the index\ntopic.two: is not in the index\n"},
    {sources, [](auto& all) { all.known = {"S0"}; }, "topic.one: no source 'book'\n"},
    {sources, [](auto& all) { all.claims[1].asked_in = {"S9"}; }, "topic.two: no source 'S9'\n"},
    {entries, [](auto& all) { all.bibliography.clear(); },
     "topic.one: 0 entries in claims.bib instead of 1\n"},
    {entries, [](auto& all) { all.bibliography += "@misc{embedscale:a.b,\n}"; },
     "a.b: has entries in claims.bib, but is no settled claim\n"},
    {sections, [](auto& all) { all.words.erase("topic.md"); },
     "topic.one: 0 sections of words instead of 1\n"},
    {sections, [](auto& all) { all.words["topic.md"] += "\n## topic.none"; },
     "topic.none: has sections of words, but is no settled claim\n"},
    {sections, [](auto& all) { all.words["x.md"] = "## topic.one\n"; },
     "topic.one: has its words in x.md\ntopic.one: 2 sections of words instead of 1\n"}};

TEST(rules, have_no_complaint_where_all_is_sound) {
  for (const auto rule :
       {ids, tests, rows, measures, anchors, index, findings, lengths, sources, entries, sections})
    EXPECT_EQ(rule(sound()), Complaints{});
}

TEST(rules, find_each_planted_fault) {
  for (const auto& [rule, fault, complaint] : planted) {
    auto all = sound();
    fault(all);
    std::string message;
    for (const auto& line : rule(all)) message += line + "\n";
    const auto end = complaint.find("…");
    EXPECT_EQ(message.substr(0, end), complaint.substr(0, end));
  }
}

}  // namespace
}  // namespace embedscale::consistency
