// Every claim is everywhere where it has to be, and nothing else is, in the tree that this build
// generated; and what looks for that finds the faults that are planted.
#include "consistency.hpp"

#include <gtest/gtest.h>
#include "properties/catalogue.hpp"
#include "properties/sources.hpp"

#include <algorithm>
#include <filesystem>

#include "report/file.hpp"
#include "report/results.hpp"
#include "texts.hpp"

namespace embedscale::consistency {
namespace {

namespace fs = std::filesystem;

const fs::path source = EMBEDSCALE_SOURCE_DIR, site = EMBEDSCALE_SITE;

/// The pages of a directory, by name.
std::map<std::string, std::string> pages(const fs::path& directory) {
  std::map<std::string, std::string> all;
  for (const auto& entry : fs::directory_iterator(directory))
    if (entry.path().extension() == ".md")
      all[entry.path().filename().string()] = report::read_file(entry.path());
  return all;
}

/// All there is about the claims.
Material generated() {
  Material all{.claims = properties::catalogue(),
               .tests = report::read_evidence(source / "properties/record.json"),
               .results = report::read_results(site / "reports/results.json"),
               .pages = pages(site / "reports"),
               .words = pages(source / "analyses"),
               .bibliography = report::read_file(site / "reports/claims.bib"),
               .permanent = {},
               .known = {}};
  for (const auto topic : properties::topics())
    if (const auto file = source / "analyses" / topic / "words.md"; fs::exists(file))
      all.words[std::string(topic) + ".md"] = report::read_file(file);
  const auto facts = properties::facts();
  std::erase_if(all.tests, [&](const auto& test) {
    return std::ranges::find(facts, test.claim, &properties::Claim::id) != facts.end();
  });
  const auto release = report::Json::parse(report::read_file(source / "reports/release.json"));
  for (const auto& [id, digest] : release.at("claims").items()) all.permanent.push_back(id);
  for (const auto& one : properties::sources) all.known.emplace_back(one.key);
  return all;
}

/// A change of an analysis shows here, whichever number it reaches: ./dev reports publishes it.
TEST(published, results_are_what_the_analyses_measure) {
  const auto committed = report::read_results(source / "reports/results.json");
  const auto made = report::read_results(site / "reports/results.json");
  for (const auto& row : made.at("claims")) {
    const auto* before = report::find_claim(committed, row.at("id").get<std::string>());
    ASSERT_NE(before, nullptr) << row.at("id");
    for (const char* key :
         {"verdict", "condition", "counterexample", "evaluated", "obligations", "fields"})
      EXPECT_EQ(before->at(key), row.at(key)) << row.at("id") << " " << key;
    const auto &old = before->at("measurements"), &now = row.at("measurements");
    ASSERT_EQ(old.size(), now.size()) << row.at("id");
    for (std::size_t i = 0; i < old.size(); ++i)
      EXPECT_EQ(old[i], now[i]) << row.at("id") << ", measurement " << i;
  }
}

TEST(consistency, is_that_of_the_generated_tree) {
  const auto all = generated();
  EXPECT_EQ(complaints(all), "");
  // Nothing is said where nothing was read.
  EXPECT_GE(all.claims.size(), 64u);
  EXPECT_GE(all.tests.size(), 30u);
}

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
                            {"anchor", "topic.md#topic.one"},
                            {"tests", {"topic_one.always", "topic_one.m"}},
                            {"mutants", {{"killed", 1}, {"total", 1}}},
                            {"measurements", {{{"quantity", "share"}}}}},
                           {{"id", "topic.two"},
                            {"status", "planned"},
                            {"finding", nullptr},
                            {"belief", "It will be."},
                            {"anchor", nullptr},
                            {"tests", Json::array()},
                            {"mutants", {{"killed", 0}, {"total", 0}}},
                            {"measurements", Json::array()}}};
  return all;
}

Json& row(Material& all, std::size_t i) { return all.results["claims"][i]; }

/// A fault, and a line that is said of the sound material with it.
struct Planted {
  void (*fault)(Material&);
  const char* complaint;
};
const Planted planted[] = {
    {[](auto& all) { all.claims[1].id = "topic.one"; }, "topic.one: appears twice"},
    {[](auto& all) { all.claims.pop_back(); }, "topic.two: is gone, but ids are permanent"},
    {[](auto& all) { all.tests.erase(all.tests.begin()); }, "topic.one: has no property"},
    {[](auto& all) { all.tests.pop_back(); }, "topic.one: has no mutant"},
    {[](auto& all) { all.tests[1].passed = false; }, "topic.one: topic_one.m failed"},
    {[](auto& all) { all.tests[1].claim = "topic.two"; },
     "topic.two: has test topic_one.m, but is no settled claim"},
    {[](auto& all) { all.results["claims"].erase(1); }, "topic.two: has not one row"},
    {[](auto& all) { all.results["claims"].push_back(row(all, 0)); }, "topic.one: has not one row"},
    {[](auto& all) { row(all, 1)["id"] = "topic.none"; }, "topic.none: has a row, but is no claim"},
    {[](auto& all) { row(all, 0)["status"] = "planned"; }, "topic.one: its row has another status"},
    {[](auto& all) { row(all, 0)["anchor"] = "x.md#topic.one"; },
     "topic.one: its row has another anchor"},
    {[](auto& all) { row(all, 0)["tests"].erase(0); }, "topic.one: its row has other tests"},
    {[](auto& all) { row(all, 0)["mutants"]["total"] = 2; }, "topic.one: its row has other mut"},
    {[](auto& all) { row(all, 0)["measurements"].clear(); }, "share is declared, not measured"},
    {[](auto& all) { all.claims[0].measures[0] = {}; }, "share is measured, not declared"},
    {[](auto& all) { all.pages["topic.md"] = "[one](#topic.one)"; },
     "topic.one: 0 anchors instead of 1"},
    {[](auto& all) { all.pages["topic.md"] += "<a id=\"topic.two\"></a>"; },
     "topic.two: has anchors, but is no settled claim"},
    {[](auto& all) { all.pages["x.md"] = "<a id=\"topic.one\"></a>"; },
     "topic.one: has anchors in x.md\ntopic.one: 2 anchors instead of 1"},
    {[](auto& all) { all.words.erase("topic.md"); }, "topic.one: 0 sections of words"},
    {[](auto& all) { all.bibliography.clear(); }, "topic.one: 0 entries instead of 1"},
    {[](auto& all) { row(all, 0)["finding"] = "One is even"; }, "topic.one: is not in the index"},
    {[](auto& all) { all.pages["README.md"].resize(20); }, "topic.two: is not in the index"},
    {[](auto& all) { row(all, 1)["finding"] = "One is odd"; },
     "topic.two: has the finding of topic.one"},
    {[](auto& all) { row(all, 0)["finding"] = "It is"; }, "topic.one: its finding is the belief"},
    {[](auto& all) { row(all, 0)["finding"] = "It is 0.5 of 1/√d_k"; },
     "topic.one: its finding has a figure in it"},
    {[](auto& all) {
       for (int i = 0; i < 3500; ++i) all.pages["topic.md"] += "| ";
     },
     "topic.md: 3504 words of at most 3500"},
    {[](auto& all) { all.known = {"S0"}; }, "topic.one: no source 'book'"}};

TEST(consistency, finds_each_planted_fault) {
  EXPECT_EQ(complaints(sound()), "");
  for (const auto& [fault, complaint] : planted) {
    auto all = sound();
    fault(all);
    EXPECT_TRUE(contains(complaints(all), complaint)) << complaint << "\n" << complaints(all);
  }
}

}  // namespace
}  // namespace embedscale::consistency
