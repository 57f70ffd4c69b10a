// Every claim is everywhere where it has to be, and nothing else is: in the tree that this build
// generated, and in the one that is committed.
#include "consistency.hpp"

#include <gtest/gtest.h>
#include "properties/catalogue.hpp"
#include "properties/sources.hpp"

#include <algorithm>
#include <filesystem>
#include <sstream>

#include "report/file.hpp"
#include "report/results.hpp"

namespace embedscale::consistency {
namespace {

namespace fs = std::filesystem;

const fs::path source = EMBEDSCALE_SOURCE_DIR;

/// The files of a directory whose names end so, by name.
std::map<std::string, std::string> files(const fs::path& directory, std::string_view ending) {
  std::map<std::string, std::string> all;
  for (const auto& entry : fs::directory_iterator(directory))
    if (const auto name = entry.path().filename().string(); name.ends_with(ending))
      all[name] = report::read_file(entry.path());
  return all;
}

/// The words of the topics, by topic.md: each is in its room.
std::map<std::string, std::string> words() {
  std::map<std::string, std::string> all = files(source / "analyses", ".md");
  for (const auto topic : properties::topics())
    if (const auto file = source / "analyses" / topic / "words.md"; fs::exists(file))
      all[std::string(topic) + ".md"] = report::read_file(file);
  return all;
}

std::vector<std::string> lines(const fs::path& file) {
  std::istringstream in(report::read_file(file));
  std::vector<std::string> all;
  for (std::string line; std::getline(in, line);)
    if (!line.empty() && line[0] != '#') all.push_back(line);
  return all;
}

/// All there is about the claims, with the reports of one tree.
Material material(const fs::path& tree) {
  Material all{.claims = properties::catalogue(),
               .tests = report::read_evidence(source / "properties/record.json"),
               .results = report::read_results(tree / "reports/results.json"),
               .pages = files(tree / "reports", ".md"),
               .words = words(),
               .bibliography = report::read_file(tree / "reports/claims.bib"),
               .permanent = lines(source / "analyses/test/permanent_ids.txt"),
               .known = {}};
  const auto facts = properties::facts();
  std::erase_if(all.tests, [&](const auto& test) {
    return std::ranges::find(facts, test.claim, &properties::Claim::id) != facts.end();
  });
  for (const auto& source : properties::sources) all.known.emplace_back(source.key);
  return all;
}

/// What differs in two rows of a claim: texts, fields, and measurements by their places.
Complaints differences(const Json& before, const Json& after) {
  Complaints all;
  const auto compare = [&](const std::string& what, const Json& a, const Json& b) {
    if (a != b)
      all.push_back(before.at("id").get<std::string>() + " " + what + ": " + a.dump() + " → " +
                    b.dump());
  };
  for (const char* key : {"verdict", "condition", "counterexample", "evaluated", "obligations"})
    compare(key, before.at(key), after.at(key));
  compare("fields", before.at("fields"), after.at("fields"));
  const auto &old = before.at("measurements"), &now = after.at("measurements");
  compare("measurements", old.size(), now.size());
  for (std::size_t i = 0; i < std::min(old.size(), now.size()); ++i)
    compare("measurement " + std::to_string(i), old[i], now[i]);
  return all;
}

/// A change of an analysis shows here, whichever number it reaches: ./dev reports publishes it.
TEST(published, results_are_what_the_analyses_measure) {
  const auto committed = report::read_results(source / "reports/results.json");
  const auto generated = report::read_results(EMBEDSCALE_SITE "/reports/results.json");
  for (const auto& row : generated.at("claims")) {
    const auto* before = report::find_claim(committed, row.at("id").get<std::string>());
    ASSERT_NE(before, nullptr) << row.at("id");
    for (const auto& difference : differences(*before, row)) ADD_FAILURE() << difference;
  }
}

struct Tree {
  const char* name;
  fs::path path;
};

class Consistency : public testing::TestWithParam<Tree> {
 protected:
  void SetUp() override {
    const auto results = GetParam().path / "reports/results.json";
    ASSERT_TRUE(fs::exists(results)) << results << " is missing: ./dev reports makes it";
    all = material(GetParam().path);
  }
  Material all;
};
using consistency = Consistency;

std::string message(const Complaints& complaints) {
  std::string text;
  for (const auto& complaint : complaints) text += complaint + "\n";
  return text;
}

TEST_P(consistency, ids_are_permanent) { EXPECT_EQ(message(ids(all)), ""); }
TEST_P(consistency, claims_have_properties_and_mutants) { EXPECT_EQ(message(tests(all)), ""); }
TEST_P(consistency, claims_have_rows) { EXPECT_EQ(message(rows(all)), ""); }
TEST_P(consistency, measures_are_reported) { EXPECT_EQ(message(measures(all)), ""); }
TEST_P(consistency, claims_have_anchors) { EXPECT_EQ(message(anchors(all)), ""); }
TEST_P(consistency, claims_are_in_the_index) { EXPECT_EQ(message(index(all)), ""); }
TEST_P(consistency, findings_are_neutral) { EXPECT_EQ(message(findings(all)), ""); }
TEST_P(consistency, pages_are_short) { EXPECT_EQ(message(lengths(all)), ""); }
TEST_P(consistency, sources_are_known) { EXPECT_EQ(message(sources(all)), ""); }
TEST_P(consistency, claims_have_entries) { EXPECT_EQ(message(entries(all)), ""); }
TEST_P(consistency, claims_have_words) { EXPECT_EQ(message(sections(all)), ""); }

/// The rules above say nothing where nothing was read.
TEST_P(consistency, is_about_something) {
  EXPECT_GE(all.claims.size(), 64u);
  EXPECT_GE(all.permanent.size(), 64u);
  EXPECT_GE(all.tests.size(), 30u);
  EXPECT_TRUE(all.pages.contains("README.md") && all.pages.contains("combination.md"));
  EXPECT_TRUE(all.words.contains("combination.md"));
}

INSTANTIATE_TEST_SUITE_P(reports, consistency,
                         testing::Values(Tree{"generated", EMBEDSCALE_SITE},
                                         Tree{"committed", EMBEDSCALE_SOURCE_DIR}),
                         [](const auto& tested) { return std::string(tested.param.name); });

}  // namespace
}  // namespace embedscale::consistency
